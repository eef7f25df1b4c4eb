package dgs

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/nn"
)

// derivatives are those of all nodes' states by the parameters below the
// head: A by alpha, B by beta (with Input: by their biases) and J by the
// matrices. A node that was never trained on has zeros.
type derivatives struct {
	device kernels.Device
	net    *network
	states *states
	a, b   kernels.Buffer // nodes x size
	shape  kernels.JacobianShape
	j      kernels.Jacobians // nil where the shape has no lanes
	slots  slots

	batch touched
	step  kernels.JacobianStep
	drive *drive // nil without W

	// Scratch, a row a write.
	ones, zeros kernels.Buffer
	direct      kernels.MixtureGrad // derivatives of one step, all else constant
	tangent     kernels.Mixture     // of A or B
	carried     kernels.Buffer
	keep, mix   kernels.Buffer // one row of direct.Self and direct.Other
	sums        kernels.Buffer // of contract
	grad        kernels.Buffer // that of the Jacobians; nil where it is one parameter's
	sections    []section      // of it
	factorLanes []kernels.Buffer
}

func newDerivatives(n *network, t *states, s models.Setup) *derivatives {
	d, most := t.device, 3*s.MaxBatch // sources, destinations, negatives
	rows := func() kernels.Buffer { return d.NewBuffer(2 * s.MaxBatch * n.size) }
	v := &derivatives{
		device: d, net: n, states: t, a: d.NewBuffer(t.nodes * n.size), b: d.NewBuffer(t.nodes * n.size),
		shape: jacobianShape(n.opts, n.size, s.NumFeat), slots: newSlots(t.nodes),
		batch: newTouched(d, t.nodes, most, n.size, t.rows.touched),
		ones:  rows(), zeros: rows(), carried: rows(),
		direct:  kernels.MixtureGrad{Self: rows(), Other: rows(), E: rows(), Alpha: rows(), Beta: rows()},
		tangent: kernels.Mixture{Cols: n.size, PerRow: t.mixture.PerRow, From: &t.from},
		sums:    d.NewBuffer(n.size),
	}
	d.Affine(2*s.MaxBatch*n.size, v.ones, 0, v.zeros, 1)
	v.keep, v.mix = d.View(v.direct.Self, 0, n.size), d.View(v.direct.Other, 0, n.size)
	if v.shape.Lanes() > 0 {
		v.addJacobians(2 * s.MaxBatch)
	}
	return v
}

// addJacobians is for parameters that are matrices.
func (v *derivatives) addJacobians(mostWrites int) {
	d, lanes := v.device, v.shape.Lanes()
	v.j = d.NewJacobians(v.shape)
	v.step = kernels.JacobianStep{Drive: d.NewBuffer(mostWrites * lanes), PerWrite: v.states.mixture.PerRow}
	v.divide()
	if v.net.w != nil {
		v.drive = newDrive(v.net, v.states, v.step.Drive, lanes, mostWrites)
	}
}

// section is a parameter's columns of the Jacobians' gradient; nil where it
// has all of them.
type section struct {
	param   *nn.Node
	columns kernels.Buffer
}

// divide finds the parts of the Jacobians' gradient, and those of the drive
// that belong to alpha and beta.
func (v *derivatives) divide() {
	for _, p := range []*nn.Node{v.net.w, v.net.alphaWeights, v.net.betaWeights} {
		if p != nil {
			v.sections = append(v.sections, section{param: p})
		}
	}
	if len(v.sections) > 1 {
		v.grad = v.device.NewBuffer(v.shape.Features * v.shape.Columns)
		for i := range v.sections {
			column := i * v.net.size
			v.sections[i].columns = v.device.View(v.grad, column, v.grad.Len()-column)
		}
	}
	if v.net.opts.Factors == Input {
		for _, back := range []int{2, 1} {
			lane := v.shape.Lanes() - back*v.net.size
			v.factorLanes = append(v.factorLanes, v.device.View(v.step.Drive, lane, v.step.Drive.Len()-lane))
		}
	}
}

// forget makes all derivatives zero: those of states that are zero, or that
// count as constants.
func (v *derivatives) forget() {
	v.device.Zero(v.states.nodes*v.net.size, v.a)
	v.device.Zero(v.states.nodes*v.net.size, v.b)
	v.slots.reset()
}

