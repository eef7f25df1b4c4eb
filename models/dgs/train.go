package dgs

import (
	"fmt"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Train makes one step of the head, alpha, beta and W on the batch and commits
// its states and their derivatives, which are computed with the parameters from
// before the step.
//
// The calls are queued on the device and waited for once, at the end. If the
// loss, a gradient, a parameter or a new state is bad by then (kernels.Checks),
// the device has skipped all that lasts beyond the batch, and the host rolls
// back what it has counted.
func (m *Model) Train(b datasets.Stream, negatives []int32) (float64, error) {
	if err := models.CheckFeatures(b); err != nil {
		return 0, err
	}
	if m.training == nil {
		t, err := m.newTraining()
		if err != nil {
			return 0, err
		}
		m.training = t
	}
	t, s, h := m.training, m.states, m.net.head
	s.compact()

	// Inputs: features, targets, and the rows of the states that are read.
	m.net.setBatch(b)
	m.device.ResetChecks()
	m.device.Write(m.net.Buffer(m.net.x), b.Feat)
	if t.oneHot != nil {
		m.device.Write(m.net.Buffer(m.net.e), t.oneHot.encode(b))
	}
	hasLoss := true
	if m.setup.Task == protocol.LinkPrediction {
		h.TargetPairs(b)
	} else {
		hasLoss = h.TargetLabels(b)
	}
	m.listRows(b, negatives)

	// E(F), alpha and beta; and the loss with its gradients by all parameters
	// and by the states before the batch, one step deep.
	pass := &t.withoutLoss
	if hasLoss {
		pass = &t.withLoss
		h.Training().Draw()
	}
	pass.calls.Run()

	// The new states (equation 2) with their derivatives.
	if t.derivatives == nil {
		s.mix(len(s.writes), pass.values, s.after)
	} else {
		t.derivatives.mix(pass.values)
	}
	t.checkStates = m.device.CheckFinite(len(s.writes)*s.size, s.after)
	if t.derivatives != nil && hasLoss {
		t.derivatives.contract(pass.values)
	}
	if t.derivatives != nil {
		t.derivatives.stepJacobians(pass.values, hasLoss)
	}

	// The step.
	if hasLoss {
		m.ahead = nil // it has the old parameters
		if t.step != nil {
			t.step()
		}
		h.Step()
	}

	// The commit of states and derivatives.
	t.hasDerivatives = true
	m.device.CommitRows(len(s.writes), s.size, t.tables, t.staged, s.self.onDevice)
	m.Ranker.InvalidateAll()
	if hasLoss {
		return m.finish(b)
	}
	if m.device.FirstBad(nil, nil) >= 0 {
		m.rollback()
		return 0, models.BadState(b)
	}
	return 0, nil
}

// listRows uploads the row numbers of the batch: those of its writes, and for
// each input of the head the nodes whose states it reads.
func (m *Model) listRows(b datasets.Stream, negatives []int32) {
	t, s := m.training, m.states
	s.listWrites(b, 0)
	if m.setup.Task == protocol.LinkPrediction {
		pairs := t.inputs[0].nodes.host[:0]
		for _, right := range [...][]int32{b.Dst, negatives} {
			for k, v := range right {
				pairs = append(pairs, b.Src[k], v)
			}
		}
	} else {
		copy(t.inputs[0].nodes.host, b.Src)
		copy(t.inputs[1].nodes.host, b.Dst)
		negatives = nil
	}
	if d := t.derivatives; d != nil {
		d.listTouched(negatives)
		for _, in := range t.inputs {
			for i, n := range in.nodes.host[:in.perEvent*b.Len()] {
				in.positions.host[i] = d.touched.At(n)
			}
		}
	}
	s.upload(s.endPositions)
}

// input is an input of the head that holds states from before the batch.
type input struct {
	node      *nn.Node
	perEvent  int  // states of it
	nodes     list // whose states these are
	positions list // of the nodes among those that the batch touches
}

// backpropagate computes the loss and its gradients, and adds those by the
// states before the batch up by node, for the derivatives to meet them.
func (m *Model) backpropagate() {
	t, s, events := m.training, m.states, m.net.batch.Len()
	for _, in := range t.inputs {
		m.device.GatherRows(in.perEvent*events, s.nodes, s.size, m.net.Buffer(in.node), s.first, in.nodes.onDevice)
	}
	h := m.net.head.Training()
	h.Compute()
	if t.derivatives != nil {
		m.device.Zero(t.derivatives.weights.Len(), t.derivatives.weights)
		for _, in := range t.inputs {
			t.derivatives.addWeights(in.perEvent*events, h.InputGradients[in.node], in.positions)
		}
	}
	if m.setup.Task == protocol.LinkPrediction { // where the loss reads no embeddings of the batch
		t.embed.Run()
	}
}

// stepRecurrent moves alpha, beta and W.
func (m *Model) stepRecurrent() {
	t := m.training
	if t.derivatives != nil {
		t.derivatives.finishGradients()
		if t.own != nil {
			for i, total := range t.gradients.Buffers {
				m.device.Add(total.Len(), total, t.own[i], t.derivatives.pastGradients[m.net.learned[i]])
			}
		}
	}
	t.checkGradients = t.gradients.Check(m.device)
	t.checkParams = t.params.Check(m.device)
	t.optimiser.Step(t.params, t.gradients)
	if m.opts.Range == Clamp {
		for _, p := range []*nn.Node{m.net.alpha.bias, m.net.beta.bias} {
			b := m.net.Buffer(p)
			m.device.Clamp(b.Len(), b, 0, 1)
		}
	}
}

// finish waits for the device and returns the loss, or rolls back.
func (m *Model) finish(b datasets.Stream) (float64, error) {
	t, h := m.training, m.net.head.Training()
	loss, err := head.CheckLoss(h, h.Answer(), b)
	bad := h.FirstBad
	if bad < 0 && err == nil {
		return loss, nil
	}
	m.net.head.Rollback()
	if t.step != nil {
		t.optimiser.Rollback()
	}
	m.rollback()
	if t.derivatives != nil && bad >= t.checkGradients { // the Jacobians have made their step
		t.derivatives.forgetJacobians()
	}
	switch where := fmt.Sprintf("training on events %d to %d", b.EventID(0), b.EventID(b.Len()-1)); {
	case err != nil:
		return 0, err
	case bad == t.checkStates:
		return 0, models.BadState(b)
	case bad < t.checkParams:
		return 0, fmt.Errorf("%s: gradient of %s is not within ±%g", where, m.net.learned[bad-t.checkGradients].Name(), kernels.MaxMagnitude)
	default:
		return 0, fmt.Errorf("%s: %s is not within ±%g: optimiser.lr %v is too large here",
			where, m.net.learned[bad-t.checkParams].Name(), kernels.MaxMagnitude, m.opts.Optimiser.LR)
	}
}

// rollback forgets what the host has counted of a batch that the device has
// not committed.
func (m *Model) rollback() {
	if d := m.training.derivatives; d != nil {
		d.freeNewSlots()
	}
}

// training is what Train needs and inference does not.
type training struct {
	oneHot                *oneHot // for buckets
	inputs                []input
	embed                 *nn.Program // E, alpha and beta
	withLoss, withoutLoss pass

	params, gradients *nn.Group        // alpha, beta and W
	own               []kernels.Buffer // what gradients have of the batch itself; nil if that is all, or nothing
	optimiser         optimiser
	step              func() // stepRecurrent; nil if nothing below the head learns

	derivatives    *derivatives // nil unless the gradient is forward
	hasDerivatives bool         // some may not be zero

	tables, staged kernels.Group // states and their derivatives by alpha and beta; new rows of them

	// Numbers of the first buffers among those that the device has checked.
	checkStates, checkGradients, checkParams int
}

// optimiser is that of alpha, beta and W.
type optimiser interface {
	Step(params, gradients *nn.Group)
	Rollback()
}

// pass is the calls that begin a batch, and what they compute.
type pass struct {
	calls  *nn.Repeated
	values values
}

func (m *Model) newTraining() (*training, error) {
	if err := m.checkMemory(); err != nil {
		return nil, err
	}
	t, s, n := &training{}, m.states, m.net
	if n.buckets != nil {
		t.oneHot = newOneHot(n.buckets, m.setup.MaxBatch)
	}
	h := n.head.Training()
	t.embed = n.Compile(nn.ForTraining, n.outputs()...)
	embedded := n.valuesOf(t.embed.Buffer)
	if m.setup.Task == protocol.LinkPrediction {
		t.inputs = []input{{n.pairs, 4, s.ends, s.endPositions}}
		t.withLoss = pass{n.RepeatedCalls(m.backpropagate, h.Program, t.embed), embedded}
	} else {
		for i, node := range []*nn.Node{n.self, n.other} {
			lo, hi := 2*i*m.setup.MaxBatch, 2*(i+1)*m.setup.MaxBatch
			t.inputs = append(t.inputs, input{node, 1, s.ends.slice(m.device, lo, hi), s.endPositions.slice(m.device, lo, hi)})
		}
		t.withLoss = pass{n.RepeatedCalls(m.backpropagate, h.Program), n.valuesOf(h.Buffer)}
		t.withoutLoss = pass{n.RepeatedCalls(t.embed.Run, t.embed), embedded}
	}
	tables, staged := []kernels.Buffer{s.first}, []kernels.Buffer{s.after}
	if m.opts.Gradient == Forward {
		d := newDerivatives(n, s, m.setup)
		t.derivatives = d
		tables, staged = append(tables, d.a, d.b), append(staged, d.forward.Alpha.Dst, d.forward.Beta.Dst)
	}
	t.tables, t.staged = m.device.NewGroup(tables...), m.device.NewGroup(staged...)
	if m.opts.Gradient != None {
		m.addStep(t)
	}
	return t, nil
}

// addStep adds the step of alpha, beta and W.
func (m *Model) addStep(t *training) {
	o, n := m.opts.Optimiser, m.net
	var params, gradients []kernels.Buffer
	for _, p := range n.learned {
		params = append(params, n.Buffer(p))
	}
	inBatch := n.head.Training().Gradients.Buffers // those of the batch itself come first
	switch {
	case m.opts.Gradient == Truncated:
		gradients = inBatch[:len(params)]
	case m.setup.Task == protocol.LinkPrediction: // all comes from the states before the batch
		for _, p := range n.learned {
			gradients = append(gradients, t.derivatives.pastGradients[p])
		}
	default:
		t.own = inBatch[:len(params)]
		for _, p := range params {
			gradients = append(gradients, m.device.NewBuffer(p.Len()))
		}
	}
	t.params, t.gradients = nn.NewGroup(m.device, params...), nn.NewGroup(m.device, gradients...)
	t.step = n.RepeatedCalls(m.stepRecurrent).Run
	switch o.Method {
	case Adam:
		t.optimiser = nn.NewAdam(m.device, o.LR, o.WeightDecay)
		t.step = m.stepRecurrent // whose calls differ from step to step
	case RMSProp:
		t.optimiser = nn.NewRMSProp(m.device, o.LR, o.WeightDecay)
	default:
		t.optimiser = nn.NewSGD(m.device, o.LR, o.Momentum, o.WeightDecay)
	}
}
