package dgs

import (
	"fmt"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/internal/head"
)

// Train makes one step of head and recurrent part. States and derivatives
// advance with the parameters that scored.
//
// What the device computes is waited for once, at the end. Until then it has
// changed nothing that lasts if the batch's features, loss or gradients are
// not finite (kernels.Checks).
func (m *Model) Train(b datasets.Stream, negatives []int32) (float64, error) {
	if err := m.show(b); err != nil {
		return 0, err
	}
	if m.learning == nil {
		if err := m.checkMemory(); err != nil {
			return 0, err
		}
		var err error
		if m.learning, err = m.newLearning(); err != nil {
			return 0, err
		}
	}
	m.states.settle()
	if m.setup.Task == models.NodeClassification {
		return m.trainLabels(b)
	}
	return m.trainPairs(b, negatives)
}

// show puts the batch's features on the device. Buckets are found by the
// host, and only of good ones.
func (m *Model) show(b datasets.Stream) error {
	m.net.feed(b)
	m.device.Watch()
	m.device.Write(m.net.Buffer(m.net.x), b.Feat)
	if m.encoder == nil {
		return nil
	}
	m.look()
	if m.device.FirstBad(nil, nil) >= 0 {
		return models.BadFeature(b)
	}
	m.device.Write(m.net.Buffer(m.net.e), m.encoder.encode(b))
	return nil
}

// see makes the device look for bad features, unless it has.
func (m *Model) see() {
	if m.encoder == nil {
		m.look()
	}
}

func (m *Model) look() { m.device.See(len(m.net.feeds.batch.Feat), m.net.Buffer(m.net.x)) }

// trainLabels: the loss is about the sources' states after their events.
func (m *Model) trainLabels(b datasets.Stream) (float64, error) {
	labelled := m.net.head.TargetLabels(b)
	m.listLabels(b)
	f := &m.learning.withoutLoss
	if labelled {
		f = &m.learning.withLoss
		m.net.head.Training().Draw()
	}
	f.calls.Run()
	switch d := m.learning.derivatives; {
	case d == nil:
		m.states.mix(len(m.states.writes), f.values, m.states.after)
	case labelled:
		d.prepare(f.values)
		d.contract(m.learning.gradients, f.values)
	default:
		d.prepare(f.values)
		d.advance()
	}
	m.keep()
	if labelled {
		return m.step(b)
	}
	if m.device.FirstBad(nil, nil) >= 0 {
		m.refuse()
		return 0, models.BadFeature(b)
	}
	return 0, nil
}

// listLabels puts the row numbers of the batch on the device.
func (m *Model) listLabels(b datasets.Stream) {
	t, l := m.states, m.learning
	t.plan(b, 0)
	copy(t.rows.ends.host, b.Src)
	copy(l.second.host, b.Dst)
	if d := l.derivatives; d != nil {
		d.batch.list(t.writes, nil)
		d.batch.locate(b.Src, t.rows.positions)
		d.batch.locate(b.Dst, l.secondPositions)
	}
	t.lists.write(allLists)
}

// trainPairs: the loss is about states from before the batch.
func (m *Model) trainPairs(b datasets.Stream, negatives []int32) (float64, error) {
	h, l, d := m.net.head, m.learning, m.learning.derivatives
	h.TargetPairs(b)
	m.listPairs(b, negatives)
	h.Training().Draw()
	l.withLoss.calls.Run()
	d.prepare(l.withLoss.values)
	d.contract(l.gradients, l.withLoss.values)
	m.keep()
	loss, err := m.step(b)
	if m.ranker != nil {
		m.ranker.EverythingChanged()
	}
	return loss, err
}

// listPairs puts the row numbers of the batch on the device. Pairs are source
// and destination of every event, then source and negative.
func (m *Model) listPairs(b datasets.Stream, negatives []int32) {
	t, d := m.states, m.learning.derivatives
	t.plan(b, 0)
	pairs := t.rows.ends.host[:0]
	for _, right := range [][]int32{b.Dst, negatives} {
		for k, v := range right {
			pairs = append(pairs, b.Src[k], v)
		}
	}
	d.batch.list(t.writes, negatives)
	d.batch.locate(pairs, t.rows.positions)
	t.lists.write(allLists)
}

// keep makes the new states and derivatives those of their nodes.
func (m *Model) keep() {
	m.learning.any = true
	m.learning.commit(m.states)
	m.written()
}

// step moves all parameters, and waits for what the batch has brought about.
func (m *Model) step(b datasets.Stream) (float64, error) {
	l, t := m.learning, m.net.head.Training()
	m.ahead = nil
	l.step()
	m.net.head.Step()
	loss, err := head.Judge(t, t.Answer(), b)
	bad := t.FirstBad()
	if bad >= 0 {
		m.net.head.TakeBack()
	}
	if bad >= 0 && bad < l.live {
		l.optimiser.TakeBack()
	}
	params := l.gradients.params
	switch first, last := b.EventID(0), b.EventID(b.Len()-1); {
	case err != nil:
		m.refuse()
		return 0, err
	case bad < 0:
		return loss, nil
	case bad < l.live:
		return 0, fmt.Errorf("gradient of %s on events %d to %d is not finite", params[bad-l.total].Name(), first, last)
	default:
		return 0, fmt.Errorf("%s is not finite after the step on events %d to %d: optimiser.lr %v is too large here",
			params[bad-l.live].Name(), first, last, m.opts.Optimiser.LR)
	}
}

// refuse is for a batch that has changed nothing on the device.
func (m *Model) refuse() {
	if d := m.learning.derivatives; d != nil {
		d.refuse()
	}
}
