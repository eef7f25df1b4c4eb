package dgs

import (
	"fmt"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/protocol"
)

// Train makes one step of head and recurrent part. States and derivatives
// advance with the parameters that scored.
//
// What the device computes is waited for once, at the end. Until then it has
// changed nothing that lasts if the batch's loss, gradients or new states are
// bad (kernels.Checks), but for Jacobians, which are then forgotten.
func (m *Model) Train(b datasets.Stream, negatives []int32) (float64, error) {
	if err := m.show(b); err != nil {
		return 0, err
	}
	if m.learning == nil {
		if err := m.checkMemory(); err != nil {
			return 0, err
		}
		m.learning = m.newLearning()
	}
	m.states.settle()
	if m.setup.Task == protocol.NodeClassification {
		return m.trainLabels(b)
	}
	return m.trainPairs(b, negatives)
}

// show puts the batch's features on the device, if they are good ones, or
// their buckets.
func (m *Model) show(b datasets.Stream) error {
	if err := models.CheckFeatures(b); err != nil {
		return err
	}
	m.net.feed(b)
	m.device.ResetChecks()
	m.device.Write(m.net.Buffer(m.net.x), b.Feat)
	if m.encoder != nil {
		m.device.Write(m.net.Buffer(m.net.e), m.encoder.encode(b))
	}
	return nil
}

// stage computes the new states, at which the device looks, and their
// derivatives, where there are any. With a loss these meet its gradients.
func (m *Model) stage(x values, loss bool) {
	t, l, d := m.states, m.learning, m.learning.derivatives
	if d == nil {
		t.mix(len(t.writes), x, t.after)
	} else {
		d.prepare(x)
	}
	l.after = m.device.CheckFinite(len(t.writes)*t.size, t.after)
	switch {
	case d == nil:
	case loss:
		d.contract(l.gradients, x)
	default:
		d.advance()
	}
}

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
	m.stage(f.values, labelled)
	if labelled {
		return m.step(b)
	}
	m.keep()
	if m.device.FirstBad(nil, nil) >= 0 {
		m.refuse()
		return 0, models.BadState(b)
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
	h, l := m.net.head, m.learning
	h.TargetPairs(b)
	m.listPairs(b, negatives)
	h.Training().Draw()
	l.withLoss.calls.Run()
	m.stage(l.withLoss.values, true)
	loss, err := m.step(b)
	if m.ranker != nil {
		m.ranker.EverythingChanged()
	}
	return loss, err
}

// listPairs puts the row numbers of the batch on the device. Pairs are source
// and destination of every event, then source and negative.
func (m *Model) listPairs(b datasets.Stream, negatives []int32) {
	t := m.states
	t.plan(b, 0)
	pairs := t.rows.ends.host[:0]
	for _, right := range [][]int32{b.Dst, negatives} {
		for k, v := range right {
			pairs = append(pairs, b.Src[k], v)
		}
	}
	if d := m.learning.derivatives; d != nil {
		d.batch.list(t.writes, negatives)
		d.batch.locate(pairs, t.rows.positions)
	}
	t.lists.write(allLists)
}

// keep makes the new states and derivatives those of their nodes.
func (m *Model) keep() {
	m.learning.any = true
	m.learning.commit(m.states)
	m.written()
}

// step moves all parameters, keeps the new states, and waits for what the batch
// has brought about.
func (m *Model) step(b datasets.Stream) (float64, error) {
	l, t := m.learning, m.net.head.Training()
	m.ahead = nil
	if l.gradients != nil {
		l.step()
	}
	m.net.head.Step()
	m.keep()
	loss, err := head.CheckLoss(t, t.Answer(), b)
	bad := t.FirstBad()
	if bad < 0 && err == nil {
		return loss, nil
	}
	m.net.head.Rollback()
	if l.gradients != nil {
		l.optimiser.Rollback()
	}
	m.refuse()
	if d := l.derivatives; d != nil && bad >= l.total { // the Jacobians have made their step
		d.forgetJacobians()
	}
	switch first, last := b.EventID(0), b.EventID(b.Len()-1); {
	case err != nil:
		return 0, err
	case bad == l.after:
		return 0, models.BadState(b)
	case bad < l.live:
		return 0, fmt.Errorf("training on events %d to %d: gradient of %s is not within ±%g", first, last, l.gradients.params[bad-l.total].Name(), kernels.MaxMagnitude)
	default:
		return 0, fmt.Errorf("training on events %d to %d: %s is not within ±%g: optimiser.lr %v is too large here",
			first, last, l.gradients.params[bad-l.live].Name(), kernels.MaxMagnitude, m.opts.Optimiser.LR)
	}
}

// refuse is for a batch that has changed nothing on the device.
func (m *Model) refuse() {
	if d := m.learning.derivatives; d != nil {
		d.refuse()
	}
}