// forgetWrites does so for the nodes of the staged writes.
func (v *derivatives) forgetWrites() {
	t := v.states
	t.listWrites()
	v.device.ScatterRows(len(t.writes), t.size, v.a, v.zeros, t.from.Self)
	v.device.ScatterRows(len(t.writes), t.size, v.b, v.zeros, t.from.Self)
	for _, w := range t.writes {
		v.slots.free(w.Self)
	}
}

// list lists what the batch touches, not yet on the device. Its writes are
// planned.
func (v *derivatives) list(negatives []int32) {
	v.batch.list(v.states.writes, negatives)
	if v.drive != nil {
		v.drive.list(v.states.writes)
	}
}

// prepare computes the derivatives of one step, and begins with no gradients
// for what the batch touches. The writes are staged.
func (v *derivatives) prepare(b datasets.Stream, x values) {
	t := v.states
	v.batch.clear()
	v.device.MixGrad(&t.mixture, v.ones, &v.direct)
	if t.mixture.PerRow {
		v.throughSigmoid(v.direct.Alpha, x.alpha, b.Len())
		v.throughSigmoid(v.direct.Beta, x.beta, b.Len())
	}
	if v.j != nil {
		v.prepareStep(b, x)
	}
}

// throughSigmoid makes derivatives by a factor, a row a write, those by its
// logits. factors has a row an event.
func (v *derivatives) throughSigmoid(direct, factors kernels.Buffer, events int) {
	t, n := v.states, len(v.states.writes)
	v.device.GatherRows(n, events, t.size, v.carried, factors, t.from.E)
	v.device.SigmoidGrad(n*t.size, direct, direct, v.carried)
}

// prepareStep fills in what the Jacobians are to do.
func (v *derivatives) prepareStep(b datasets.Stream, x values) {
	t, s := v.states, &v.step
	s.Slots = v.slots.of(v.batch.nodes, s.Slots[:0])
	s.Writes = s.Writes[:0]
	for i, w := range t.writes {
		s.Writes = append(s.Writes, kernels.JacobianWrite{
			Self: int32(i), Other: v.batch.position[w.Other] - 1, Slot: v.slots.take(w.Self), Row: w.Event,
		})
	}
	v.j.Grow(v.slots.next)
	s.Keep, s.Mix = v.keep, v.mix
	if s.PerWrite {
		s.Keep, s.Mix = v.direct.Self, v.direct.Other
	}
	s.X = v.net.Buffer(v.net.x)
	if v.drive != nil {
		v.drive.embedding(len(t.writes), b.Len(), v.direct.E, x)
	}
	if v.net.opts.Factors == Input {
		v.driveFactors(len(t.writes))
	}
}

// driveFactors are the lanes of the matrices of alpha and beta, which come
// last.
func (v *derivatives) driveFactors(rows int) {
	lanes, size := v.shape.Lanes(), v.net.size
	v.device.CopyRows(rows, size, v.factorLanes[0], lanes, v.direct.Alpha, size)
	v.device.CopyRows(rows, size, v.factorLanes[1], lanes, v.direct.Beta, size)
}

// advance carries A and B over the staged writes. The Jacobians have done
// their step.
func (v *derivatives) advance() {
	v.carry(v.a, v.direct.Alpha)
	v.carry(v.b, v.direct.Beta)
}

// carry is table[n] = beta table[n] + (1-beta) alpha table[o] + direct, for
// every write.
func (v *derivatives) carry(table, direct kernels.Buffer) {
	t, d, m := v.states, v.device, &v.tangent
	n := len(t.writes)
	m.Rows, m.Self, m.Other, m.Alpha, m.Beta = n, table, table, t.mixture.Alpha, t.mixture.Beta
	d.Mix(m, v.carried)
	d.ScatterSums(n, t.size, table, v.carried, direct, t.from.Self)
}

// trainedNodes counts the nodes of the training part: those that get a
// Jacobian.
func trainedNodes(train datasets.Stream) int {
	if train.NumNodes == 0 { // none was given
		return 0
	}
	seen := make([]bool, train.NumNodes)
	count := 0
	for _, ends := range [][]int32{train.Src, train.Dst} {
		for _, n := range ends {
			if !seen[n] {
				seen[n] = true
				count++
			}
		}
	}
	return count
}
