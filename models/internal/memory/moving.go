package memory

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models/internal/pairrank"
	"dgsbench/nn"
)

// Linear is an Embedding that changes with time and is linear in it: At is x
// (base + dt slope), elementwise. A candidate's part of the decoder then is
// linear, too, and need not be computed for every time.
type Linear interface {
	Embedding
	// Factors are base and slope, Width numbers each.
	Factors() (base, slope []float32)
}

// moving is the ranking of a Linear embedding.
type moving struct {
	*ranking
	linear      Linear
	right       kernels.Buffer // of the decoder
	base, slope kernels.Buffer // the same, its rows times base and slope
	fresh       bool
}

// newMoving replaces the right part of the layers.
func newMoving(r *ranking, l Linear, p *nn.PairLayers) *moving {
	d := r.core.device
	m := &moving{ranking: r, linear: l, right: p.RightW, base: d.NewBuffer(p.RightW.Len()), slope: d.NewBuffer(p.RightW.Len())}
	p.RightW, p.Slope = m.base, m.slope
	return m
}

// refresh takes the present parameters over.
func (m *moving) refresh() {
	if m.fresh {
		return
	}
	d := m.core.device
	w := make([]float32, m.right.Len())
	d.Read(w, m.right)
	base, slope := m.linear.Factors()
	for _, part := range []struct {
		factors []float32
		to      kernels.Buffer
	}{{base, m.base}, {slope, m.slope}} {
		scaled, cols := make([]float32, len(w)), len(w)/len(part.factors)
		for i := range scaled {
			scaled[i] = w[i] * part.factors[i/cols]
		}
		d.Write(part.to, scaled)
	}
	m.fresh = true
}

// GatherSources writes the embeddings of the sources at their events' times.
func (m *moving) GatherSources(d kernels.Device, b datasets.Stream, dst kernels.Buffer) {
	at := m.prepare(b.Src)
	m.lookup.start()
	for k, n := range b.Src {
		m.lookup.add(at[m.nodes.at(n)], Source, b.Time[k]-m.core.Updated[n])
	}
	m.run(d, m.ranking.timed, m.lookup.out, b.Len(), dst)
}

// Times splits Elapsed of a destination, which is linear, at the time of the
// batch's first event: both parts stay small where they must be exact.
func (m *moving) Times(b datasets.Stream, events, nodes []float32) {
	zero := m.linear.Elapsed(Destination, 0)
	for k, t := range b.Time {
		events[k] = m.linear.Elapsed(Destination, t-b.Time[0]) - zero
	}
	for n, t := range m.core.Updated {
		nodes[n] = m.linear.Elapsed(Destination, b.Time[0]-t)
	}
}

var _ pairrank.Timed = (*moving)(nil)
