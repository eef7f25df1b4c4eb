package dgs

import (
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/nn"
)

// jacobians are the derivatives J of the nodes' states by the matrices.
type jacobians struct {
	j        kernels.Jacobians
	shape    kernels.JacobianShape
	slots    slots
	newSlots []int32 // nodes of the batch that had none before
	step     kernels.JacobianStep
	keepRow  kernels.Buffer // beta: the first row of forward.Step.Self
	mixRow   kernels.Buffer // (1-beta) alpha: that of forward.Step.Other

	drive      *kernels.BlockDerivatives // (1-beta) (1-alpha) dE/dz of each write; nil without W
	driveAlpha kernels.Buffer            // the lanes of alpha's matrix in step.Drive, with factors: input
	driveBeta  kernels.Buffer            // those of beta's
	matrices   []*nn.Node                // W and those of alpha and beta, where there are any
	grad       kernels.Buffer            // features x columns: their gradients, side by side
	columns    []kernels.Buffer          // of each in grad; nil if there is one matrix, whose gradient is grad
}

// newJacobians returns jacobians whose j is nil if there are no matrices.
func newJacobians(d *derivatives, s models.Setup) *jacobians {
	n, dev := d.net, d.device
	shape := jacobianShape(n.opts, n.size, s.NumFeat)
	lanes := shape.Lanes()
	j := &jacobians{shape: shape, slots: newSlots(d.states.nodes)}
	if lanes == 0 {
		return j
	}
	j.j = dev.NewJacobians(shape)
	j.keepRow, j.mixRow = dev.View(d.forward.Step.Self, 0, n.size), dev.View(d.forward.Step.Other, 0, n.size)
	drive := dev.NewBuffer(2 * s.MaxBatch * lanes)
	j.step = kernels.JacobianStep{Drive: drive, PerWrite: n.opts.Factors == Input, X: n.Buffer(n.x)}
	if n.w != nil {
		h, kept := blockSize(n.opts)
		j.drive = &kernels.BlockDerivatives{
			By: normalisations[n.opts.Embedding].by, Scale: 1 / n.opts.Temperature, Eps: sumEps, Floor: n.opts.SumFloor,
			Blocks: n.opts.Blocks, H: h, Kept: kept, Dst: drive, Stride: lanes, P: d.forward.Step.E, Index: d.states.event.onDevice,
		}
	}
	if n.opts.Factors == Input { // whose lanes are the last ones
		fromLane := func(lane int) kernels.Buffer { return dev.View(drive, lane, drive.Len()-lane) }
		j.driveAlpha, j.driveBeta = fromLane(lanes-2*n.size), fromLane(lanes-n.size)
	}
	for _, p := range []*nn.Node{n.w, n.alpha.weights, n.beta.weights} {
		if p != nil {
			j.matrices = append(j.matrices, p)
		}
	}
	j.grad = d.pastGradients[j.matrices[0]]
	if len(j.matrices) > 1 {
		j.grad = dev.NewBuffer(shape.Features * shape.Columns)
		for i := range j.matrices {
			j.columns = append(j.columns, dev.View(j.grad, i*n.size, j.grad.Len()-i*n.size))
		}
	}
	return j
}

