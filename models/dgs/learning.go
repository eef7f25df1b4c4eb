package dgs

import (
	"dgsbench/kernels"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// learning is what training needs and inference does not. Of a batch's calls
// those that are always the same are made at once (nn.Repeated); in between
// are those whose sizes are the batch's writes and touched nodes.
type learning struct {
	derivatives *derivatives // nil but for Forward
	gradients   *gradients   // nil for None
	optimiser   optimiser
	any         bool // since Reset: there are derivatives to forget

	withLoss, withoutLoss forward
	tables, staged        kernels.Group // states and derivatives by alpha and beta, and new rows of them

	step        func() // of the parameters below the head, which have gradients
	after       int    // place of the new states among what the device has seen of a batch
	total, live int    // places of gradients and parameters

	second, secondPositions list // what belongs to destinations in classification
}

// optimiser is that of the parameters below the head.
type optimiser interface {
	Step(params, gradients *nn.Group)
	Rollback()
}

// forward is what a batch computes first, for its events: from its features
// and lists to the gradients of the touched states.
type forward struct {
	calls  *nn.Repeated
	values values
}

// newLearning makes what training needs, when it starts.
func (m *Model) newLearning() *learning {
	l, t, d := &learning{}, m.states, m.device
	half := 2 * m.setup.MaxBatch
	l.second, l.secondPositions = t.rows.ends.from(d, half), t.rows.positions.from(d, half)
	tables, staged := []kernels.Buffer{t.s}, []kernels.Buffer{t.after}
	if m.opts.Gradient == Forward {
		v := newDerivatives(m.net, t, m.setup)
		l.derivatives = v
		tables, staged = append(tables, v.a, v.b), append(staged, v.carried.Alpha.Dst, v.carried.Beta.Dst)
	}
	l.tables, l.staged = d.NewGroup(tables...), d.NewGroup(staged...)
	m.addForward(l)
	if m.opts.Gradient != None {
		m.addStep(l)
	}
	return l
}

// addForward adds both kinds, and the gradients that they begin.
func (m *Model) addForward(l *learning) {
	n, t := m.net, m.net.head.Training()
	embed := n.Compile(nn.ForTraining, n.outputs()...)
	embedded := n.valuesOf(embed.Buffer)
	if m.setup.Task == protocol.LinkPrediction {
		l.gradients = newGradients(n, nil)
		l.withLoss = forward{n.RepeatedCalls(func() { m.forwardPairs(l, embed) }, t.Program(), embed), embedded}
		return
	}
	l.gradients = newGradients(n, t.Gradients().Buffers)
	l.withLoss = forward{n.RepeatedCalls(func() { m.forwardLabels(l) }, t.Program()), n.valuesOf(t.Buffer)}
	l.withoutLoss = forward{n.RepeatedCalls(embed.Run, embed), embedded}
}

// forwardPairs: the head scores states from before the batch.
func (m *Model) forwardPairs(l *learning, embed *nn.Program) {
	n, rows, t := m.net, &m.states.rows, m.net.head.Training()
	ends := 4 * n.feeds.batch.Len()
	m.states.gather(ends, rows.ends, n.Buffer(n.pairs))
	t.Compute()
	if l.derivatives != nil {
		touched := &l.derivatives.batch
		touched.clear()
		touched.add(ends, t.InputGradient(n.pairs), rows.positions)
	}
	embed.Run()
}

// forwardLabels: the head scores those of the sources after their events.
func (m *Model) forwardLabels(l *learning) {
	n, rows, t := m.net, &m.states.rows, m.net.head.Training()
	events := n.feeds.batch.Len()
	m.states.gather(events, rows.ends, n.Buffer(n.self))
	m.states.gather(events, l.second, n.Buffer(n.other))
	t.Compute()
	if l.derivatives != nil {
		touched := &l.derivatives.batch
		touched.clear()
		touched.add(events, t.InputGradient(n.self), rows.positions)
		touched.add(events, t.InputGradient(n.other), l.secondPositions)
	}
}

// commit puts what is staged into the tables.
func (l *learning) commit(t *states) {
	t.device.CommitRows(len(t.writes), t.size, l.tables, l.staged, t.from.Self)
}

// addStep adds the step. Adam's is a little different each time.
func (m *Model) addStep(l *learning) {
	o, d := m.opts.Optimiser, m.device
	step := func() { m.stepBelow(l) }
	if o.Method == Adam {
		l.optimiser, l.step = nn.NewAdam(d, o.LR, o.WeightDecay), step
	} else {
		l.optimiser, l.step = nn.NewSGD(d, o.LR, o.Momentum, o.WeightDecay), m.net.RepeatedCalls(step).Run
	}
}

// stepBelow moves the parameters below the head.
func (m *Model) stepBelow(l *learning) {
	g := l.gradients
	if l.derivatives != nil {
		l.derivatives.complete(g)
	}
	l.total = g.total.Check(m.device)
	l.live = g.live.Check(m.device)
	l.optimiser.Step(g.live, g.total)
	if m.opts.Range == Clamp {
		m.clamp(m.net.alphaBias, m.net.betaBias)
	}
}

// clamp cuts factors off at 0 and 1.
func (m *Model) clamp(factors ...*nn.Node) {
	for _, n := range factors {
		b := m.net.Buffer(n)
		m.device.Clamp(b.Len(), b, 0, 1)
	}
}
