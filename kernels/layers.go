package kernels

// Rows are the kernels that move rows of matrices, cols wide, by lists of
// row numbers or from and into wider matrices.
type Rows interface {
	// GatherRows copies row index[i] of src, which has srcRows, to row i of
	// dst.
	GatherRows(rows, srcRows, cols int, dst, src Buffer, index Ints)
	// ScatterRows copies row i of src to row index[i] of dst; of rows with
	// one index the last wins.
	ScatterRows(rows, cols int, dst, src Buffer, index Ints)
	// PutRows copies row i of src to row index[i] of dst, unless index[i] is
	// negative. No row of dst occurs twice.
	PutRows(rows, cols int, dst, src Buffer, index Ints)
	// ScatterAddRows adds row i of src to row index[i] of dst, which has
	// dstRows, in the order of the list.
	ScatterAddRows(rows, dstRows, cols int, dst, src Buffer, index Ints)
	// CopyRows copies the first cols numbers of each row; the strides are
	// the distances between rows of dst and of src.
	CopyRows(rows, cols int, dst Buffer, dstStride int, src Buffer, srcStride int)
}

// Recurrent are the kernels of a node memory and its time encoding. Gradients
// are set, not added.
type Recurrent interface {
	// GRUCell is PyTorch's GRU cell after its two products: gi and gh
	// (rows x 3 units: r, z, n) are the inputs and the state q (rows x
	// units) through their matrices, biases added. gates receives r, z and n.
	//
	//	r = sigmoid(gi_r + gh_r)   z = sigmoid(gi_z + gh_z)
	//	n = tanh(gi_n + r gh_n)    h = (1 - z) n + z q
	GRUCell(rows, units int, h, gates, gi, gh, q Buffer)
	// GRUCellGrad is its gradient; dq is the part that does not pass gh.
	GRUCellGrad(rows, units int, dgi, dgh, dq, dh, gates, gh, q Buffer)
	// TimeEncode is dst (rows x cols) = cos(w[j] dt[i] + b[j]).
	TimeEncode(rows, cols int, dst, dt, w, b Buffer)
	// TimeEncodeGrad is its gradient for w and b.
	TimeEncodeGrad(rows, cols int, dw, db, g, dt, w, b Buffer)
	// TimeProject is dst (rows x cols) = m[i,j] (1 + w[j] dt[i] + b[j]).
	TimeProject(rows, cols int, dst, m, dt, w, b Buffer)
	// TimeProjectGrad is its gradient for m, w and b.
	TimeProjectGrad(rows, cols int, dm, dw, db, g, m, dt, w, b Buffer)
}

// Attentive are the kernels of attention over ragged lists.
type Attentive interface {
	// Attend sets Weights and Out.
	Attend(a *Attention)
	// AttendGrad sets Q, K, V and E of g. Attend has run.
	AttendGrad(a *Attention, g *AttentionGrad)
}

// Attention has an edge list grouped by centre: those of centre i are
// Offsets[i] to Offsets[i+1]-1, and edge e leads to the neighbour Index[e].
// Rows hold the heads side by side. For each head, on its Channels columns,
//
//	score[e] = Q[i] . (K[Index[e]] + E[e]) / sqrt(Channels)
//	Weights[e] = softmax of the scores over the edges of i, + 1e-16 below
//	Out[i] = sum over the edges of i of Drop[e] Weights[e] (V[Index[e]] + E[e])
//
// A centre without edges gets zeros. Edges beyond the last offset belong to no
// centre: their own gradient is zero, and nothing else depends on them.
type Attention struct {
	Heads, Channels       int
	Centres, Nodes, Edges int // active ones

	Offsets Ints   // Centres + 1
	Index   Ints   // Edges
	Q, Out  Buffer // a row per centre
	K, V    Buffer // a row per node
	E       Buffer // a row per edge
	Weights Buffer // Edges x Heads
	Drop    Buffer // Edges x Heads: factors of dropout, or nil
}

// AttentionGrad are the gradients of an Attention.
type AttentionGrad struct {
	Out        Buffer // the given one
	Q, K, V, E Buffer
	Scores     Buffer // Edges x Heads, for the kernel's own use
}

// Normalising are the kernels that rescale rows, blocks of rows or columns.
// Blocks have h elements, without gaps; n elements are whole blocks.
type Normalising interface {
	// SoftmaxBlocks is the softmax of scale x, scale > 0, in each block.
	SoftmaxBlocks(n, h int, scale float64, dst, x Buffer)
	// SoftmaxBlocksGrad is its gradient, y being its result.
	SoftmaxBlocksGrad(n, h int, scale float64, dx, g, y Buffer)
	// DivideSumBlocks divides each block by its sum + eps. A sum of magnitude
	// below floor is replaced by floor, with the sum's sign.
	DivideSumBlocks(n, h int, eps, floor float64, dst, z Buffer)
	// DivideSumBlocksGrad is its gradient, y being its result; a replaced
	// sum counts as constant.
	DivideSumBlocksGrad(n, h int, eps, floor float64, dz, g, y, z Buffer)
	// LayerNorm is dst = hat scale + shift, hat being the rows of x less
	// their mean, times inverse = 1/sqrt(variance + eps).
	LayerNorm(rows, cols int, eps float64, dst, hat, inverse, x, scale, shift Buffer)
	// LayerNormGrad is its gradient.
	LayerNormGrad(rows, cols int, dx, dscale, dshift, g, hat, inverse, scale Buffer)
	// UnitRows is dst = inverse x, inverse being 1/max(length, eps) of each
	// row of x.
	UnitRows(rows, cols int, eps float64, dst, inverse, x Buffer)
	// UnitRowsGrad is its gradient, y being its result: inverse (g - (g . y)
	// y).
	UnitRowsGrad(rows, cols int, dx, g, y, inverse Buffer)
}