// stepJacobians replaces the Jacobians of the batch's writes. With a loss it
// computes in the same pass what the loss owes to the matrices: the sum over n
// of dL/dS_n J_n.
func (d *derivatives) stepJacobians(v values, loss bool) {
	if d.j == nil {
		return
	}
	s, writes := &d.step, d.states.writes
	s.Slots, s.Writes, d.newSlots = s.Slots[:0], s.Writes[:0], d.newSlots[:0]
	for _, n := range d.touched.Nodes {
		s.Slots = append(s.Slots, d.slots.slot[n])
	}
	for i, w := range writes {
		if d.slots.slot[w.Self] < 0 {
			d.newSlots = append(d.newSlots, w.Self)
			d.slots.assign(w.Self)
		}
		s.Writes = append(s.Writes, kernels.JacobianWrite{
			Self: int32(i), Other: d.touched.At(w.Other), Slot: d.slots.slot[w.Self], Row: w.Event,
		})
	}
	d.j.Grow(d.slots.next)

	s.Keep, s.Mix = d.keepRow, d.mixRow // the same for all writes
	if s.PerWrite {
		s.Keep, s.Mix = d.forward.Step.Self, d.forward.Step.Other
		lanes, size := d.shape.Lanes(), d.net.size
		d.device.CopyRows(len(writes), size, d.driveAlpha, lanes, d.forward.Step.Alpha, size)
		d.device.CopyRows(len(writes), size, d.driveBeta, lanes, d.forward.Step.Beta, size)
	}
	if d.drive != nil {
		d.drive.Rows, d.drive.Y, d.drive.Z = len(writes), v.e, v.z
		d.device.BlockDerivatives(d.drive)
	}
	s.Weights, s.Grad = nil, nil
	if loss {
		s.Weights, s.Grad = d.weights, d.grad
	}
	d.j.Step(s)
}

// freeNewSlots releases the slots that the batch has assigned.
func (d *derivatives) freeNewSlots() {
	for _, n := range d.newSlots {
		d.slots.release(n)
	}
	d.newSlots = d.newSlots[:0]
}

// jacobianShape returns what is stored of the Jacobian of one state: by W, and
// with factors: input by the matrices of alpha and beta, whose columns stand
// side by side in the gradient.
//
// Element j = ih+r of the state lies in block i. It depends on the h rows of W
// of its block: a lane for each, but for the last one where that is minus the
// sum of the others. The order of the lanes is r, i, row, as
// kernels.BlockDerivatives writes them.
func jacobianShape(o *Options, size, features int) kernels.JacobianShape {
	s := kernels.JacobianShape{Features: features, States: size, Half: o.Jacobian == BFloat16}
	add := func(state, plus, minus int) {
		s.State = append(s.State, int32(state))
		s.Plus = append(s.Plus, int32(plus))
		s.Minus = append(s.Minus, int32(minus))
	}
	if o.Embedding != Buckets {
		h, kept := blockSize(o)
		for r := range h {
			for i := range o.Blocks {
				for q := range kept {
					dropped := -1
					if kept < h {
						dropped = i*h + kept
					}
					add(i*h+r, i*h+q, dropped)
				}
			}
		}
		s.Columns = size
	}
	if o.Factors == Input {
		for range 2 {
			for j := range size {
				add(j, s.Columns+j, -1)
			}
			s.Columns += size
		}
	}
	return s
}

// blockSize returns the number of rows of a block of W, and of those whose
// derivatives are stored.
func blockSize(o *Options) (h, kept int) {
	h = o.Size / o.Blocks
	if normalisations[o.Embedding].shiftless {
		return h, h - 1
	}
	return h, h
}

// slots are the places of the nodes' Jacobians in kernels.Jacobians.
type slots struct {
	slot []int32 // of a node, -1 for none
	next int     // the first that was never assigned
	free []int32 // those that were released
}

func newSlots(nodes int) slots {
	s := slots{slot: make([]int32, nodes)}
	s.reset()
	return s
}

// reset releases all slots.
func (s *slots) reset() {
	for i := range s.slot {
		s.slot[i] = -1
	}
	s.next, s.free = 0, s.free[:0]
}

// assign gives a slot to a node without one.
func (s *slots) assign(node int32) {
	if n := len(s.free); n > 0 {
		s.slot[node], s.free = s.free[n-1], s.free[:n-1]
		return
	}
	s.slot[node] = int32(s.next)
	s.next++
}

// release takes a node's slot, if it has one.
func (s *slots) release(node int32) {
	if s.slot[node] >= 0 {
		s.free = append(s.free, s.slot[node])
		s.slot[node] = -1
	}
}
