package nn

import (
	"dgsbench/kernels"
)

// PairHead scores pairs [left || right] of nodes with an MLP without ever
// building the pairs: its first layer splits into a part of the left vector
// and a part of the right one. The right parts of all nodes are kept in a
// table on the device.
type PairHead struct {
	mlp         *MLP
	device      kernels.Device
	left, right int // columns of the vectors
	width       int // units of the first layer

	leftW, rightW, bias kernels.Buffer // views of the first layer
	z                   kernels.Buffer // vectors of up to chunk rows
	u                   kernels.Buffer // left parts of a batch
	index               kernels.Ints   // up to chunk nodes
	parts               kernels.Buffer // their right parts
	table               kernels.Buffer // right parts of all nodes
	nodes               int
	scorer              pairScorer
}

// pairScorer is what follows the first layer.
type pairScorer interface {
	// update takes the MLP's present parameters over.
	update()
	kernels.Ranker
}

// chunk is how many nodes are projected at once.
const chunk = 512

// NewPairHead reads the first left input columns of the MLP as the left
// vector and the others as the right one, of so many nodes.
func NewPairHead(m *MLP, left, nodes, maxEvents, threads int) *PairHead {
	d, first := m.device, m.params[0]
	in, width := first.shape[0], first.shape[1]
	h := &PairHead{
		mlp: m, device: d, left: left, right: in - left, width: width, nodes: nodes,
		leftW: d.View(first.buffer, 0, left*width), rightW: d.View(first.buffer, left*width, (in-left)*width),
		bias: m.params[1].buffer,
		z:    d.NewBuffer(max(chunk, maxEvents) * max(left, in-left)), u: d.NewBuffer(maxEvents * width),
		index: d.NewInts(chunk), parts: d.NewBuffer(chunk * width), table: d.NewBuffer(nodes * width),
	}
	if len(m.cfg.Hidden) == 1 {
		h.scorer = oneLayer{d.NewRanker(maxEvents, width)}
	} else {
		h.scorer = newDeepScorer(m, threads)
	}
	return h
}

// oneLayer ranks on the device: the rest of the head is one dot product.
type oneLayer struct{ kernels.Ranker }

func (oneLayer) update() {}

// ParametersChanged says that the MLP was trained or restored. All right
// parts must be set anew.
func (h *PairHead) ParametersChanged() { h.scorer.update() }

// SetRight computes the right parts of the given nodes from their vectors
// (len(nodes) x right), at most MaxNodes at once.
func (h *PairHead) SetRight(nodes []int32, z []float32) {
	h.device.Write(h.z, z[:len(nodes)*h.right])
	h.device.Gemm(kernels.NN, len(nodes), h.width, h.right, h.z, h.rightW, h.parts, nil, false)
	h.device.WriteInts(h.index, nodes)
	h.device.ScatterRows(len(nodes), h.width, h.table, h.parts, h.index)
}

// MaxNodes is how many nodes SetRight takes at once.
func (h *PairHead) MaxNodes() int { return chunk }

// SetLeft computes the left parts of a batch from its vectors (rows x left).
func (h *PairHead) SetLeft(rows int, z []float32) {
	h.device.Write(h.z, z[:rows*h.left])
	h.device.Gemm(kernels.NN, rows, h.width, h.left, h.z, h.leftW, h.u, h.bias, false)
}

// Question is a ranking of the batch that SetLeft was given.
type Question struct {
	True       []int32 // true destination of each event
	Candidates []int32 // ascending
	Without    [][]int32
}

func (h *PairHead) ranking(q Question) kernels.Ranking {
	return kernels.Ranking{
		Events: len(q.True), Nodes: h.nodes, Dim: h.width, U: h.u, P: h.table, W: h.mlp.params[2].buffer,
		Candidates: q.Candidates, True: q.True, Without: q.Without,
	}
}

// Rank counts, for every event, the negatives above and level with its true
// destination. It returns the first event with a score that is not finite,
// or -1.
func (h *PairHead) Rank(q Question, greater, equal []int32) (bad int) {
	return h.scorer.Rank(h.ranking(q), greater, equal)
}

// Scores writes the scores of all candidates, but for a constant that all
// scores share: those that Rank counts by.
func (h *PairHead) Scores(q Question, out []float32) { h.scorer.Scores(h.ranking(q), out) }
