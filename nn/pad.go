package nn

import "dgsbench/kernels"

// A device can make all calls of a program at once (Repeated) if it made them
// before for batches of the same sizes. Where every batch has a number of
// rows of its own, more rows that nobody reads make the sizes the same.

// padding is the rows of a program beyond those of the batch: together they
// are as many as any batch has had, and a bit more.
type padding struct {
	most   int // rows of a program
	active int // the batch's, while a program runs
}

// paddingStep divides numbers of rows with padding. Kernels may add up every
// 32nd row, say, or every fourth 32 of them, in a place of its own: rows behind
// padding are added in the same place then, whatever padding there is.
const paddingStep = 128

// PaddedRows is a size of rows that repeated programs may have more of than a
// batch. Nothing that is wanted may depend on these, so their gradients are
// zero and sums are what they are without them.
//
// They hold what earlier batches have left there, and zeros at first. No
// program has fewer rows than the one before: what such a row says is the
// number of another row still is one, if that is of a parameter or of padded
// rows, too.
func (g *Graph) PaddedRows(capacity int) *Rows {
	if _, ok := g.device.(kernels.Repeater); !ok {
		return NewRows(capacity)
	}
	r := NewRows(stepUp(capacity))
	r.padding = &padding{}
	g.padded = append(g.padded, r)
	return r
}

func stepUp(n int) int { return (n + paddingStep - 1) / paddingStep * paddingStep }

// hold makes the padding large enough for the active rows. An eighth more
// than is needed keeps the number of sizes small that there ever are.
func (p *padding) hold(r *Rows) {
	if p != nil && r.active > p.most {
		p.most = min(r.capacity, stepUp(r.active+r.active/8))
	}
}

// Padded is how many rows a repeated program has: the active ones, unless
// there is padding.
func (r *Rows) Padded() int {
	if r.padding == nil {
		return r.active
	}
	return max(r.active, r.padding.most)
}

// MostPadding is how many rows of padding there are at most.
func (r *Rows) MostPadding() int {
	if r.padding == nil {
		return 0
	}
	return r.capacity
}

// pad makes padding active, and unpad undoes it.
func (g *Graph) pad() {
	for _, r := range g.padded {
		r.padding.active, r.active = r.active, r.Padded()
	}
}

func (g *Graph) unpad() {
	for _, r := range g.padded {
		r.active = r.padding.active
	}
}
