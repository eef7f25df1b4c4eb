package memory

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/nn"
)

// perNode classifies by one memory a node, as PyTorch Geometric's module
// gives it, from after the batch or from before it. In training a read
// applies the messages that wait, with a gradient; in evaluation memories
// are up to date.
type perNode struct {
	*waiting
	order   NCOrder
	aside   *aside    // nil where a batch is answered before it changes anything
	sources *nodeList // of a batch
	listed  *nodeList // in training: what embeddings are made of, first
	settled *settled  // nil where the read is all that has a gradient
	reading *reading  // of the memories of the embeddings in training
	vectors *extended // the reading, or in evaluation kept memories
	site    Site
	at      *lookup
	writer  *writer

	rows    []int32 // of the vectors
	updated []float64
}

func newPerNode(b *base, c Classification) (*perNode, error) {
	w, err := newWaiting(b)
	if err != nil {
		return nil, err
	}
	batch, nodes := b.setup.MaxBatch, b.setup.NumNodes
	p := &perNode{
		waiting: w, order: c.NCOrder, sources: newNodeList(nodes), listed: newNodeList(nodes), writer: newWriter(b.core, 2*batch),
	}
	centres := min(batch, nodes)
	if p.order == After {
		p.aside = newAside(b.core, 2*batch)
	}
	most := b.embedding.Most(centres)
	from := memories(kept{b.core})
	if c.NCMemory == PyGLast {
		if p.settled, err = newSettled(b.core, w.store, "settled", w.own, 2*batch, 2*most); err != nil {
			return nil, err
		}
		from = p.settled
	}
	if p.reading, err = newReading(b.core, w.store, "read", from, most+batch, most+batch); err != nil {
		return nil, err
	}
	if p.vectors, err = newExtended(b.core, "kept", p.reading.out, p.reading.rows, most); err != nil {
		return nil, err
	}
	return p, p.embed(centres)
}

// embed puts the embedding on top of the vectors: in inference memories as they
// are kept.
func (p *perNode) embed(centres int) error {
	vectors, err := nn.Instead(p.vectors.out, p.vectors.memories)
	if err != nil {
		return err
	}
	if p.site, err = p.embedding.Site("source", vectors, Place{Centres: centres, Training: true}); err != nil {
		return err
	}
	p.at, err = newLookup(p.embedding, p.core.Net, "source", p.site.Out(), nn.NewRows(p.setup.MaxBatch))
	return err
}

func (p *perNode) embeddings() (*nn.Node, *nn.Rows) { return p.at.out, p.at.rows }

func (p *perNode) wanted() nn.Wanted {
	w := nn.Wanted{InTraining: []*nn.Node{p.reading.out}}
	if p.settled != nil {
		w.InTraining = append(w.InTraining, p.settled.reading.out)
	}
	return w
}

func (p *perNode) check(b datasets.Stream) error { return p.read(b) }

func (p *perNode) refused(datasets.Stream) error { return nil }

// write is for a program that trains.
func (p *perNode) write() {
	p.reading.fill()
	p.vectors.write()
	p.site.Fill()
	p.at.fill()
}

// prepare sets the batch up for its sources to be classified.
func (p *perNode) prepare(b datasets.Stream, training bool) {
	p.rows, p.updated = p.rows[:0], p.updated[:0]
	if training {
		p.learn(b)
	} else {
		p.look(b)
	}
	rows := p.site.Write(p.rows, p.updated)
	p.at.start()
	for k, u := range b.Src {
		i := p.sources.at(u)
		p.at.add(rows[i], Source, b.Time[k]-p.updated[i])
	}
	p.at.set()
}

// list is the nodes whose memories the sources' embeddings are made of.
func (p *perNode) list(b datasets.Stream) []int32 {
	p.sources.start()
	p.sources.add(b.Src)
	return p.site.List(p.sources.nodes)
}

// learn reads with a gradient. Where the batch comes first, its nodes settle
// before it is stored.
func (p *perNode) learn(b datasets.Stream) {
	own := p.ends(b)
	if p.order == After {
		p.aside.copy(own)
		if p.settled != nil {
			p.settled.start(p.blank)
		} else {
			p.settle(own)
		}
		p.store.fold(b, p.x)
	}
	p.listed.start()
	p.listed.add(p.list(b))
	if p.order == Before {
		p.listed.add(own)
	}
	p.reading.list(p.listed.nodes, p.blank)
	if p.settled != nil {
		p.settled.write()
	}
	p.vectors.list(len(p.reading.ids), nil)
	p.rows, p.updated = append(p.rows, p.reading.row...), append(p.updated, p.reading.updated...)
}

// look takes memories as they are kept.
func (p *perNode) look(b datasets.Stream) {
	p.flush()
	if p.order == After {
		p.aside.copy(p.ends(b))
		p.advance(b)
	}
	listed := p.list(b)
	p.reading.list(nil, false)
	if p.settled != nil {
		p.settled.nothing()
	}
	p.vectors.list(0, listed)
	for i, n := range listed {
		p.rows, p.updated = append(p.rows, int32(i)), append(p.updated, p.core.Updated[n])
	}
}

// finish keeps what the read made of the batch's nodes, and the events.
func (p *perNode) finish(b datasets.Stream, trained *nn.Training) {
	p.evaluated = trained == nil
	switch {
	case trained == nil && p.order == Before:
		p.advance(b)
	case p.order == Before:
		p.keep(trained.Buffer(p.reading.out))
		p.store.fold(b, p.x)
	case trained != nil && p.settled != nil:
		p.settled.keep(p.writer, trained)
	}
	p.embedding.Insert(b, p.x)
}

// takeBack takes the batch back that was prepared.
func (p *perNode) takeBack() {
	if p.order == After {
		p.store.takeBack()
		p.aside.putBack()
	}
}

// keep keeps the memories of the batch's nodes as they were read.
func (p *perNode) keep(memories kernels.Buffer) {
	p.rows = p.rows[:0]
	for _, n := range p.own.nodes {
		i := p.listed.at(n)
		p.rows = append(p.rows, p.reading.row[i])
		p.core.Updated[n] = p.reading.updated[i]
	}
	p.writer.list(p.rows, p.own.nodes)
	p.writer.keep(memories)
}

// observe folds a batch in that is not classified.
func (p *perNode) observe(b datasets.Stream, training bool) error {
	if training {
		p.evaluated = false
		p.settle(p.ends(b))
		p.store.fold(b, p.x)
	} else {
		p.flush()
		p.insert(b)
		return nil
	}
	p.embedding.Insert(b, p.x)
	return nil
}
