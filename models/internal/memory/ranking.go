package memory

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models/nodelist"
	"dgsbench/models/pairrank"
	"dgsbench/nn"
)

// ranking ranks destinations by kept memories.
type ranking struct {
	*pairrank.Ranker
	core      *Core
	embedding *embedding
	nodes     *nodelist.List
	rows      *nn.Rows // memories that are read
	id        *nn.Node
	site      *site
	lookup    *lookup
	untimed   *nn.Program // the lookup's rows
	timed     *nn.Program // and those at their times
	updated   []float64
}

// newRanking serves chunks of nodes, and the sources of a batch.
func newRanking(m *Model) *ranking {
	const name = "ranking"
	net, centres := m.core.Net, max(nn.PairChunk, m.setup.MaxBatch)
	r := &ranking{
		core: m.core, embedding: m.embedding, nodes: nodelist.New(m.setup.NumNodes), rows: nn.NewRows(m.embedding.maxMemories(centres)),
	}
	r.id = net.Index(name+".id", r.rows)
	at := place{centres: centres}
	if a := m.embedding.attention; a != nil {
		_, edges := a.ring.Bounds(centres, len(a.layers))
		a.projected = newProjections(a, name, edges)
		at.projected = a.projected
	}
	r.site = m.embedding.site(name, nn.Gather(m.core.Table, r.id), at)
	r.lookup = newLookup(m.embedding, net, name, r.site.out, nn.NewRows(centres))
	r.untimed = net.Compile(nn.ForInference, r.lookup.untimed)
	r.timed = net.Compile(nn.ForInference, r.lookup.out)
	p, width := m.decoder, m.embedding.width
	layers := nn.PairLayers{
		Left: width, Right: width, Width: width,
		LeftW: net.Buffer(p.Left), LeftBias: net.Buffer(p.LeftBias),
		RightW: net.Buffer(p.Right), RightBias: net.Buffer(p.RightBias),
		Out: net.Buffer(p.Out),
	}
	if m.embedding.projection == nil {
		r.Ranker = pairrank.New(m.device, layers, r, m.setup)
		return r
	}
	q := &projected{ranking: r, right: layers.RightW, base: m.device.NewBuffer(width * width), slope: m.device.NewBuffer(width * width)}
	layers.RightW, layers.Slope = q.base, q.slope
	r.Ranker = pairrank.New(m.device, layers, q, m.setup)
	return r
}

// InvalidateAll is called when parameters, memories or events may all be new.
func (r *ranking) InvalidateAll() {
	if a := r.embedding.attention; a != nil {
		a.projected.forgetAll()
	}
	r.Ranker.InvalidateAll()
}

// prepare lists the memories that the embeddings of the nodes are made of
// and returns the rows of the centres.
func (r *ranking) prepare(nodes []int32) []int32 {
	r.nodes.Reset()
	r.nodes.Add(nodes...)
	listed := r.site.list(r.nodes.Nodes)
	r.rows.Set(len(listed))
	r.core.device.WriteInts(r.core.Net.Ints(r.id), listed)
	r.updated = r.core.appendUpdated(r.updated[:0], listed)
	return r.site.write(r.core.upTo(len(listed)), r.updated)
}

// Gather writes the nodes' embeddings, without time, to dst.
func (r *ranking) Gather(nodes []int32, dst kernels.Buffer) {
	at := r.prepare(nodes)
	r.lookup.reset()
	for _, n := range nodes {
		r.lookup.add(at[r.nodes.At(n)], Destination, 0)
	}
	r.run(r.untimed, r.lookup.untimed, len(nodes), dst)
}

// run copies the result of a program.
func (r *ranking) run(p *nn.Program, out *nn.Node, rows int, dst kernels.Buffer) {
	p.Run()
	width := r.embedding.width
	r.core.device.CopyRows(rows, width, dst, width, p.Buffer(out), width)
}

// projected is the ranking by Jodie's projection. A candidate's part of the
// decoder is linear in time, z W = x (1 + b) W + dt x w W, and need not be
// computed for every time.
type projected struct {
	*ranking
	right       kernels.Buffer // W
	base, slope kernels.Buffer // (1 + b) W and w W, which scale its rows
}

// ParametersChanged computes base and slope.
func (p *projected) ParametersChanged() {
	d, net := p.core.device, p.core.Net
	w, base, slope := make([]float32, p.right.Len()), make([]float32, p.embedding.width), make([]float32, p.embedding.width)
	d.Read(w, p.right)
	d.Read(base, net.Buffer(p.embedding.projection.b))
	d.Read(slope, net.Buffer(p.embedding.projection.w))
	for i := range base {
		base[i]++
	}
	d.Write(p.base, scaledRows(w, base))
	d.Write(p.slope, scaledRows(w, slope))
}

// scaledRows is a matrix with each row times a number.
func scaledRows(matrix, by []float32) []float32 {
	out, cols := make([]float32, len(matrix)), len(matrix)/len(by)
	for i, x := range matrix {
		out[i] = x * by[i/cols]
	}
	return out
}

// GatherSources writes the embeddings of the sources at their events' times.
func (p *projected) GatherSources(b datasets.Stream, dst kernels.Buffer) {
	at := p.prepare(b.Src)
	p.lookup.reset()
	for k, n := range b.Src {
		p.lookup.add(at[p.nodes.At(n)], Source, b.Time[k]-p.core.Updated[n])
	}
	p.run(p.timed, p.lookup.out, b.Len(), dst)
}

// Times splits the elapsed time of a destination, which is linear, at the time
// of the batch's first event: both parts stay small where they must be exact.
func (p *projected) Times(b datasets.Stream, events, nodes []float32) {
	zero := p.embedding.elapsed(Destination, 0)
	for k, t := range b.Time {
		events[k] = p.embedding.elapsed(Destination, t-b.Time[0]) - zero
	}
	for n, t := range p.core.Updated {
		nodes[n] = p.embedding.elapsed(Destination, b.Time[0]-t)
	}
}

var _ pairrank.Timed = (*projected)(nil)
