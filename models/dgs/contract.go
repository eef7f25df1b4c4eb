package dgs

import (
	"dgsbench/kernels"
	"dgsbench/nn"
)

// gradients are those of the loss for the parameters below the head.
type gradients struct {
	device kernels.Device
	net    *network
	params []*nn.Node
	live   []kernels.Buffer // the parameters
	total  []kernels.Buffer // their gradients
	part   kernels.Buffer   // scratch, of any of them
}

func newGradients(n *network) *gradients {
	g := &gradients{device: n.Device(), net: n, params: n.recurrent()}
	largest := 0
	for _, p := range g.params {
		b := n.Buffer(p)
		g.live = append(g.live, b)
		g.total = append(g.total, g.device.NewBuffer(b.Len()))
		largest = max(largest, b.Len())
	}
	g.part = g.device.NewBuffer(largest)
	return g
}

// start sets the gradients to those of one step, or to zero where the loss
// is about states from before the batch.
func (g *gradients) start(t *nn.Training, oneStep bool) {
	for i, b := range g.total {
		g.device.Zero(b.Len(), b)
		if oneStep {
			g.device.Add(b.Len(), b, b, t.Gradients()[i])
		}
	}
}

// add adds the part to the gradient of a parameter.
func (g *gradients) add(p *nn.Node, part kernels.Buffer) {
	for i, q := range g.params {
		if p == q {
			g.device.Add(g.total[i].Len(), g.total[i], g.total[i], part)
		}
	}
}

// bad names the first parameter whose gradient is not finite.
func (g *gradients) bad() *nn.Node {
	for i, p := range g.params {
		if !g.device.Finite(g.total[i].Len(), g.total[i]) {
			return p
		}
	}
	return nil
}

// diverged names the first parameter that is not finite itself.
func (g *gradients) diverged() *nn.Node {
	for i, p := range g.params {
		if !g.device.Finite(g.live[i].Len(), g.live[i]) {
			return p
		}
	}
	return nil
}

// contract adds what the loss owes to the states before the batch: the
// gradients of the touched states meet their derivatives. The Jacobians do
// their step in the same pass.
func (v *derivatives) contract(g *gradients, x values) {
	v.contractTable(g, v.net.alphaBias, v.a, x.alpha)
	v.contractTable(g, v.net.betaBias, v.b, x.beta)
	if v.j == nil {
		return
	}
	v.step.Weights = v.batch.weights
	v.j.Step(&v.step)
	for _, part := range v.sections {
		v.device.CopyRows(v.shape.Features, v.net.size, g.part, v.net.size, part.columns, v.shape.Columns)
		g.add(part.param, g.part)
	}
}

// contractTable is the sum over the touched nodes of weights times
// derivatives, for alpha or beta; factor is its present value.
func (v *derivatives) contractTable(g *gradients, p *nn.Node, table, factor kernels.Buffer) {
	d, n, size := v.device, len(v.batch.nodes), v.net.size
	d.GatherRows(n, v.states.nodes, size, v.product, table, v.batch.rows)
	d.Mul(n*size, v.product, v.product, v.batch.weights)
	d.ColumnSums(n, size, v.sums, v.product)
	if v.net.opts.Range == Sigmoid && v.net.opts.Factors != Input {
		d.SigmoidGrad(size, v.sums, v.sums, factor)
	}
	if v.net.opts.Factors == Scalar {
		d.ColumnSums(size, 1, g.part, v.sums)
		g.add(p, g.part)
		return
	}
	g.add(p, v.sums)
}
