package dgs

import (
	"slices"

	"dgsbench/kernels"
	"dgsbench/nn"
)

// gradients are those of the loss for the parameters below the head: what
// the batch does itself, and what the states before it owe to them.
type gradients struct {
	device  kernels.Device
	params  []*nn.Node
	live    *nn.Group // the parameters
	total   *nn.Group // their gradients
	own     []kernels.Buffer
	owed    []kernels.Buffer
	factors kernels.Group // those of owed that are for alpha and beta
}

// newGradients has the batch's own part from a program, or nil where the loss
// is about states from before it. It is nil where nothing below the head learns.
func newGradients(n *network, own []kernels.Buffer) *gradients {
	if n.opts.Gradient == None {
		return nil
	}
	d := n.Device()
	g := &gradients{device: d, params: n.recurrent(), own: own}
	fresh := func() (out []kernels.Buffer) {
		for _, p := range g.params {
			out = append(out, d.NewBuffer(n.Buffer(p).Len()))
		}
		return out
	}
	var live []kernels.Buffer
	for _, p := range g.params {
		live = append(live, n.Buffer(p))
	}
	g.live, g.owed = nn.NewGroup(d, live...), fresh()
	switch {
	case n.opts.Gradient == Truncated: // states before the batch count as constants
		g.total = nn.NewGroup(d, own[:len(live)]...)
	case own == nil:
		g.total = nn.NewGroup(d, g.owed...)
	default:
		g.total = nn.NewGroup(d, fresh()...)
	}
	g.factors = d.NewGroup(g.to(n.alphaBias), g.to(n.betaBias))
	return g
}

// to is where what is owed to a parameter goes.
func (g *gradients) to(p *nn.Node) kernels.Buffer { return g.owed[slices.Index(g.params, p)] }

// add adds what is owed to the batch's own part.
func (g *gradients) add() {
	if g.own == nil {
		return
	}
	for i, total := range g.total.Buffers {
		g.device.Add(total.Len(), total, g.own[i], g.owed[i])
	}
}

// contract finds what the loss owes to the states before the batch: the
// gradients of the touched states meet their derivatives. The Jacobians do
// their step in the same pass.
func (v *derivatives) contract(g *gradients, x values) {
	o, factors, into := v.net.opts, x.factors, g.factors
	if o.Range == Clamp || o.Factors == Input { // the tables' derivatives are by the parameters themselves
		factors = nil
	}
	if o.Factors == Scalar {
		into = v.sums.group
	}
	v.device.ContractRows(len(v.batch.nodes), v.states.nodes, v.net.size, into, v.batch.weights, v.tables, v.batch.rows.on, factors)
	if v.j == nil {
		return
	}
	v.step.Weights, v.step.Grad = v.batch.weights, v.grad
	if v.grad == nil { // one parameter has all columns
		v.step.Grad = g.to(v.sections[0].param)
	}
	v.j.Step(&v.step)
}

// advance is contract without a loss.
func (v *derivatives) advance() {
	if v.j != nil {
		v.step.Weights, v.step.Grad = nil, nil
		v.j.Step(&v.step)
	}
}

// complete makes gradients of the parameters of what was contracted.
func (v *derivatives) complete(g *gradients) {
	d, size := v.device, v.net.size
	if v.net.opts.Factors == Scalar {
		for i, p := range []*nn.Node{v.net.alphaBias, v.net.betaBias} {
			d.ColumnSums(size, 1, g.to(p), v.sums.of[i])
		}
	}
	if v.grad != nil {
		for _, s := range v.sections {
			d.CopyRows(v.shape.Features, size, g.to(s.param), size, s.columns, v.shape.Columns)
		}
	}
	g.add()
}
