package portable

// BlockRow is one row of derivatives of blocks by what they were rescaled
// from; see [kernels.BlockDerivatives].
type BlockRow[T Float] struct {
	Blocks, H, Kept int
	Dst, P          []T

	// Scratch, as long as P: the gradient of one number of each block, zeros
	// before and after, and what it becomes.
	Picked, Pulled []T
}

// Set sets Dst; pull makes Pulled of Picked: the gradient of what was rescaled
// of that of the result.
func (b *BlockRow[T]) Set(pull func()) {
	to := b.Dst
	for r := range b.H {
		for at := r; at < len(b.P); at += b.H {
			b.Picked[at] = b.P[at]
		}
		pull()
		for at := 0; at < len(b.P); at += b.H {
			to = to[copy(to, b.Pulled[at:at+b.Kept]):]
			b.Picked[at+r] = 0
		}
	}
}
