package memory

import (
	"fmt"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/nn"
)

// learning is the graph of a training batch, from the kept memories to the
// loss, and its optimiser.
type learning struct {
	*Core
	generation int
	nodes      *nodeList // the batch's own first
	own        int
	messages   int // that it has room for
	reading    *reading
	site       Site
	pairs      *nn.Rows // positive ones, then as many negative ones
	left       *lookup
	right      *lookup
	logits     *nn.Node
	program    *nn.Training

	y, w    kernels.Buffer // of the loss
	targets []float32
	weights []float64
	events  int // whose targets these are

	writer *writer
}

// newLearning has room for batches of at most maxBatch events, and where
// the aggregator takes all messages for so many of them. generation tells
// the leaves of one from those of another.
func (m *Model) newLearning(messages, generation int) (l *learning, err error) {
	batch := m.setup.MaxBatch
	centres := min(3*batch, m.setup.NumNodes)
	name := fmt.Sprintf("training %d", generation)
	l = &learning{
		Core: m.core, generation: generation, nodes: newNodeList(m.setup.NumNodes), messages: messages, pairs: nn.NewRows(2 * batch),
		targets: make([]float32, 2*batch), weights: make([]float64, 2*batch),
		writer: newWriter(m.core, 2*batch),
	}
	if l.reading, err = newTrained(m.core, m.store, name, m.embedding.Most(centres), messages); err != nil {
		return nil, err
	}
	if l.site, err = m.embedding.Site(name, l.reading.out, Place{Centres: centres, Training: true}); err != nil {
		return nil, err
	}
	if l.left, err = newLookup(m.embedding, l.Net, name+".left", l.site.Out(), l.pairs); err != nil {
		return nil, err
	}
	if l.right, err = newLookup(m.embedding, l.Net, name+".right", l.site.Out(), l.pairs); err != nil {
		return nil, err
	}
	return l, l.compile(name, m.decoder)
}

// compile adds decoder and loss and makes the program.
func (l *learning) compile(name string, p nn.DecoderParams) (err error) {
	y, w := l.Net.Input(name+".y", l.pairs, 1), l.Net.Input(name+".w", l.pairs, 1)
	l.y, l.w = l.Net.Buffer(y), l.Net.Buffer(w)
	if l.logits, err = nn.PairDecoder(l.left.out, l.right.out, p); err != nil {
		return err
	}
	loss, err := nn.BCE(l.logits, y, w)
	if err != nil {
		return err
	}
	l.program, err = l.Net.NewTraining(loss, nn.Wanted{InTraining: []*nn.Node{l.reading.out, l.logits}})
	return err
}

// list lists what the batch reads: its own nodes, the negatives, and what
// their embeddings are made of.
func (l *learning) list(b datasets.Stream, negatives []int32) []int32 {
	l.nodes.start()
	l.nodes.add(b.Src)
	l.nodes.add(b.Dst)
	l.own = len(l.nodes.nodes)
	l.nodes.add(negatives)
	return l.site.List(l.nodes.nodes)
}

// write prepares the batch. The reading is set up.
func (l *learning) write(b datasets.Stream, negatives []int32) {
	at := l.site.Write(l.reading.row, l.reading.updated)
	l.left.start()
	l.right.start()
	for _, ends := range [][]int32{b.Dst, negatives} {
		for k, v := range ends {
			u := l.nodes.at(b.Src[k])
			l.left.add(at[u], Source, b.Time[k]-l.reading.updated[u])
			v := l.nodes.at(v)
			l.right.add(at[v], Destination, b.Time[k]-l.reading.updated[v])
		}
	}
	l.left.set()
	l.right.set()
	l.left.fill()
	l.right.fill()
	l.writeTargets(b.Len())
	l.reading.fill()
	l.site.Fill()
}

// writeTargets are those of so many events. Batches of one size have the
// same.
func (l *learning) writeTargets(events int) {
	if l.events == events {
		return
	}
	targets, weights := l.targets[:2*events], l.weights[:2*events]
	for k := range targets {
		targets[k], weights[k] = 0, 1/float64(events)
		if k < events {
			targets[k] = 1
		}
	}
	l.device.Write(l.y, targets)
	l.device.WriteFloat64(l.w, weights)
	l.events = events
}

// listOwn lists the batch's own nodes, whose memories persist keeps as they
// were read.
func (l *learning) listOwn() {
	own := l.nodes.nodes[:l.own]
	l.writer.list(l.reading.row[:l.own], own)
	for i, node := range own {
		l.Updated[node] = l.reading.updated[i]
	}
}

// persist keeps them.
func (l *learning) persist() { l.writer.keep(l.program.Buffer(l.reading.out)) }
