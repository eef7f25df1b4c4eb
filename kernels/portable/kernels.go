// Package portable holds the kernels in plain Go, generic over the element
// type, and a device that runs them. In float32 they are what package cpu uses
// without vector instructions; in float64 they are package reference, and what
// gradients are checked with.
package portable

// Float is an element type.
type Float interface{ float32 | float64 }

// Kernels are the kernels on slices that package cpu also has in assembly; those
// of a [Device] are made of them. dst may be one of the operands unless the
// contrary is said.
//
// The functions are unsafe: slices of one call must have the lengths that the
// formulas imply, which are not checked. Those in assembly read and write
// beyond slices that are shorter. A Device checks before it calls them.
type Kernels[T Float] struct {
	Add, Mul    func(dst, a, b []T)      // dst = a + b, a b
	AddMul      func(dst, a, b []T)      // dst += a b, rounded once
	Affine      func(dst, x []T, a, b T) // dst = a x + b, rounded once
	Axpy        func(y, x []T, a T)      // y += a x, rounded once
	AxpySum     func(y, u, v []T, a T)   // y += a (u + v), rounded after each sum
	ReLU        func(dst, x []T)         // dst = max(x, 0); NaN stays NaN
	ReLUGrad    func(dx, dy, y []T)      // dx = dy where y > 0, else 0; y is the ReLU's input or output
	SigmoidGrad func(dx, g, y []T)       // dx = g y (1 - y), y being the result of Sigmoid

	// Exp and Sigmoid (1/(1 + e^-x)), and tanh, log(1 + e^x), cos and sin within
	// other kernels, are within 2 units in the last place of the exact value for
	// every float32, infinities and denormal results included, and give NaN for
	// NaN. cos and sin of infinities are NaN.
	Exp, Sigmoid func(dst, x []T)

	// Sum, Dot (the sum of a b) and DotSum (that of a (u + v)) add in one
	// order everywhere: lane i of sixteen adds elements i, i+16, i+32, ... in
	// order; then lanes i and i+8 are added, then i and i+4, i+2 and i+1.
	Sum    func(x []T) T
	Dot    func(a, b []T) T
	DotSum func(a, u, v []T) T

	// BCELoss is loss = w (max(x, 0) - x y + log(1 + e^-|x|)), of logits x and
	// targets y, and BCEGrad the gradient of scale times its sum,
	// dx = scale w (sigmoid(x) - y).
	BCELoss func(loss, x, y, w []T)
	BCEGrad func(dx, x, y, w []T, scale T)

	// Adam is one step, with scalars as in [kernels.AdamStep]:
	//
	//	g' = g + decay p
	//	mean = beta1 mean + rest1 g'
	//	square = beta2 square + rest2 g'^2
	//	p -= size mean / (sqrt(square) root + eps)
	Adam func(p, g, mean, square []T, decay, beta1, rest1, beta2, rest2, size, root, eps T)
	// Momentum is velocity = momentum velocity + g + decay p, p -= rate velocity.
	Momentum func(p, g, velocity []T, decay, momentum, rate T)

	// SoftmaxBlocks and DivideSumBlocks are those of [kernels.Normalising], with
	// the sums of Sum. Their gradients are, y being the result,
	//
	//	dx[j] = (dy[j] - sum of y dy over the block) y[j] scale
	//	dz[j] = (dy[j] - sum of y dy over the block) / (sum of z + eps)
	//
	// the latter without the sum of y dy where floor replaced the sum of z.
	SoftmaxBlocks       func(dst, x []T, h int, scale T)
	SoftmaxBlocksGrad   func(dx, dy, y []T, h int, scale T)
	DivideSumBlocks     func(dst, z []T, h int, eps, floor T)
	DivideSumBlocksGrad func(dz, dy, y, z []T, h int, eps, floor T)

	// GRURow and GRURowGrad are one row of GRUCell and GRUCellGrad.
	GRURow     func(h, gates, gi, gh, q []T)
	GRURowGrad func(dgi, dgh, dq, dh, gates, gh, q []T)
	// TimeRow and TimeRowGrad are one row of TimeEncode and TimeEncodeGrad, of
	// arguments up to trigLimit.
	TimeRow     func(dst, w, b []T, dt T)
	TimeRowGrad func(dw, db, dout, w, b []T, dt T)
	// EdgeGrad is one head of one edge of AttendGrad: with score' and the
	// weight after dropout,
	//
	//	dq += score' (k + e)    dk += score' q
	//	dv += weight out'       de = score' q + weight out'
	EdgeGrad func(dq, dk, dv, de, q, k, e, out []T, score, weight T)

	// MixRow and MixRowGrad are Mix and MixGrad of elements that have their own
	// alpha and beta; the variants without e take it for zeros.
	MixRow             func(dst, self, other, e, alpha, beta []T)
	MixRowWithoutE     func(dst, self, other, alpha, beta []T)
	MixRowGrad         func(dself, dother, de, dalpha, dbeta, g, self, other, e, alpha, beta []T)
	MixRowGradWithoutE func(dself, dother, dalpha, dbeta, g, self, other, alpha, beta []T)

	// CopyRows copies the first cols numbers of rows from one matrix to another,
	// in order, without those that go to a negative row. Other rows that do not
	// exist panic.
	CopyRows func(rows, cols int, to, from Rows[T])
	// FoldRow is dst = keep self + mix other, and FoldAddRow the same + hit row.
	FoldRow    func(dst, self, other []T, keep, mix T)
	FoldAddRow func(dst, self, other, row []T, keep, mix, hit T)
	// SumRows is dst[i] = the sum of the rows of table that row i of the index
	// lists, in order. Rows of dst and table are cols wide, those of the index
	// terms. A row that does not exist panics.
	SumRows func(dst []T, cols int, table []T, index []int32, terms int)
	// BucketizeRow is dst[j] = first[j] + the number of edges[.,j] at or below
	// x[j]; edges has edgeRows rows.
	BucketizeRow func(dst []int32, x, edges []T, first []int32, edgeRows int)
}

// Go returns the kernels in plain Go.
func Go[T Float]() *Kernels[T] {
	return &Kernels[T]{
		Add: add[T], Mul: mul[T], AddMul: addMul[T], Affine: affine[T], Axpy: axpy[T], AxpySum: axpySum[T],
		ReLU: relu[T], ReLUGrad: reluGrad[T], SigmoidGrad: sigmoidGrad[T],
		Exp: each(exp[T]), Sigmoid: each(sigmoid[T]),
		Sum: sum[T], Dot: dot[T], DotSum: dotSum[T],
		BCELoss: bceLoss[T], BCEGrad: bceGrad[T], Adam: adam[T], Momentum: momentum[T],
		SoftmaxBlocks: softmaxBlocks[T], SoftmaxBlocksGrad: softmaxBlocksGrad[T],
		DivideSumBlocks: divideSumBlocks[T], DivideSumBlocksGrad: divideSumBlocksGrad[T],
		GRURow: gruRow[T], GRURowGrad: gruRowGrad[T], TimeRow: timeRow[T], TimeRowGrad: timeRowGrad[T], EdgeGrad: edgeGrad[T],
		MixRow: mixRow[T], MixRowWithoutE: mixRowWithoutE[T], MixRowGrad: mixRowGrad[T], MixRowGradWithoutE: mixRowGradWithoutE[T],
		CopyRows: copyRows[T], FoldRow: foldRow[T], FoldAddRow: foldAddRow[T], SumRows: sumRows[T], BucketizeRow: bucketizeRow[T],
	}
}
