// Package pairrank ranks destinations for models whose link score is an MLP
// on [z_u || z_v], with one embedding z a node that is constant within a
// batch. The candidates' part of the first layer is kept in a table and
// only refreshed where an embedding changed.
package pairrank

import (
	"iter"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
)

// Ranker scores and ranks pairs of nodes.
type Ranker struct {
	head    *nn.PairHead
	z       []float32 // nodes x size: the model's live embedding table
	size    int
	threads int

	right   []float32 // nodes x width: right part of every node
	fresh   bool      // right is complete, but for the nodes in changed
	changed []int32
	mark    []bool
	gather  []float32 // scratch: embeddings of a batch of nodes
	left    []float32 // scratch: left parts of the batch
	parts   []float32 // scratch: right parts of refreshed nodes
}

// refreshRows is how many changed nodes are projected at once.
const refreshRows = 512

// New reads embeddings from z, the model's table of s.NumNodes x size.
func New(m *nn.MLP, z []float32, size int, s models.Setup) *Ranker {
	h := nn.NewPairHead(m, size)
	return &Ranker{
		head: h, z: z, size: size, threads: s.Threads,
		right:  make([]float32, s.NumNodes*h.Width()),
		mark:   make([]bool, s.NumNodes),
		gather: make([]float32, max(s.MaxBatch, refreshRows)*size),
		left:   make([]float32, s.MaxBatch*h.Width()),
		parts:  make([]float32, refreshRows*h.Width()),
	}
}

// ParametersChanged says that every part must be computed anew.
func (r *Ranker) ParametersChanged() {
	r.fresh = false
	for _, n := range r.changed {
		r.mark[n] = false
	}
	r.changed = r.changed[:0]
}

// Changed says that these nodes have a new embedding.
func (r *Ranker) Changed(nodes iter.Seq[int32]) {
	if !r.fresh {
		return
	}
	for n := range nodes {
		if !r.mark[n] {
			r.mark[n] = true
			r.changed = append(r.changed, n)
		}
	}
}

// refresh brings the right parts up to date.
func (r *Ranker) refresh() {
	width := r.head.Width()
	if !r.fresh {
		r.head.Right(r.z, len(r.mark), r.right)
		r.fresh = true
		return
	}
	for lo := 0; lo < len(r.changed); lo += refreshRows {
		nodes := r.changed[lo:min(lo+refreshRows, len(r.changed))]
		r.collect(nodes)
		r.head.Right(r.gather, len(nodes), r.parts)
		for i, n := range nodes {
			copy(r.right[int(n)*width:], r.parts[i*width:][:width])
			r.mark[n] = false
		}
	}
	r.changed = r.changed[:0]
}

// collect gathers the embeddings of the nodes.
func (r *Ranker) collect(nodes []int32) {
	for i, n := range nodes {
		copy(r.gather[i*r.size:], r.z[int(n)*r.size:][:r.size])
	}
}

// prepare makes both parts ready for the batch.
func (r *Ranker) prepare(b datasets.Stream) {
	r.refresh()
	r.collect(b.Src)
	r.head.Left(r.gather, b.Len(), r.left)
}

func (r *Ranker) rightOf(n int32) []float32 { return r.right[int(n)*r.head.Width():][:r.head.Width()] }
func (r *Ranker) leftOf(k int) []float32    { return r.left[k*r.head.Width():][:r.head.Width()] }

// Rank implements models.Model.Rank.
func (r *Ranker) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	r.prepare(b)
	bad := make([]*models.BadScore, b.Len())
	nn.Rows(b.Len(), r.threads, func(lo, hi int) {
		score := r.head.Scorer()
		for k := lo; k < hi; k++ {
			left := r.leftOf(k)
			counter := models.NewCounter(b, k, c, score(left, r.rightOf(b.Dst[k])))
			for _, v := range c.Nodes {
				counter.Add(v, score(left, r.rightOf(v)))
			}
			out.Greater[k], out.Equal[k], bad[k] = counter.Counts()
		}
	})
	for _, err := range bad { // the first event in order, however many threads
		if err != nil {
			return err
		}
	}
	return nil
}

// Score implements models.Model.Score.
func (r *Ranker) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	r.prepare(b)
	score := r.head.Scorer()
	for k := range b.Len() {
		for i, v := range candidates {
			z := score(r.leftOf(k), r.rightOf(v))
			if !models.Finite(z) {
				return &models.BadScore{Event: b.EventID(k), Score: float64(z)}
			}
			logits[k*len(candidates)+i] = z
		}
	}
	return nil
}
