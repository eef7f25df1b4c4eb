// Package pairrank ranks destinations for models whose link score is an MLP
// on [z_u || z_v], with one embedding z a node that is constant within a
// batch or linear in time. The candidates' part of the first layer is only
// computed anew where an embedding changed.
package pairrank

import (
	"iter"
	"math"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/nodelist"
	"dgsbench/nn"
)

// Embeddings give nodes' present embeddings.
type Embeddings interface {
	// Gather writes those of the nodes to dst, a row each.
	Gather(nodes []int32, dst kernels.Buffer)
}

// Timed are embeddings that also depend on the time of the question, on the
// side of the candidates by the Slope of the layers: what Gather gives is
// without time there.
type Timed interface {
	Embeddings
	// GatherSources writes the embeddings of the batch's sources at the
	// times of their events to dst, a row an event.
	GatherSources(b datasets.Stream, dst kernels.Buffer)
	// Times says how far a candidate moves: by events[k] + nodes[v] for
	// event k of the batch.
	Times(b datasets.Stream, events, nodes []float32)
	// ParametersChanged is called before any part is computed by parameters
	// that may be new.
	ParametersChanged()
}

// Ranker scores and ranks pairs of nodes. A nil Ranker is that of a model that
// was not built for link prediction.
type Ranker struct {
	head  *nn.PairHead
	z     Embeddings
	timed Timed   // z, or nil
	all   []int32 // every node

	eventTime, nodeTime []float32 // with timed

	fresh   bool // all right parts are there, but for the nodes in changed
	changed *nodelist.List
}

// New ranks by the layers p on the embeddings z.
func New(d kernels.Device, p nn.PairLayers, z Embeddings, s models.Setup) *Ranker {
	r := &Ranker{
		head: nn.NewPairHead(d, p, s.NumNodes, s.MaxBatch), z: z,
		changed: nodelist.New(s.NumNodes),
	}
	for n := range s.NumNodes {
		r.all = append(r.all, int32(n))
	}
	if timed, ok := z.(Timed); ok {
		r.timed, r.eventTime, r.nodeTime = timed, make([]float32, s.MaxBatch), make([]float32, s.NumNodes)
	}
	return r
}

// InvalidateAll is called when the parameters, or all embeddings, are new.
func (r *Ranker) InvalidateAll() {
	if r == nil {
		return
	}
	r.fresh = false
	r.changed.Reset()
}

// Invalidate says that these nodes have a new embedding.
func (r *Ranker) Invalidate(nodes iter.Seq[int32]) {
	if r == nil || !r.fresh {
		return
	}
	for n := range nodes {
		r.changed.Add(n)
	}
}

// refresh brings the right parts up to date.
func (r *Ranker) refresh() {
	nodes := r.changed.Nodes
	if !r.fresh {
		if r.timed != nil {
			r.timed.ParametersChanged()
		}
		nodes = r.all
	}
	for some := range slices.Chunk(nodes, nn.PairChunk) {
		r.z.Gather(some, r.head.Vectors())
		r.head.SetRight(some)
	}
	r.fresh = true
	r.changed.Reset()
}

// prepare makes both parts ready for the batch.
func (r *Ranker) prepare(b datasets.Stream) {
	r.refresh()
	r.left(b)
}

// left computes the left parts of the batch's sources.
func (r *Ranker) left(b datasets.Stream) {
	if r.timed != nil {
		r.timed.GatherSources(b, r.head.Vectors())
		r.timed.Times(b, r.eventTime[:b.Len()], r.nodeTime)
	} else {
		r.z.Gather(b.Src, r.head.Vectors())
	}
	r.head.SetLeft(b.Len())
}

// question asks about the batch.
func (r *Ranker) question(b datasets.Stream, candidates []int32, without [][]int32) kernels.Ranking {
	q := kernels.Ranking{True: b.Dst, Candidates: candidates, Without: without}
	if r.timed != nil {
		q.EventTime, q.NodeTime = r.eventTime[:b.Len()], r.nodeTime
	}
	return q
}

func (r *Ranker) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	if r == nil {
		return models.ErrTask
	}
	r.prepare(b)
	if bad := r.head.Rank(r.question(b, c.Nodes, c.Without), out.Greater, out.Equal); bad >= 0 {
		return r.badScore(b.Slice(bad, bad+1), c.Nodes)
	}
	return nil
}

// badScore finds the score of the one event of b that is not finite.
func (r *Ranker) badScore(b datasets.Stream, candidates []int32) error {
	r.left(b)
	for _, nodes := range [][]int32{b.Dst, candidates} {
		scores := make([]float32, len(nodes))
		r.head.Scores(r.question(b, nodes, nil), scores)
		if err := models.CheckScores(b, scores); err != nil {
			return err
		}
	}
	return &models.BadScore{Event: b.EventID(0), Score: math.NaN()}
}

func (r *Ranker) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	if r == nil {
		return models.ErrTask
	}
	r.prepare(b)
	r.head.Scores(r.question(b, candidates, nil), logits)
	return models.CheckScores(b, logits[:b.Len()*len(candidates)])
}
