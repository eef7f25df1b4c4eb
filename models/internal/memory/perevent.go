package memory

import (
	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/internal/lastwrite"
	"dgsbench/nn"
)

// perEvent updates, then classifies: every occurrence of a node in a batch
// has a memory of its own, made of those from before the batch. There are no
// waiting messages, so training and evaluation are alike.
type perEvent struct {
	*base
	finder  *lastwrite.Finder
	sources *occurrence // of all events
	targets *occurrence // as destinations, of those events that are their nodes' last
	picked  *nn.Node    // these events
	around  *extended   // with neighbours' memories; nil where embeddings are of one memory
	site    Site
	at      *lookup
	update  *nn.Program // memories alone

	// What the batch leaves: rows of sources and their nodes, events of
	// targets.
	rows, nodes, late []int32
	writer            *writer
	identity          []int32
	updated           []float64
}

func newPerEvent(b *base, frozen bool) (*perEvent, error) {
	batch := b.setup.MaxBatch
	p := &perEvent{
		base: b, finder: lastwrite.NewFinder(b.setup.NumNodes), writer: newWriter(b.core, batch),
	}
	net, events, late := b.core.Net, nn.NewRows(batch), nn.NewRows(batch)
	x := net.Input("event.features", events, b.core.width)
	b.x = net.Buffer(x)
	p.picked = net.Index("event.late", late)
	some, err := nn.Gather(x, p.picked)
	if err != nil {
		return nil, err
	}
	if p.sources, err = newOccurrence(b.core, "event.source", events, x); err != nil {
		return nil, err
	}
	if p.targets, err = newOccurrence(b.core, "event.target", late, some); err != nil {
		return nil, err
	}
	if err := p.embed(events, frozen); err != nil {
		return nil, err
	}
	p.update, err = net.Compile(nn.ForInference, p.wanted()...)
	return p, err
}

// embed puts the embedding on top of the sources' memories.
func (p *perEvent) embed(events *nn.Rows, frozen bool) error {
	batch := p.setup.MaxBatch
	most, vectors := p.embedding.Most(batch), p.sources.out
	p.identity, p.updated = make([]int32, most), make([]float64, most)
	for i := range p.identity {
		p.identity[i] = int32(i)
	}
	if most > batch {
		var err error
		if p.around, err = newExtended(p.core, "event.around", vectors, events, most-batch); err != nil {
			return err
		}
		vectors = p.around.out
	}
	var err error
	if p.site, err = p.embedding.Site("event", vectors, Place{Centres: batch, Training: !frozen, Apart: true}); err != nil {
		return err
	}
	p.at, err = newLookup(p.embedding, p.core.Net, "event", p.site.Out(), events)
	return err
}

func (p *perEvent) embeddings() *lookup { return p.at }

func (p *perEvent) wanted() []*nn.Node { return []*nn.Node{p.sources.out, p.targets.out} }

// prepare sets the batch up for its sources to be classified.
func (p *perEvent) prepare(b datasets.Stream, _ bool) {
	p.occur(b)
	listed := p.site.List(b.Src)
	for i, n := range listed {
		p.updated[i] = p.core.Updated[n]
	}
	if p.around != nil {
		p.around.write(b.Len(), listed[b.Len():])
	}
	rows := p.site.Write(p.identity[:len(listed)], p.updated[:len(listed)])
	p.at.start()
	for k, n := range b.Src {
		p.at.add(rows[k], Source, b.Time[k]-p.core.Updated[n])
	}
	p.at.write()
}

// occur lists the occurrences that count: all sources, and destinations that
// are the last occurrence of their node.
func (p *perEvent) occur(b datasets.Stream) {
	p.sources.start()
	p.targets.start()
	p.rows, p.nodes, p.late = p.rows[:0], p.nodes[:0], p.late[:0]
	for k, u := range b.Src {
		p.sources.add(u, b.Dst[k], b.Time[k])
	}
	for _, w := range p.finder.Writes(b) {
		if w.Self == b.Src[w.Event] { // both ends of a self-loop get the same
			p.rows, p.nodes = append(p.rows, w.Event), append(p.nodes, w.Self)
		} else {
			p.targets.add(w.Self, w.Other, b.Time[w.Event])
			p.late = append(p.late, w.Event)
		}
	}
	p.sources.write()
	p.targets.write()
	p.device.WriteInts(p.core.Net.Ints(p.picked), p.late)
}

// finish keeps the memories of the last occurrences, which a program has
// computed, and the events.
func (p *perEvent) finish(b datasets.Stream, _ bool, ran program) {
	p.writer.write(ran.Buffer(p.sources.out), b.Len(), p.rows, p.nodes)
	p.device.ScatterRows(len(p.late), p.core.opts.Size, p.core.Net.Buffer(p.core.Table), ran.Buffer(p.targets.out), p.core.Net.Ints(p.targets.self))
	for i, n := range p.nodes {
		p.core.Updated[n] = b.Time[p.rows[i]]
	}
	for i, n := range p.targets.selves {
		p.core.Updated[n] = b.Time[p.late[i]]
	}
	p.embedding.Insert(b, p.x)
}

// observe folds a batch in that is not classified.
func (p *perEvent) observe(b datasets.Stream, training bool) {
	p.occur(b)
	p.update.Run()
	p.finish(b, training, p.update)
}

func (p *perEvent) reset() {
	p.core.forget()
	p.embedding.Reset()
}

func (p *perEvent) tensors() []models.Tensor {
	return append(p.core.tensors(), p.embedding.Tensors()...)
}

func (p *perEvent) restore(saved []models.Tensor) error {
	own := len(p.core.tensors())
	if len(saved) < own {
		return models.Copy(p.core.tensors(), saved)
	}
	if err := p.core.restore(saved[:own]); err != nil {
		return err
	}
	return p.embedding.Restore(saved[own:])
}
