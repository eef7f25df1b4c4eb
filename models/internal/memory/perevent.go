package memory

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/halves"
	"dgsbench/models/lastwrite"
	"dgsbench/nn"
)

// perEvent updates, then classifies: every occurrence of a node in a batch
// has a memory of its own, made of those from before the batch. There are no
// waiting messages, so training and evaluation are alike.
type perEvent struct {
	*base
	finder  *lastwrite.Finder
	writes  []lastwrite.Write
	events  *nn.Rows
	sources *occurrence // of all events
	targets *occurrence // as destinations: of those events that are their nodes' last
	both    *occurrence // sources, then targets, which inference puts through the cell together
	around  *around     // the sources' neighbours; nil where embeddings are of one memory
	site    *site
	deltas  []float32   // times since the sources' last updates
	out     *nn.Node    // embeddings
	update  *nn.Program // memories alone

	lastFeatures []float32 // of targets
	bothFeatures []float32
	first        []int32  // rows of sources among both
	features     *nn.Node // of both

	batch datasets.Stream
}

func newPerEvent(m *base) *perEvent {
	p := &perEvent{base: m, finder: lastwrite.NewFinder(m.setup.NumNodes), events: nn.NewRows(m.setup.MaxBatch)}
	net, width := m.core.Net, m.core.width
	features := net.Input("event.features", p.events, width)
	m.x = net.Buffer(features)
	rows, all := net.PaddedRows(m.setup.MaxBatch), nn.NewRows(2*m.setup.MaxBatch)
	p.features = net.Input("event.all", all, width)
	var last *nn.Node
	if m.setup.NumFeat > 0 {
		net.Feed(p.features, nn.FromHostWithin(width, func() []float32 { return p.bothFeatures }, &p.badFeature))
		last = net.FromHost("event.last", rows, width, func() []float32 { return p.lastFeatures })
	} else {
		last = net.Input("event.last", rows, width)
	}
	p.sources = newOccurrence(m.core, "event.source", p.events, features)
	p.targets = newOccurrence(m.core, "event.target", rows, last)
	p.both = newOccurrence(m.core, "event.both", all, p.features)
	net.Drain(p.both.out, nn.DrainTo(m.core.opts.Size, func() kernels.Buffer { return m.core.table }, func() []int32 { return p.both.to }, nil))
	p.embed()
	p.update = net.Compile(nn.ForInference, p.wanted().InInference...)
	return p
}

// embed puts the embedding on top of the sources' memories.
func (p *perEvent) embed() {
	net, batch := p.core.Net, p.setup.MaxBatch
	first := net.ListFromHost("event.first", p.events, func() []int32 { return p.first })
	vectors := nn.TrainingOr(p.sources.out, nn.Gather(p.both.out, first))
	at := place{centres: batch, training: true, apart: p.events}
	if a := p.embedding.attention; a != nil {
		p.around = newAround(p.core, a.opts.Layers, vectors, p.events, a.maxMemories(batch)-batch)
		vectors, at.around = p.around.vectors, p.around.node
	}
	p.site = p.embedding.site("event", vectors, at)
	since := p.embedding.feedTimes(net, "event.dt", p.events, func() []float32 { return p.deltas })
	p.out = p.embedding.at(p.site.out, since)
}

// wanted are the memories. In inference they are not kept, but drained. The
// features are kept, for whoever inserts them.
func (p *perEvent) wanted() nn.Wanted {
	w := nn.Wanted{InTraining: []*nn.Node{p.sources.out, p.targets.out}, InInference: []*nn.Node{p.both.out}}
	if p.around != nil {
		w.InInference = append(w.InInference, p.features)
	}
	return w
}

// prepare sets the batch up for its sources to be classified. Programs for
// inference check its features.
func (p *perEvent) prepare(b datasets.Stream, training bool) error {
	check := models.CheckClock
	if training {
		check = p.upload
	}
	if err := check(b); err != nil {
		return err
	}
	p.setEvents(b)
	p.deltas = p.deltas[:0]
	for k, n := range b.Src {
		p.deltas = append(p.deltas, p.embedding.elapsed(Source, b.Time[k]-p.core.Updated[n]))
	}
	listed := p.site.list(b.Src)
	if p.around != nil {
		p.around.setNodes(b.Len(), listed)
		p.site.write(p.around.rows, p.around.updated)
	}
	if training {
		p.sources.writePlaces()
		p.targets.writePlaces()
	} else {
		p.join()
		if p.around != nil {
			p.site.distinct.list(p.site.graph, p.around.updated)
		}
	}
	return nil
}

