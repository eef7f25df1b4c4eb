package dgs

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// ahead answers batches that are known in advance. Neither embedding nor head
// feeds back into the states, so the events of many batches are embedded in
// one product, then states advance batch after batch, and what becomes of all
// the sources is scored in one product.
type ahead struct {
	batch    int              // events
	capacity int              // events, of whole batches
	net      *network         // it embeds, and its head reads after
	values   values           // embeddings
	after    kernels.Buffer   // states of the sources
	batches  []kernels.Buffer // the same, cut
}

// aheadEvents are embedded at once, or one batch if that is more.
const aheadEvents = 4096

var _ models.Ahead = (*Model)(nil)

// ClassifyAhead is Classify on batches of the part, one after the other.
func (m *Model) ClassifyAhead(part datasets.Stream, batch int, logits []float32) error {
	if m.setup.Task != protocol.NodeClassification {
		return models.ErrTask
	}
	if m.ahead == nil || m.ahead.batch != batch {
		m.ahead = m.newAhead(batch)
	}
	if err := models.CheckFeatures(part); err != nil {
		return err
	}
	a := m.ahead
	m.states.settle()
	for lo := 0; lo < part.Len(); lo += a.capacity {
		hi := min(lo+a.capacity, part.Len())
		if err := m.classifyAhead(part.Slice(lo, hi), logits[lo:hi]); err != nil {
			m.states.takeBack()
			return err
		}
	}
	m.states.dropAside()
	return nil
}

// newAhead takes the present parameters over.
func (m *Model) newAhead(batch int) *ahead {
	a := &ahead{batch: batch, capacity: max(1, aheadEvents/batch) * batch}
	s, d := m.setup, m.device
	s.MaxBatch = a.capacity
	a.net = newEmbedding(d, m.opts, m.net.size, s, &feeds{encoder: m.encoder})
	a.values = a.net.valuesOf(a.net.embed.Buffer)
	after := a.net.Input("after", a.net.rows, m.net.size)
	a.net.head = head.On(a.net.Network, after, a.net.rows, m.opts.Head, a.capacity, nn.Wanted{})
	a.after = a.net.Buffer(after)
	for first := 0; first < a.capacity; first += batch {
		a.batches = append(a.batches, d.View(a.after, first*m.net.size, batch*m.net.size))
	}
	if err := a.take(m.net.head.Tensors()); err != nil {
		panic(err) // the model's own parameters fit
	}
	return a
}

// take makes the parameters its own.
func (a *ahead) take(params []models.Tensor) error { return a.net.head.Restore(params) }

// classifyAhead answers at most capacity events.
func (m *Model) classifyAhead(part datasets.Stream, logits []float32) error {
	a := m.ahead
	a.net.feed(part)
	a.net.embed.Run()
	for i, rows := range a.batches {
		lo := i * a.batch
		if lo >= part.Len() {
			break
		}
		b := part.Slice(lo, min(lo+a.batch, part.Len()))
		m.states.advance(b, lo, a.values, rows)
		m.folded()
	}
	return a.net.head.Classify(part, logits)
}

// advance computes what becomes of the sources of a batch, whose embeddings
// begin at row first, and folds the batch in.
func (t *states) advance(b datasets.Stream, first int, v values, after kernels.Buffer) {
	copy(t.rows.self.host, b.Src)
	copy(t.rows.other.host, b.Dst)
	for k := range b.Len() {
		t.rows.event.host[k] = int32(first + k)
	}
	t.lists.write(writeLists)
	t.mix(b.Len(), v, after)
	t.stage(b, first, v)
	t.setAside()
	t.commit()
}

// setAside copies the states that are about to be written for the first time
// since settle to the other half, so that they can be taken back.
func (t *states) setAside() {
	before := len(t.aside)
	for _, w := range t.writes {
		if !t.isAside[w.Self] {
			t.isAside[w.Self], t.aside = true, append(t.aside, w.Self)
		}
	}
	t.copyRows(t.otherHalf, t.s, t.aside[before:])
}

// takeBack puts back what was set aside.
func (t *states) takeBack() {
	for nodes := range slices.Chunk(t.aside, gatherRows) {
		t.copyRows(t.s, t.otherHalf, nodes)
	}
	t.dropAside()
}

// dropAside forgets what was set aside.
func (t *states) dropAside() {
	for _, n := range t.aside {
		t.isAside[n] = false
	}
	t.aside = t.aside[:0]
}

// copyRows copies the nodes' rows from one half to the other.
func (t *states) copyRows(to, from kernels.Buffer, nodes []int32) {
	if len(nodes) > 0 {
		t.device.WriteInts(t.index, nodes)
		t.device.MoveRows(len(nodes), t.size, to, t.index, from, t.index)
	}
}
