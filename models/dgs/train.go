package dgs

import (
	"fmt"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
)

// newLearning makes what training needs, when it starts.
func (m *Model) newLearning() (*learning, error) {
	l, t := &learning{gradients: newGradients(m.net)}, m.net.head.Training()
	embed, err := m.net.Compile(nn.ForTraining, m.net.outputs()...)
	if err != nil {
		return nil, err
	}
	l.embed, l.embedded = m.net.Repeated(embed), m.net.valuesOf(embed.Buffer)
	if m.setup.Task == models.NodeClassification {
		l.values = m.net.valuesOf(t.Buffer)
	}
	if m.opts.Gradient == Forward {
		l.derivatives = newDerivatives(m.net, m.states, m.setup)
	} else {
		l.gradients.onlyOwn(t)
	}
	if o := m.opts.Optimiser; o.Method == Adam {
		l.optimiser = nn.NewAdam(m.device, o.LR, o.WeightDecay)
	} else {
		l.optimiser = nn.NewSGD(m.device, o.LR, o.Momentum, o.WeightDecay)
	}
	rows, half := &m.states.rows, 2*m.setup.MaxBatch
	l.second, l.secondPositions = rows.ends.from(m.device, half), rows.positions.from(m.device, half)
	return l, nil
}

// Train makes one step of head and recurrent part. States and derivatives
// advance with the parameters that scored.
//
// What the device computes is waited for twice: for the loss and what is not
// finite so far, and for what the step has brought about.
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

// show puts the batch's features on the device, which looks for bad ones.
// Buckets are found by the host, and only of good ones.
func (m *Model) show(b datasets.Stream) error {
	m.net.feed(b)
	x := m.net.Buffer(m.net.x)
	m.device.Watch()
	m.device.Write(x, b.Feat)
	m.device.See(len(b.Feat), x)
	if m.encoder == nil {
		return nil
	}
	if err := m.seen(b); err != nil {
		return err
	}
	m.device.Write(m.net.Buffer(m.net.e), m.encoder.encode(b))
	return nil
}

// seen waits for what the device has found in the features.
func (m *Model) seen(b datasets.Stream) error {
	if m.device.FirstBad(nil, nil) >= 0 {
		return models.BadFeature(b)
	}
	return nil
}

// trainLabels: the loss is about the sources' states after their events.
func (m *Model) trainLabels(b datasets.Stream) (float64, error) {
	m.listLabels(b)
	m.states.gather(b.Len(), m.states.rows.ends, m.net.Buffer(m.net.self))
	m.states.gather(b.Len(), m.learning.second, m.net.Buffer(m.net.other))
	loss, labelled, err := m.net.head.LossOfLabels(b)
	if err != nil {
		return 0, err
	}
	l := m.learning
	v := l.values
	if !labelled {
		if err := m.seen(b); err != nil {
			return 0, err
		}
		l.embed.Run()
		v = l.embedded
	}
	m.states.mix(len(m.states.writes), v, m.states.after)
	if l.derivatives != nil {
		m.differentiateLabels(b, v, labelled)
	}
	return loss, m.finish(b, labelled)
}

// listLabels puts the row numbers of the batch on the device.
func (m *Model) listLabels(b datasets.Stream) {
	t, l := m.states, m.learning
	t.plan(b, 0)
	copy(t.rows.ends.host, b.Src)
	copy(l.second.host, b.Dst)
	if d := l.derivatives; d != nil {
		d.list(nil)
		d.batch.locate(b.Src, t.rows.positions)
		d.batch.locate(b.Dst, l.secondPositions)
	}
	t.lists.write(allLists)
}

// differentiateLabels completes the gradients and carries the derivatives
// forward.
func (m *Model) differentiateLabels(b datasets.Stream, v values, labelled bool) {
	l, d, t := m.learning, m.learning.derivatives, m.net.head.Training()
	d.prepare(b, v)
	l.gradients.start(nil)
	if labelled {
		l.gradients.start(t)
		d.batch.add(b.Len(), t.InputGradient(m.net.self), m.states.rows.positions)
		d.batch.add(b.Len(), t.InputGradient(m.net.other), l.secondPositions)
	}
	d.contract(l.gradients, v)
	d.advance()
}

// trainPairs: the loss is about states from before the batch.
func (m *Model) trainPairs(b datasets.Stream, negatives []int32) (float64, error) {
	m.listPairs(b, negatives)
	t, l := m.states, m.learning
	ends := 4 * b.Len()
	t.gather(ends, t.rows.ends, m.net.Buffer(m.net.pairs))
	loss, err := m.net.head.LossOfPairs(b)
	if err != nil {
		return 0, err
	}
	l.embed.Run()
	t.mix(len(t.writes), l.embedded, t.after)
	d := l.derivatives
	d.prepare(b, l.embedded)
	l.gradients.start(nil)
	d.batch.add(ends, m.net.head.Training().InputGradient(m.net.pairs), t.rows.positions)
	d.contract(l.gradients, l.embedded)
	d.advance()
	err = m.finish(b, true)
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
	d.list(negatives)
	d.batch.locate(pairs, t.rows.positions)
	t.lists.write(allLists)
}

// finish takes the step, if there is a loss, and writes the states.
func (m *Model) finish(b datasets.Stream, step bool) error {
	m.learning.any = true
	m.states.commit()
	m.written()
	if !step {
		return nil
	}
	m.ahead = nil
	return m.step(b)
}

// step moves all parameters, unless a gradient is not finite.
func (m *Model) step(b datasets.Stream) error {
	l, g := m.learning, m.learning.gradients
	g.total.See(m.device)
	m.net.head.Step()
	l.optimiser.Step(g.live, g.total)
	if m.opts.Range == Clamp {
		m.clamp(m.net.alphaBias, m.net.betaBias)
	}
	g.live.See(m.device)
	first, last := b.EventID(0), b.EventID(b.Len()-1)
	switch bad := m.device.FirstBad(nil, nil); {
	case bad < 0:
		return nil
	case bad < len(g.params):
		m.net.head.TakeBack()
		l.optimiser.TakeBack()
		return fmt.Errorf("gradient of %s on events %d to %d is not finite", g.params[bad].Name(), first, last)
	default:
		return fmt.Errorf("%s is not finite after the step on events %d to %d: optimiser.lr %v is too large here",
			g.params[bad-len(g.params)].Name(), first, last, m.opts.Optimiser.LR)
	}
}

// clamp cuts factors off at 0 and 1.
func (m *Model) clamp(factors ...*nn.Node) {
	for _, n := range factors {
		b := m.net.Buffer(n)
		m.device.Clamp(b.Len(), b, 0, 1)
	}
}
