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
	drive *kernels.BlockDerivatives // nil without W
	fresh []int32                   // nodes of the batch that had no slot before

	zeros       kernels.Buffer         // a row a write
	carried     kernels.MixtureForward // of the batch's writes
	keep, mix   kernels.Buffer         // one row of its Step.Self and Step.Other
	tables      kernels.Group          // a and b
	sums        sums                   // of contract
	grad        kernels.Buffer         // that of the Jacobians; nil where it is one parameter's
	sections    []section              // of it
	factorLanes []kernels.Buffer
}

func newDerivatives(n *network, t *states, s models.Setup) *derivatives {
	d, most := t.device, 3*s.MaxBatch // sources, destinations, negatives
	rows := func() kernels.Buffer { return d.NewBuffer(2 * s.MaxBatch * n.size) }
	v := &derivatives{
		device: d, net: n, states: t, a: d.NewBuffer(t.nodes * n.size), b: d.NewBuffer(t.nodes * n.size),
		shape: jacobianShape(n.opts, n.size, s.NumFeat), slots: newSlots(t.nodes),
		batch: newTouched(d, t.nodes, most, n.size, t.rows.touched),
		zeros: rows(), sums: newSums(d, n.size),
	}
	v.carried = kernels.MixtureForward{
		Step:   kernels.MixtureGrad{Self: rows(), Other: rows(), E: rows(), Alpha: rows(), Beta: rows()},
		Logits: n.opts.Factors == Input,
		Alpha:  kernels.Tangent{Table: v.a, Dst: rows()}, Beta: kernels.Tangent{Table: v.b, Dst: rows()},
	}
	v.tables = d.NewGroup(v.a, v.b)
	v.keep, v.mix = d.View(v.carried.Step.Self, 0, n.size), d.View(v.carried.Step.Other, 0, n.size)
	if v.shape.Lanes() > 0 {
		v.addJacobians(2 * s.MaxBatch)
	}
	return v
}

// sums are what is owed to alpha and beta where these are one number each,
// not yet added up.
type sums struct {
	of    []kernels.Buffer
	group kernels.Group
}

func newSums(d kernels.Device, size int) sums {
	of := []kernels.Buffer{d.NewBuffer(size), d.NewBuffer(size)}
	return sums{of, d.NewGroup(of...)}
}

// addJacobians is for parameters that are matrices.
func (v *derivatives) addJacobians(mostWrites int) {
	d, lanes := v.device, v.shape.Lanes()
	v.j = d.NewJacobians(v.shape)
	v.step = kernels.JacobianStep{Drive: d.NewBuffer(mostWrites * lanes), PerWrite: v.states.mixture.PerRow}
	v.divide()
	if v.net.w != nil {
		v.drive = newDrive(v.net, v.states, v.step.Drive, lanes, v.carried.Step.E)
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
	v.forgetJacobians()
}

// forgetJacobians does so for their Jacobians alone.
func (v *derivatives) forgetJacobians() {
	for _, w := range v.states.writes {
		v.slots.free(w.Self)
	}
}

// prepare computes the new states of the batch's writes with what they and
// their derivatives are made of.
func (v *derivatives) prepare(x values) {
	t := v.states
	v.device.MixForward(t.mixed(len(t.writes), x), t.after, &v.carried)
	if v.j != nil {
		v.prepareStep(x)
	}
}

// prepareStep fills in what the Jacobians are to do.
func (v *derivatives) prepareStep(x values) {
	t, s, step := v.states, &v.step, &v.carried.Step
	s.Slots = v.slots.of(v.batch.nodes, s.Slots[:0])
	s.Writes, v.fresh = s.Writes[:0], v.fresh[:0]
	for i, w := range t.writes {
		if !v.slots.has(w.Self) {
			v.fresh = append(v.fresh, w.Self)
		}
		s.Writes = append(s.Writes, kernels.JacobianWrite{
			Self: int32(i), Other: v.batch.position[w.Other] - 1, Slot: v.slots.take(w.Self), Row: w.Event,
		})
	}
	v.j.Grow(v.slots.next)
	s.Keep, s.Mix = v.keep, v.mix
	if s.PerWrite {
		s.Keep, s.Mix = step.Self, step.Other
	}
	s.X = v.net.Buffer(v.net.x)
	if v.drive != nil {
		v.drive.Rows, v.drive.Y, v.drive.Z = len(t.writes), x.e, x.z
		v.device.BlockDerivatives(v.drive)
	}
	if v.net.opts.Factors == Input {
		v.driveFactors(len(t.writes))
	}
}

// driveFactors are the lanes of the matrices of alpha and beta, which come
// last.
func (v *derivatives) driveFactors(rows int) {
	lanes, size := v.shape.Lanes(), v.net.size
	v.device.CopyRows(rows, size, v.factorLanes[0], lanes, v.carried.Step.Alpha, size)
	v.device.CopyRows(rows, size, v.factorLanes[1], lanes, v.carried.Step.Beta, size)
}

// refuse takes back what the host has noted of a batch that the device has
// not folded in.
func (v *derivatives) refuse() {
	for _, n := range v.fresh {
		v.slots.free(n)
	}
	v.fresh = v.fresh[:0]
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
