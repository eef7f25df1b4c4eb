package dgs

import (
	"fmt"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
)

// newLearning makes what training needs, when it starts.
func (m *Model) newLearning() *learning {
	l := &learning{gradients: newGradients(m.net)}
	if m.setup.Task == models.NodeClassification {
		l.values = m.net.valuesOf(m.net.head.Training().Buffer)
	}
	if m.opts.Gradient == Forward {
		l.derivatives = newDerivatives(m.net, m.states, m.setup)
	}
	if o := m.opts.Optimiser; o.Method == Adam {
		l.step = nn.NewAdam(m.device, o.LR, o.WeightDecay).Step
	} else {
		l.step = nn.NewSGD(m.device, o.LR, o.Momentum, o.WeightDecay).Step
	}
	return l
}

// Train makes one step of head and recurrent part. States and derivatives
// advance with the parameters that scored.
func (m *Model) Train(b datasets.Stream, negatives []int32) (float64, error) {
	if err := m.read(b); err != nil {
		return 0, err
	}
	if m.learning == nil {
		if err := m.checkMemory(); err != nil {
			return 0, err
		}
		m.learning = m.newLearning()
	}
	if m.setup.Task == models.NodeClassification {
		return m.trainLabels(b)
	}
	return m.trainPairs(b, negatives)
}

// trainLabels: the loss is about the sources' states after their events.
func (m *Model) trainLabels(b datasets.Stream) (float64, error) {
	m.endpoints(b)
	loss, labelled, err := m.net.head.LossOfLabels(b)
	if err != nil {
		return 0, err
	}
	v := m.learning.values
	if !labelled {
		m.net.embed.Run()
		v = m.embedded
	}
	m.states.stage(b, 0, v)
	l := m.learning
	if labelled {
		l.gradients.start(m.net.head.Training(), true)
	}
	if d := l.derivatives; d != nil {
		d.prepare(b, nil, v)
		if labelled {
			d.batch.add(b.Src, m.net.head.Training().InputGradient(m.net.self))
			d.batch.add(b.Dst, m.net.head.Training().InputGradient(m.net.other))
		}
		d.contract(l.gradients, v)
		d.advance()
	}
	return loss, m.finish(b, labelled)
}

// trainPairs: the loss is about states from before the batch.
func (m *Model) trainPairs(b datasets.Stream, negatives []int32) (float64, error) {
	ends := m.learning.ends(b, negatives)
	m.states.Gather(m.device, ends, m.net.Buffer(m.net.pairs))
	loss, err := m.net.head.LossOfPairs(b)
	if err != nil {
		return 0, err
	}
	m.net.embed.Run()
	m.states.stage(b, 0, m.embedded)
	l := m.learning
	l.gradients.start(nil, false)
	l.derivatives.prepare(b, negatives, m.embedded)
	l.derivatives.batch.add(ends, m.net.head.Training().InputGradient(m.net.pairs))
	l.derivatives.contract(l.gradients, m.embedded)
	l.derivatives.advance()
	err = m.finish(b, true)
	if m.ranker != nil {
		m.ranker.EverythingChanged()
	}
	return loss, err
}

// ends are the nodes of the pairs: source and destination of every event,
// then source and negative.
func (l *learning) ends(b datasets.Stream, negatives []int32) []int32 {
	l.pairs = l.pairs[:0]
	for _, right := range [][]int32{b.Dst, negatives} {
		for k, v := range right {
			l.pairs = append(l.pairs, b.Src[k], v)
		}
	}
	return l.pairs
}

// finish takes the step, if there is a loss, and writes the states.
func (m *Model) finish(b datasets.Stream, step bool) error {
	l := m.learning
	l.any = true
	m.states.commit()
	m.written()
	if !step {
		return nil
	}
	if p := l.gradients.bad(); p != nil {
		return fmt.Errorf("gradient of %s on events %d to %d is not finite", p.Name(), b.EventID(0), b.EventID(b.Len()-1))
	}
	m.ahead = nil
	m.net.head.Step()
	l.step(l.gradients.live, l.gradients.total)
	if m.opts.Range == Clamp {
		m.clamp(m.net.alphaBias, m.net.betaBias)
	}
	if p := l.gradients.diverged(); p != nil {
		return fmt.Errorf("%s is not finite after the step on events %d to %d: optimiser.lr %v is too large here",
			p.Name(), b.EventID(0), b.EventID(b.Len()-1), m.opts.Optimiser.LR)
	}
	return nil
}

// clamp cuts factors off at 0 and 1.
func (m *Model) clamp(factors ...*nn.Node) {
	for _, n := range factors {
		b := m.net.Buffer(n)
		values := make([]float32, b.Len())
		m.device.Read(values, b)
		for i, x := range values {
			values[i] = min(max(x, 0), 1)
		}
		m.device.Write(b, values)
	}
}
