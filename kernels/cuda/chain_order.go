//go:build gpu

package cuda

import "slices"

// arrange makes of the calls what a block does: products that share their
// weights are one, and threads wait for each other where they have to.
func (c *chain) arrange() {
	c.joinProducts()
	c.meets.reset()
	for i := range c.calls {
		call := &c.calls[i]
		call.meet = c.meets.before(call.operands[:call.results], call.operands[call.results:], call.slices > 1)
	}
}

// joinProducts makes one call of two products with the same weights that
// follow each other, so that a block reads these once: the two ends of events
// go through the same layers.
func (c *chain) joinProducts() {
	calls := c.calls[:0]
	for _, call := range c.calls {
		if n := len(calls); n > 0 && calls[n-1].takes(&call) {
			calls[n-1].operands[1], calls[n-1].operands[3] = call.operands[0], call.operands[2]
			continue
		}
		calls = append(calls, call)
	}
	c.calls = calls
}

// multiplies reports whether it is a product, whose operands are the results,
// what is multiplied, weights and bias.
func (p *chainCall) multiplies() bool { return p.lanes > 0 }

// pair reports whether it is two products.
func (p *chainCall) pair() bool { return p.multiplies() && p.operands[1] != (operand{}) }

// any reports whether one of the calls is so.
func (c *chain) any(is func(*chainCall) bool) bool {
	for i := range c.calls {
		if is(&c.calls[i]) {
			return true
		}
	}
	return false
}

// takes reports whether the next call can be done in the same one.
func (p *chainCall) takes(next *chainCall) bool {
	same := p.multiplies() && !p.pair() && p.code == next.code && p.rows == next.rows && p.cols == next.cols &&
		p.inner == next.inner && p.choice == next.choice && p.operands[4] == next.operands[4] && p.operands[5] == next.operands[5]
	if !same {
		return false
	}
	out, in, nextOut, nextIn := p.operands[0], p.operands[2], next.operands[0], next.operands[2]
	return !out.shares(nextOut) && !out.shares(nextIn) && !in.shares(nextOut)
}

// meeting says when the threads of a block must wait for each other: before a
// call that touches what another one wrote since they did, or that writes what
// another one read.
type meeting struct {
	read, written []operand
	sums          bool // the memory of partial sums is written
}

func (m *meeting) reset() { m.read, m.written, m.sums = m.read[:0], m.written[:0], false }

func (m *meeting) before(results, reads []operand, sums bool) (meet bool) {
	meet = sums && m.sums
	for _, o := range reads {
		meet = meet || slices.ContainsFunc(m.written, o.shares)
	}
	for _, o := range results {
		meet = meet || slices.ContainsFunc(m.read, o.shares) || slices.ContainsFunc(m.written, o.meets)
	}
	if meet {
		m.reset()
	}
	m.read, m.written = append(m.read, reads...), append(m.written, results...)
	m.sums = m.sums || sums
	return meet
}

// meets reports whether two results may have numbers in common: columns of a
// matrix that lie side by side have none.
func (o operand) meets(other operand) bool {
	apart := o.columns && other.columns && (o.offset+o.width <= other.offset || other.offset+other.width <= o.offset)
	return o.shares(other) && !apart
}

// shares reports whether both are in the same memory. What is not there is in
// none, nor what was staged, which nobody writes.
func (o operand) shares(other operand) bool {
	w := o.where()
	return w != nil && w == other.where()
}

// where is the memory of an operand.
func (o operand) where() any {
	switch {
	case o.own != nil:
		return o.own
	case o.memory != nil:
		return o.memory
	}
	return nil
}
