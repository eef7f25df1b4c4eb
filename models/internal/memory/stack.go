package memory

import "dgsbench/nn"

// stack is a matrix of two parts, as many rows of each as there are.
type stack struct {
	core          *Core
	rows          *nn.Rows
	first, second *nn.Node // places of the parts' rows
	numbers       []int32  // 0, 1, 2 ...
	out           *nn.Node
}

// newStack puts the rows of upper, then those of lower, into a matrix. The
// parts have as many active rows as upperRows and lowerRows.
func newStack(c *Core, name string, upper, lower *nn.Node, upperRows, lowerRows *nn.Rows) (*stack, error) {
	most := upper.Shape()[0] + lower.Shape()[0]
	s := &stack{core: c, rows: nn.NewRows(most), numbers: make([]int32, most)}
	for i := range s.numbers {
		s.numbers[i] = int32(i)
	}
	s.first, s.second = c.Net.Index(name+".first", upperRows), c.Net.Index(name+".second", lowerRows)
	like := c.Net.Input(name+".like", s.rows, 1)
	a, err := nn.Scatter(upper, s.first, like)
	if err != nil {
		return nil, err
	}
	b, err := nn.Scatter(lower, s.second, like)
	if err != nil {
		return nil, err
	}
	s.out, err = nn.Add(a, b)
	return s, err
}

// write is for parts of so many rows.
func (s *stack) write(upper, lower int) {
	s.rows.Set(upper + lower)
	s.core.device.WriteInts(s.core.Net.Ints(s.first), s.numbers[:upper])
	s.core.device.WriteInts(s.core.Net.Ints(s.second), s.numbers[upper:upper+lower])
}
