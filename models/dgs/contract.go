package dgs

import (
	"slices"

	"dgsbench/kernels"
	"dgsbench/nn"
)

// gradients are those of the loss for the parameters below the head: what
// the states before the batch owe to them, and what the batch does itself.
type gradients struct {
	device kernels.Device
	net    *network
	params []*nn.Node
	live   *nn.Group        // the parameters
	total  *nn.Group        // their gradients
	own    []kernels.Buffer // the batch's part; nil where there is none
	part   kernels.Buffer   // scratch, of any of them
}

func newGradients(n *network) *gradients {
	g := &gradients{device: n.Device(), net: n, params: n.recurrent()}
	var live, total []kernels.Buffer
	largest := 0
	for _, p := range g.params {
		b := n.Buffer(p)
		live, total = append(live, b), append(total, g.device.NewBuffer(b.Len()))
		largest = max(largest, b.Len())
	}
	g.live, g.total, g.part = nn.NewGroup(g.device, live...), nn.NewGroup(g.device, total...), g.device.NewBuffer(largest)
	return g
}

// onlyOwn makes the gradients those of a program alone: states before the
// batch count as constants.
func (g *gradients) onlyOwn(t *nn.Training) {
	g.total = nn.NewGroup(g.device, t.Gradients().Buffers[:len(g.params)]...)
}

// start begins with the gradients of the batch's own program, or with nil
// where the loss is about states from before it.
func (g *gradients) start(t *nn.Training) {
	g.own = nil
	if t != nil {
		g.own = t.Gradients().Buffers
	}
}

// into is where the states' part of the gradient of a parameter goes.
func (g *gradients) into(p *nn.Node) kernels.Buffer {
	if g.own == nil {
		return g.total.Buffers[slices.Index(g.params, p)]
	}
	return g.part
}

// add adds it to the batch's own part.
func (g *gradients) add(p *nn.Node) {
	if g.own != nil {
		i := slices.Index(g.params, p)
		g.device.Add(g.total.Buffers[i].Len(), g.total.Buffers[i], g.own[i], g.part)
	}
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
	v.step.Weights, v.step.Grad = v.batch.weights, v.grad
	if v.grad == nil { // one parameter has all columns
		v.step.Grad = g.into(v.sections[0].param)
		v.j.Step(&v.step)
		g.add(v.sections[0].param)
		return
	}
	v.j.Step(&v.step)
	for _, s := range v.sections {
		v.device.CopyRows(v.shape.Features, v.net.size, g.into(s.param), v.net.size, s.columns, v.shape.Columns)
		g.add(s.param)
	}
}

// contractTable is the sum over the touched nodes of weights times
// derivatives, for alpha or beta; factor is its present value.
func (v *derivatives) contractTable(g *gradients, p *nn.Node, table, factor kernels.Buffer) {
	d, size, o := v.device, v.net.size, v.net.opts
	if o.Range == Clamp || o.Factors == Input { // the table's derivatives are by the parameter itself
		factor = nil
	}
	sums := g.into(p)
	if o.Factors == Scalar {
		sums = v.sums
	}
	d.ContractRows(len(v.batch.nodes), v.states.nodes, size, sums, v.batch.weights, table, v.batch.rows.on, factor)
	if o.Factors == Scalar {
		d.ColumnSums(size, 1, g.into(p), sums)
	}
	g.add(p)
}
