package dgs

import (
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/nodelist"
	"dgsbench/nn"
)

// derivatives are those of every node's state S_n by alpha, beta and the
// matrices, carried forward in time (real-time recurrent learning, section 3.2
// of the paper). With o the other end of an event, and all right-hand sides
// from before the batch, equation 2 gives
//
//	A_n <- beta A_n + (1-beta) alpha A_o + (1-beta) (S_o - E)
//	B_n <- beta B_n + (1-beta) alpha B_o + S_n - (1-alpha) E - alpha S_o
//	J_n <- beta J_n + (1-beta) alpha J_o + (1-beta) (1-alpha) dE/dz F
//
// elementwise. With factors: input A and B are by the biases, and J has lanes
// for the matrices of alpha and beta, too. The gradient of a loss that reads the
// states of some nodes is the sum over them of dL/dS_n times these. A node that
// was never trained on has zeros, and no memory for J.
type derivatives struct {
	device kernels.Device
	net    *network
	states *states

	a, b    kernels.Buffer         // nodes x size
	tables  kernels.Group          // a and b
	forward kernels.MixtureForward // of the batch's writes
	zeros   kernels.Buffer         // a row a write

	// The nodes whose states the batch reads, those that it writes first, and
	// dL/dS of them.
	touched *nodelist.List
	weights kernels.Buffer // a row a touched node

	// pastGradients are the gradients of the parameters through the states before the
	// batch.
	pastGradients map[*nn.Node]kernels.Buffer
	factors       kernels.Group    // those of alpha and beta, as vectors
	perScalar     []kernels.Buffer // the same where alpha and beta are scalars: to be summed

	*jacobians
}

func newDerivatives(n *network, t *states, s models.Setup) *derivatives {
	dev := t.device
	perWrite := func() kernels.Buffer { return dev.NewBuffer(2 * s.MaxBatch * n.size) }
	d := &derivatives{
		device: dev, net: n, states: t,
		a: dev.NewBuffer(t.nodes * n.size), b: dev.NewBuffer(t.nodes * n.size), zeros: perWrite(),
		touched: nodelist.New(t.nodes), weights: dev.NewBuffer(3 * s.MaxBatch * n.size), // sources, destinations, negatives
		pastGradients: map[*nn.Node]kernels.Buffer{},
	}
	for _, p := range n.learned {
		d.pastGradients[p] = dev.NewBuffer(n.Buffer(p).Len())
	}
	d.tables, d.factors = dev.NewGroup(d.a, d.b), dev.NewGroup(d.pastGradients[n.alpha.bias], d.pastGradients[n.beta.bias])
	if n.opts.Factors == Scalar {
		d.perScalar = []kernels.Buffer{dev.NewBuffer(n.size), dev.NewBuffer(n.size)}
		d.factors = dev.NewGroup(d.perScalar...)
	}
	d.forward = kernels.MixtureForward{
		Step:   kernels.MixtureGrad{Self: perWrite(), Other: perWrite(), E: perWrite(), Alpha: perWrite(), Beta: perWrite()},
		Logits: n.opts.Factors == Input,
		Alpha:  kernels.Tangent{Table: d.a, Dst: perWrite()}, Beta: kernels.Tangent{Table: d.b, Dst: perWrite()},
	}
	d.jacobians = newJacobians(d, s)
	return d
}

// listTouched lists the nodes that the batch writes, then its negatives.
func (d *derivatives) listTouched(negatives []int32) {
	d.touched.Reset()
	for _, w := range d.states.writes {
		d.touched.Add(w.Self)
	}
	d.touched.Add(negatives...)
	copy(d.states.touched.host, d.touched.Nodes)
}

// addWeights adds n rows of gradients to dL/dS of the nodes at the positions.
func (d *derivatives) addWeights(n int, gradients kernels.Buffer, positions list) {
	size := d.net.size
	d.device.ScatterAddRows(n, d.weights.Len()/size, size, d.weights, gradients, positions.onDevice)
}

// mix computes the new states of the batch's writes, A and B of them, and the
// derivatives of equation 2 by its operands.
func (d *derivatives) mix(v values) {
	d.device.MixForward(d.states.mixtureOf(len(d.states.writes), v), d.states.after, &d.forward)
}

// contract computes what the loss owes to alpha and beta through the states
// before the batch: the sums over n of dL/dS_n A_n and dL/dS_n B_n.
func (d *derivatives) contract(v values) {
	o, sigmoids := d.net.opts, v.factors
	if o.Range == Clamp || o.Factors == Input { // A and B are by the parameters themselves
		sigmoids = nil
	}
	d.device.ContractRows(len(d.touched.Nodes), d.states.nodes, d.net.size, d.factors, d.weights, d.tables, d.states.touched.onDevice, sigmoids)
}

// finishGradients completes pastGradients.
func (d *derivatives) finishGradients() {
	for i, vector := range d.perScalar {
		p := []*nn.Node{d.net.alpha.bias, d.net.beta.bias}[i]
		d.device.ColumnSums(d.net.size, 1, d.pastGradients[p], vector)
	}
	for i, columns := range d.columns {
		d.device.CopyRows(d.shape.Features, d.net.size, d.pastGradients[d.matrices[i]], d.net.size, columns, d.shape.Columns)
	}
}

// forgetAll makes all derivatives zero: those of states that are zero, or
// count as constants.
func (d *derivatives) forgetAll() {
	d.device.Zero(d.states.nodes*d.net.size, d.a)
	d.device.Zero(d.states.nodes*d.net.size, d.b)
	d.slots.reset()
}

// forgetWrites does so for the nodes of the batch's writes.
func (d *derivatives) forgetWrites() {
	t := d.states
	for i, w := range t.writes {
		t.self.host[i] = w.Self
	}
	t.upload(t.self)
	d.device.ScatterRows(len(t.writes), t.size, d.a, d.zeros, t.self.onDevice)
	d.device.ScatterRows(len(t.writes), t.size, d.b, d.zeros, t.self.onDevice)
	d.forgetJacobians()
}

// forgetJacobians forgets the Jacobians of these nodes alone.
func (d *derivatives) forgetJacobians() {
	for _, w := range d.states.writes {
		d.slots.release(w.Self)
	}
}
