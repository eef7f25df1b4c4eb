package datasets

import "slices"

// names numbers texts in the order in which they first appear. A block has
// one of its own, so that blocks can be parsed side by side; adopt then
// joins them in file order.
type names struct {
	number map[string]int32
	list   []string // in order; left empty by adopt, which does not need it
}

func newNames() *names { return &names{number: map[string]int32{}} }

// intern is the number of a text.
func (n *names) intern(text []byte) int32 {
	if id, ok := n.number[string(text)]; ok {
		return id
	}
	id := int32(len(n.list))
	s := string(text)
	n.number[s] = id
	n.list = append(n.list, s)
	return id
}

// take returns the texts in order and starts afresh.
func (n *names) take() []string {
	list := slices.Clone(n.list)
	clear(n.number)
	n.list = n.list[:0]
	return list
}

// adopt is the number here of every text of a block.
func (n *names) adopt(list []string) []int32 {
	table := make([]int32, len(list))
	for i, text := range list {
		id, ok := n.number[text]
		if !ok {
			id = int32(len(n.number))
			n.number[text] = id
		}
		table[i] = id
	}
	return table
}