// join lists sources and targets for inference.
func (p *perEvent) join() {
	p.both.reset()
	for _, o := range []*occurrence{p.sources, p.targets} {
		p.both.selves, p.both.others = append(p.both.selves, o.selves...), append(p.both.others, o.others...)
		p.both.to, p.both.deltas = append(p.both.to, o.to...), append(p.both.deltas, o.deltas...)
	}
	p.bothFeatures = append(append(p.bothFeatures[:0], p.batch.Feat...), p.lastFeatures...)
	p.first = p.core.upTo(p.batch.Len())
	p.both.rows.Set(len(p.both.to))
}

// setEvents lists the occurrences that count: all sources, and destinations that
// are the last occurrence of their node.
func (p *perEvent) setEvents(b datasets.Stream) {
	p.batch = b
	p.badFeature.Store(false)
	p.sources.reset()
	p.targets.reset()
	p.lastFeatures = p.lastFeatures[:0]
	for k, u := range b.Src {
		p.sources.add(u, b.Dst[k], b.Time[k])
	}
	p.writes = p.finder.Writes(b)
	for _, w := range p.writes {
		k := int(w.Event)
		if w.Self == b.Src[k] { // both ends of a self-loop get the same
			p.sources.keep(k, w.Self)
			continue
		}
		p.targets.keep(p.targets.add(w.Self, w.Other, b.Time[k]), w.Self)
		p.lastFeatures = append(p.lastFeatures, b.Features(k)...)
	}
	p.sources.rows.Set(len(p.sources.to))
	p.targets.rows.Set(len(p.targets.to))
}

// rollback has nothing to do: the nodes still have the memories from before.
func (p *perEvent) rollback() {}

// commit keeps the memories of the last occurrences, and the events.
func (p *perEvent) commit(b datasets.Stream, trained *nn.Training) {
	features := p.core.Net.Buffer(p.features)
	if trained != nil {
		features = p.x
		p.sources.put(trained.Buffer(p.sources.out))
		p.targets.put(trained.Buffer(p.targets.out))
	}
	for _, w := range p.writes {
		p.core.rows.Swap(w.Self)
		p.core.Updated[w.Self] = b.Time[w.Event]
	}
	p.embedding.insert(b, features)
}

func (p *perEvent) observe(b datasets.Stream, _ bool) error {
	if err := models.CheckClock(b); err != nil {
		return err
	}
	p.setEvents(b)
	p.join()
	p.update.Run()
	if err := p.inferenceError(b); err != nil {
		return err
	}
	p.commit(b, nil)
	return nil
}

// occurrence is what becomes of the memories of one end of some events
// (equations 1 and 4): one application of the cell to what was kept before the
// batch. Programs for inference fetch what they need.
type occurrence struct {
	core *Core
	rows *nn.Rows
	out  *nn.Node

	selves, others, to []int32      // rows of both ends, and of where the memory is to be kept, or nowhere
	deltas             []float32    // times since the last updates
	places             kernels.Ints // to
}

// newOccurrence has messages with these features, a row an event.
func newOccurrence(c *Core, name string, rows *nn.Rows, features *nn.Node) *occurrence {
	o := &occurrence{core: c, rows: rows, places: c.device.NewInts(features.Shape()[0])}
	self := nn.Gather(c.Table, c.Net.ListFromHost(name+".self", rows, func() []int32 { return o.selves }))
	other := nn.Gather(c.Table, c.Net.ListFromHost(name+".other", rows, func() []int32 { return o.others }))
	dt := c.Net.FromHost(name+".dt", rows, 1, func() []float32 { return o.deltas })
	o.out = c.memoryAfter(c.message(self, other, features, dt), self)
	return o
}

func (o *occurrence) reset() {
	o.selves, o.others, o.to, o.deltas = o.selves[:0], o.others[:0], o.to[:0], o.deltas[:0]
}

