package nn

import "dgsbench/kernels"

// PairLayers are the layers of a score for pairs of vectors: the first one
// takes left W + bias + right W + bias, with a ReLU, others follow.
type PairLayers struct {
	Left, Right         int            // columns of the vectors
	Width               int            // units of the first layer
	LeftW, RightW       kernels.Buffer // Left x Width, Right x Width
	LeftBias, RightBias kernels.Buffer // Width; or nil
	// Slope (Right x Width), where it is not nil, moves the right part: right
	// (RightW + s Slope) stands for right RightW, s being the time of a
	// kernels.Ranking. There is no further layer then.
	Slope kernels.Buffer
	// Out are the Width weights of the last layer.
	Out kernels.Buffer
	// between first and last, for perceptrons of several hidden layers or
	// with normalised ones
	deep []layer
}

// PairLayers reads the first left columns of the MLP's input as the left
// vector and the others as the right one.
func (m *MLP) PairLayers(left int) PairLayers {
	first, last := m.layers[0], m.layers[len(m.layers)-1]
	p := PairLayers{
		Left: left, Right: first.in - left, Width: first.out, LeftBias: first.b, Out: last.w,
		LeftW:  m.device.View(first.w, 0, left*first.out),
		RightW: m.device.View(first.w, left*first.out, (first.in-left)*first.out),
	}
	if len(m.layers) > 2 || first.scale != nil {
		p.deep = m.layers
	}
	return p
}

// PairHead scores pairs [left || right] of nodes without ever building the
// pairs: the first layer splits into a part of the left vector and a part of
// the right one. The right parts of all nodes are kept in a table on the
// device.
type PairHead struct {
	PairLayers
	device kernels.Device
	nodes  int
	z      kernels.Buffer // vectors of up to PairChunk rows
	u      kernels.Buffer // left parts of a batch
	index  kernels.Ints   // up to PairChunk nodes
	parts  kernels.Buffer // their right parts
	table  kernels.Buffer // right parts of all nodes
	slopes kernels.Buffer // what of them moves with time; nil without Slope
	scorer kernels.Ranker // what follows the first layer
}

// PairChunk is the largest number of nodes of one SetRight.
const PairChunk = 512

// NewPairHead is for graphs of the given number of nodes and batches of at
// most maxEvents events.
func NewPairHead(d kernels.Device, p PairLayers, nodes, maxEvents int) *PairHead {
	h := &PairHead{
		PairLayers: p, device: d, nodes: nodes,
		z: d.NewBuffer(max(PairChunk, maxEvents) * max(p.Left, p.Right)), u: d.NewBuffer(maxEvents * p.Width),
		index: d.NewInts(PairChunk), parts: d.NewBuffer(PairChunk * p.Width), table: d.NewBuffer(nodes * p.Width),
	}
	if p.Slope != nil {
		h.slopes = d.NewBuffer(nodes * p.Width)
	}
	if p.deep == nil {
		h.scorer = d.NewRanker(maxEvents, p.Width) // the rest of the head is one dot product
	} else {
		h.scorer = newDeepScorer(d, p.deep, nodes)
	}
	return h
}

// Vectors is where the vectors of SetLeft and SetRight are written, a row
// each.
func (h *PairHead) Vectors() kernels.Buffer { return h.z }

// SetRight computes the right parts of the given nodes, at most PairChunk
// at once, from Vectors.
func (h *PairHead) SetRight(nodes []int32) {
	h.device.WriteInts(h.index, nodes)
	h.setRight(len(nodes), h.table, h.RightW, h.RightBias)
	if h.Slope != nil {
		h.setRight(len(nodes), h.slopes, h.Slope, nil)
	}
}

// setRight computes rows of a table.
func (h *PairHead) setRight(nodes int, table, weights, bias kernels.Buffer) {
	h.device.Gemm(kernels.NN, nodes, h.Width, h.Right, h.z, weights, h.parts, bias, false)
	h.device.ScatterRows(nodes, h.Width, table, h.parts, h.index)
}

// SetLeft computes the left parts of a batch from Vectors.
func (h *PairHead) SetLeft(rows int) {
	h.device.Gemm(kernels.NN, rows, h.Width, h.Left, h.z, h.LeftW, h.u, h.LeftBias, false)
}

// ranking fills in what the head knows of a ranking.
func (h *PairHead) ranking(q kernels.Ranking) kernels.Ranking {
	q.Events, q.Nodes, q.Dim = len(q.True), h.nodes, h.Width
	q.U, q.P, q.W, q.Slope = h.u, h.table, h.Out, h.slopes
	return q
}

// Rank counts, for every event of the batch that SetLeft was given, the
// negatives above and level with its true destination. It returns the first
// event with a score that is not finite, or -1. Of q it needs True, Candidates
// and Without and, with Slope, EventTime and NodeTime.
func (h *PairHead) Rank(q kernels.Ranking, greater, equal []int32) (bad int) {
	return h.scorer.Rank(h.ranking(q), greater, equal)
}

// Scores writes the scores of all candidates, but for a constant that all
// scores share: those that Rank counts by.
func (h *PairHead) Scores(q kernels.Ranking, out []float32) { h.scorer.Scores(h.ranking(q), out) }
