package dgs

import "dgsbench/kernels"

// jacobianShape is what is kept of the derivatives of a state by the
// matrices: W, and with Input those of alpha and beta. The gradient has
// their columns side by side.
//
// State number j = ih+r lies in block i. It depends on the h rows of W of its
// block: a lane for each, but for the last one where that is minus the sum of
// the others. The order of the lanes is r, i, row: those of one r come from
// one pull of the normalisation (drive).
func jacobianShape(o *Options, size, features int) kernels.JacobianShape {
	s := kernels.JacobianShape{Features: features, States: size, Half: o.Jacobian == BFloat16}
	add := func(state, plus, minus int) {
		s.State = append(s.State, int32(state))
		s.Plus = append(s.Plus, int32(plus))
		s.Minus = append(s.Minus, int32(minus))
	}
	if o.Embedding != Buckets {
		h, kept := blockSize(o)
		for r := range h {
			for i := range o.Blocks {
				for q := range kept {
					dropped := -1
					if kept < h {
						dropped = i*h + kept
					}
					add(i*h+r, i*h+q, dropped)
				}
			}
		}
		s.Columns = size
	}
	if o.Factors == Input {
		for range 2 {
			for j := range size {
				add(j, s.Columns+j, -1)
			}
			s.Columns += size
		}
	}
	return s
}

// blockSize is the number of rows of a block of W, and of those whose
// derivatives are kept.
func blockSize(o *Options) (h, kept int) {
	h = o.Size / o.Blocks
	if normalisations[o.Embedding].shiftless {
		return h, h - 1
	}
	return h, h
}