// add lists an event and returns its number in the list. Its memory is not kept.
func (o *occurrence) add(self, other int32, time float64) (number int) {
	o.selves, o.others, o.to = append(o.selves, o.core.rows.Of(self)), append(o.others, o.core.rows.Of(other)), append(o.to, halves.Nowhere)
	o.deltas = append(o.deltas, float32(time-o.core.Updated[self]))
	return len(o.to) - 1
}

// keep says that the memory that is listed as number i is kept for the node.
func (o *occurrence) keep(i int, node int32) { o.to[i] = o.core.rows.Free(node) }

// writePlaces is for put.
func (o *occurrence) writePlaces() { o.core.device.WriteInts(o.places, o.to) }

// put stores what a program has computed that trains.
func (o *occurrence) put(memories kernels.Buffer) {
	o.core.device.PutRows(len(o.to), o.core.opts.Size, o.core.table, memories, o.places)
}

// around is the memories around the sources of events: of neighbours that the
// sources' embeddings are made of, too, each in a row of its own.
type around struct {
	core *Core
	// One step away: node is their memories.
	few  *nn.Rows
	node *nn.Node
	// More steps: the sources' vectors above them.
	both *stacked

	vectors *nn.Node // of the sources, or both
	nodes   []int32  // neighbours, as rows of the table

	// Of sources and neighbours, for site.write.
	rows    []int32
	updated []float64
}

// newAround is for at most maxNeighbours neighbours.
func newAround(c *Core, steps int, vectors *nn.Node, events *nn.Rows, maxNeighbours int) *around {
	const name = "event.around"
	a := &around{core: c, vectors: vectors}
	if steps > 1 {
		a.both = newStacked(c, name, vectors, events, maxNeighbours)
		a.vectors = a.both.out
		return a
	}
	a.few = c.Net.PaddedRows(maxNeighbours)
	a.node = nn.Gather(c.Table, c.Net.ListFromHost(name, a.few, func() []int32 { return a.nodes }))
	return a
}

// setNodes lists nodes, of which the first ones are the sources.
func (a *around) setNodes(sources int, listed []int32) {
	neighbours := len(listed) - sources
	a.nodes, a.updated = a.core.rows.Append(a.nodes[:0], listed[sources:]), a.core.appendUpdated(a.updated[:0], listed)
	if a.both != nil {
		a.both.write(sources, a.nodes)
		a.rows = a.core.upTo(len(listed))
		return
	}
	a.few.Set(neighbours)
	a.rows = append(append(a.rows[:0], a.core.upTo(sources)...), a.core.upTo(neighbours)...)
}

// stacked is rows of some vectors, and below them memories as they are kept:
// as many of each as there are.
type stacked struct {
	core          *Core
	rows, kept    *nn.Rows // of both, and of the memories
	first, second *nn.Node // places of both
	ids           []int32  // of the memories
	out           *nn.Node
}

// newStacked puts at most maxKept kept memories below vectors, which have the
// active rows of upper. Its rows are padded, so that rows of what reads them may
// be.
func newStacked(c *Core, name string, vectors *nn.Node, upper *nn.Rows, maxKept int) *stacked {
	all := vectors.Shape()[0] + maxKept
	e := &stacked{core: c, rows: c.Net.PaddedRows(all), kept: nn.NewRows(maxKept)}
	id := c.Net.ListFromHost(name+".id", e.kept, func() []int32 { return e.ids })
	e.first, e.second = c.Net.Index(name+".first", upper), c.Net.Index(name+".second", e.kept)
	like := c.Net.Input(name+".like", e.rows, 1)
	above := nn.Scatter(vectors, e.first, like)
	e.out = nn.Add(above, nn.Scatter(nn.Gather(c.Table, id), e.second, like))
	return e
}

// write lists above vectors, and memories by their rows of the table.
func (e *stacked) write(above int, memories []int32) {
	d, net, all := e.core.device, e.core.Net, e.core.upTo(above+len(memories))
	e.ids = append(e.ids[:0], memories...)
	e.rows.Set(len(all))
	e.kept.Set(len(memories))
	d.WriteInts(net.Ints(e.first), all[:above])
	d.WriteInts(net.Ints(e.second), all[above:])
}
