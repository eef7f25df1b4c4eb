// Package pairrank ranks destinations for models whose link score is an MLP
// on [z_u || z_v], with one embedding z a node that is constant within a
// batch. The candidates' part of the first layer is only computed anew where
// an embedding changed.
package pairrank

import (
	"iter"
	"math"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
)

// Ranker scores and ranks pairs of nodes.
type Ranker struct {
	head *nn.PairHead
	z    []float32 // nodes x size: the model's live embedding table
	size int
	all  []int32 // every node

	fresh   bool // all right parts are there, but for the nodes in changed
	changed []int32
	mark    []bool
	gather  []float32 // scratch: embeddings of some nodes
}

// New reads embeddings from z, the model's table of s.NumNodes x size.
func New(m *nn.MLP, z []float32, size int, s models.Setup) *Ranker {
	h := nn.NewPairHead(m, size, s.NumNodes, s.MaxBatch, s.Threads)
	r := &Ranker{
		head: h, z: z, size: size,
		mark:   make([]bool, s.NumNodes),
		gather: make([]float32, max(s.MaxBatch, h.MaxNodes())*size),
	}
	for n := range s.NumNodes {
		r.all = append(r.all, int32(n))
	}
	return r
}

// EverythingChanged says that the parameters, or all embeddings, are new.
func (r *Ranker) EverythingChanged() {
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
	nodes := r.changed
	if !r.fresh {
		r.head.ParametersChanged()
		nodes = r.all
	}
	for step := r.head.MaxNodes(); len(nodes) > 0; nodes = nodes[min(step, len(nodes)):] {
		some := nodes[:min(step, len(nodes))]
		r.head.SetRight(some, r.collect(some))
	}
	r.fresh = true
	for _, n := range r.changed {
		r.mark[n] = false
	}
	r.changed = r.changed[:0]
}

// collect gathers the embeddings of the nodes.
func (r *Ranker) collect(nodes []int32) []float32 {
	for i, n := range nodes {
		copy(r.gather[i*r.size:], r.z[int(n)*r.size:][:r.size])
	}
	return r.gather
}

// prepare makes both parts ready for the batch.
func (r *Ranker) prepare(b datasets.Stream) {
	r.refresh()
	r.head.SetLeft(b.Len(), r.collect(b.Src))
}

// Rank implements models.Model.Rank.
func (r *Ranker) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	r.prepare(b)
	q := nn.Question{True: b.Dst, Candidates: c.Nodes, Without: c.Without}
	if bad := r.head.Rank(q, out.Greater, out.Equal); bad >= 0 {
		return r.badScore(b, bad, c.Nodes)
	}
	return nil
}

// badScore finds the score of event k that is not finite.
func (r *Ranker) badScore(b datasets.Stream, k int, candidates []int32) error {
	r.head.SetLeft(1, r.collect(b.Src[k:k+1]))
	err := &models.BadScore{Event: b.EventID(k), Score: math.NaN()}
	for _, nodes := range [][]int32{b.Dst[k : k+1], candidates} {
		scores := make([]float32, len(nodes))
		r.head.Scores(nn.Question{True: b.Dst[k : k+1], Candidates: nodes}, scores)
		for _, z := range scores {
			if !models.Finite(z) {
				err.Score = float64(z)
				return err
			}
		}
	}
	return err
}

// Score implements models.Model.Score.
func (r *Ranker) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	r.prepare(b)
	r.head.Scores(nn.Question{True: b.Dst, Candidates: candidates}, logits)
	for i, z := range logits[:b.Len()*len(candidates)] {
		if !models.Finite(z) {
			return &models.BadScore{Event: b.EventID(i / len(candidates)), Score: float64(z)}
		}
	}
	return nil
}
