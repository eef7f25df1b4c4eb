// Package pairrank ranks destinations for models whose link score is an MLP
// on [z_u || z_v], with one embedding z a node that is constant within a
// batch. The candidates' part of the first layer is only computed anew where
// an embedding changed.
package pairrank

import (
	"iter"
	"math"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/nn"
)

// Embeddings give nodes' present embeddings.
type Embeddings interface {
	// Gather writes those of the nodes to dst, a row each.
	Gather(d kernels.Device, nodes []int32, dst kernels.Buffer)
}

// Ranker scores and ranks pairs of nodes.
type Ranker struct {
	device kernels.Device
	head   *nn.PairHead
	z      Embeddings
	all    []int32 // every node

	fresh   bool // all right parts are there, but for the nodes in changed
	changed []int32
	mark    []bool
}

// New ranks by the layers p on the embeddings z.
func New(d kernels.Device, p nn.PairLayers, z Embeddings, s models.Setup) *Ranker {
	r := &Ranker{
		device: d, head: nn.NewPairHead(d, p, s.NumNodes, s.MaxBatch, s.Threads), z: z,
		mark: make([]bool, s.NumNodes),
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
		r.z.Gather(r.device, some, r.head.Vectors())
		r.head.SetRight(some)
	}
	r.fresh = true
	for _, n := range r.changed {
		r.mark[n] = false
	}
	r.changed = r.changed[:0]
}

// prepare makes both parts ready for the batch.
func (r *Ranker) prepare(b datasets.Stream) {
	r.refresh()
	r.left(b.Src)
}

// left computes the left parts of the sources.
func (r *Ranker) left(sources []int32) {
	r.z.Gather(r.device, sources, r.head.Vectors())
	r.head.SetLeft(len(sources))
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
	r.left(b.Src[k : k+1])
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
