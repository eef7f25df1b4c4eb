package memory

import (
	"sync/atomic"

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
	finder   *lastwrite.Finder
	writes   []lastwrite.Write
	events   *nn.Rows
	features *nn.Node    // of all events
	sources  *occurrence // of all events
	targets  *occurrence // as destinations: of those events that are their nodes' last, or of all
	late     *late       // the features of targets; nil where they are those of all events
	around   *around     // the sources' neighbours; nil where embeddings are of one memory
	site     Site
	since    *nn.Fed // times since the sources' last updates
	deltas   []float32
	out      *nn.Node    // embeddings
	update   *nn.Program // memories alone

	batch datasets.Stream
	bad   atomic.Bool // a program has found a feature that cannot be fed
}

func newPerEvent(b *base) (*perEvent, error) {
	p := &perEvent{base: b, finder: lastwrite.NewFinder(b.setup.NumNodes), events: nn.NewRows(b.setup.MaxBatch)}
	net := b.core.Net
	p.features = net.Input("event.features", p.events, b.core.width)
	b.x = net.Buffer(p.features)
	if b.setup.NumFeat > 0 {
		net.Feed(p.features, nn.FromHostWithin(b.core.width, func() []float32 { return p.batch.Feat }, &p.bad))
	}
	rows, features := p.events, p.features
	if !b.device.Wide() {
		p.late = newLate(b)
		rows, features = p.late.rows, p.late.node
	}
	var err error
	if p.sources, err = newOccurrence(b.core, "event.source", p.events, p.features); err != nil {
		return nil, err
	}
	if p.targets, err = newOccurrence(b.core, "event.target", rows, features); err != nil {
		return nil, err
	}
	if err := p.embed(); err != nil {
		return nil, err
	}
	p.update, err = net.Compile(nn.ForInference, p.wanted().InInference...)
	return p, err
}

// embed puts the embedding on top of the sources' memories.
func (p *perEvent) embed() (err error) {
	batch, vectors := p.setup.MaxBatch, p.sources.out
	place := Place{Centres: batch, Training: true, Apart: p.events}
	if steps := p.embedding.Steps(); steps > 0 {
		if p.around, err = newAround(p.core, steps, vectors, p.events, p.embedding.Most(batch)-batch); err != nil {
			return err
		}
		vectors, place.Around = p.around.vectors, p.around.node
	}
	if p.site, err = p.embedding.Site("event", vectors, place); err != nil {
		return err
	}
	p.since = p.core.Net.FromHost("event.dt", p.events, 1, func() []float32 { return p.deltas })
	p.out, err = p.embedding.At(p.site.Out(), p.since.Node)
	return err
}

func (p *perEvent) embeddings() (*nn.Node, *nn.Rows) { return p.out, p.events }

// wanted are the memories. In inference they are not kept, but put away. The
// features are, for whoever inserts them.
func (p *perEvent) wanted() nn.Wanted {
	memories := []*nn.Node{p.sources.out, p.targets.out}
	if p.around == nil {
		return nn.Wanted{InTraining: memories, InInference: memories}
	}
	return nn.Wanted{InTraining: memories, InInference: append([]*nn.Node{p.features}, memories...)}
}

// check leaves features to the programs.
func (p *perEvent) check(b datasets.Stream) error { return models.CheckClock(b) }

// prepare sets the batch up for its sources to be classified.
func (p *perEvent) prepare(b datasets.Stream, _ bool) {
	p.occur(b)
	p.deltas = p.deltas[:0]
	for k, n := range b.Src {
		p.deltas = append(p.deltas, p.embedding.Elapsed(Source, b.Time[k]-p.core.Updated[n]))
	}
	listed := p.site.List(b.Src)
	if p.around != nil {
		p.around.list(b.Len(), listed)
		p.site.Write(p.around.rows, p.around.updated)
	}
}

// occur lists the occurrences that count: all sources, and destinations that
// are the last occurrence of their node.
func (p *perEvent) occur(b datasets.Stream) {
	p.batch = b
	p.bad.Store(false)
	p.events.Set(b.Len())
	p.sources.start()
	p.targets.start()
	for k, u := range b.Src {
		p.sources.add(u, b.Dst[k], b.Time[k])
		if p.late == nil {
			p.targets.add(b.Dst[k], u, b.Time[k])
		}
	}
	if p.late != nil {
		p.late.start()
	}
	p.writes = p.finder.Writes(b)
	for _, w := range p.writes {
		switch k := int(w.Event); {
		case w.Self == b.Src[k]: // both ends of a self-loop get the same
			p.sources.keep(k, w.Self)
		case p.late == nil:
			p.targets.keep(k, w.Self)
		default:
			p.targets.add(w.Self, w.Other, b.Time[k])
			p.targets.keep(p.late.add(b, k), w.Self)
		}
	}
}

// write is for programs that train.
func (p *perEvent) write() {
	p.since.Write()
	p.sources.write()
	p.targets.write()
	if p.late != nil {
		p.late.write()
	}
	if p.around != nil {
		p.around.write()
	}
	p.site.Fill()
}

// refused reports what the programs have found.
func (p *perEvent) refused(b datasets.Stream) error {
	if p.bad.Load() {
		return models.BadFeature(b)
	}
	return nil
}

// takeBack has nothing to do: the nodes still have the memories from before.
func (p *perEvent) takeBack() {}

// finish keeps the memories of the last occurrences, and the events.
func (p *perEvent) finish(b datasets.Stream, trained *nn.Training) {
	if trained != nil {
		p.sources.put(trained.Buffer(p.sources.out))
		p.targets.put(trained.Buffer(p.targets.out))
	}
	for _, w := range p.writes {
		p.core.rows.Turn(w.Self)
		p.core.Updated[w.Self] = b.Time[w.Event]
	}
	p.embedding.Insert(b, p.x)
}

// observe folds a batch in that is not classified.
func (p *perEvent) observe(b datasets.Stream, _ bool) error {
	p.occur(b)
	p.update.Run()
	if err := p.refused(b); err != nil {
		return err
	}
	p.finish(b, nil)
	return nil
}

func (p *perEvent) reset() {
	p.core.forget()
	p.embedding.Reset()
}

func (p *perEvent) tensors() []models.Tensor {
	return append(p.core.tensors(), p.embedding.Tensors()...)
}

func (p *perEvent) fits(saved []models.Tensor) error {
	if err := p.core.check(saved); err != nil {
		return err
	}
	return p.embedding.Check(saved[coreTensors:])
}

func (p *perEvent) restore(saved []models.Tensor) {
	p.core.restore(saved)
	p.embedding.Restore(saved[coreTensors:])
}
