package nn

import (
	"fmt"
	"slices"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// Training is the program of a network's loss and gradients.
type Training struct {
	network  *Network
	program  *Program
	repeated *Repeated // the program
	learned  []param   // those that the loss depends on
	params   *Group    // the same
	gradient *Group
	inputs   map[*G.Node]kernels.Buffer // gradients of inputs
	loss     kernels.Buffer
	value    [1]float32

	// What the device had checked at the last Answer.
	checked  *Group // gradients, the loss, then parameters
	first    int    // number of the first of them among all that was checked
	firstBad int    // number of the first buffer that is not finite, or -1
}

// Wanted is what a model wants to know beside the loss and the gradients of
// the parameters.
type Wanted struct {
	InTraining, InInference G.Nodes // values of a program
	Inputs                  G.Nodes // leaves whose gradients are wanted
}

// NewTraining compiles the loss and its gradients for all learned parameters
// that it depends on, and what else is wanted.
func (n *Network) NewTraining(loss *G.Node, w Wanted) *Training {
	t := &Training{network: n, inputs: map[*G.Node]kernels.Buffer{}}
	var wrt G.Nodes
	for _, p := range n.reached(loss) {
		if p.learned {
			t.learned = append(t.learned, p)
			wrt = append(wrt, p.node)
		}
	}
	grads := Gradients(loss, append(wrt, w.Inputs...)...)
	t.program = n.Compile(ForTraining, append(append(G.Nodes{loss}, grads...), w.InTraining...)...)
	t.repeated = n.Repeated(t.program)
	d := n.device
	var params, gradients []kernels.Buffer
	for i, g := range grads {
		b := t.program.Buffer(g)
		if i >= len(wrt) {
			t.inputs[w.Inputs[i-len(wrt)]] = b
			continue
		}
		p := t.learned[i].buffer
		params, gradients = append(params, p), append(gradients, d.View(b, 0, p.Len())) // b may be larger
	}
	t.loss = d.View(t.program.Buffer(loss), 0, 1)
	t.params, t.gradient = NewGroup(d, params...), NewGroup(d, gradients...)
	t.checked = NewGroup(d, slices.Concat(gradients, []kernels.Buffer{t.loss}, params)...)
	return t
}

// reached are the parameters that a node depends on.
func (n *Network) reached(node *G.Node) []param {
	seen := map[int64]bool{node.ID(): true}
	for open := (G.Nodes{node}); len(open) > 0; {
		last := open[len(open)-1]
		open = open[:len(open)-1]
		for it := n.expr.From(last.ID()); it != nil && it.Next(); {
			if child := it.Node().(*G.Node); !seen[child.ID()] {
				seen[child.ID()] = true
				open = append(open, child)
			}
		}
	}
	var out []param
	for _, p := range n.params {
		if seen[p.node.ID()] {
			out = append(out, p)
		}
	}
	return out
}

// Run draws the dropout masks, computes the gradients and returns the loss.
// It waits for the device once.
func (t *Training) Run() float32 {
	t.Draw()
	t.repeated.Run()
	t.check()
	return t.Answer()
}

// Draw draws the dropout masks of the next run: for callers that put Compute
// among other calls.
func (t *Training) Draw() { t.network.drawMasks() }

// Compute computes the gradients and checks them. It waits for nothing, and
// writes nothing from the host.
func (t *Training) Compute() {
	t.program.Run()
	t.check()
}

// Program is what Compute runs.
func (t *Training) Program() *Program { return t.program }

func (t *Training) check() { t.first = t.checked.Check(t.network.device) }

// Answer waits for the device and returns the loss. FirstBad, BadInput and
// Fault then tell of all that the device has checked. If any of that is not
// finite, it rolls the run back: the next run has the same dropout masks.
func (t *Training) Answer() float32 {
	t.firstBad = t.network.device.FirstBad(t.value[:], t.loss)
	if t.firstBad >= 0 {
		t.network.rollbackMasks()
	}
	return t.value[0]
}

// Buffer is where an output is.
func (t *Training) Buffer(n *G.Node) kernels.Buffer { return t.program.Buffer(n) }

// InputGradient is the gradient of a wanted input, of the last run.
func (t *Training) InputGradient(in *G.Node) kernels.Buffer { return t.inputs[in] }

// Names are those of the parameters that have a gradient.
func (t *Training) Names() []string {
	var out []string
	for _, p := range t.learned {
		out = append(out, p.name)
	}
	return out
}

// Params are the live parameters that Gradients belong to.
func (t *Training) Params() *Group { return t.params }

// Gradients are those of the last run, in the order of Params.
func (t *Training) Gradients() *Group { return t.gradient }

// FirstBad is the number of the first buffer that is not finite among all that
// the device has checked, or -1.
func (t *Training) FirstBad() int { return t.firstBad }

// BadInput reports whether anything is not finite that the device checked
// before the last run.
func (t *Training) BadInput() bool { return t.firstBad >= 0 && t.firstBad < t.first }

// Fault names what is not finite first of the last run: a gradient, the loss or
// a parameter. It is empty if nothing is, after a BadInput,
// and if it is something that was checked after the run.
func (t *Training) Fault() string {
	const within = "%s is not within ±%g"
	i, n := t.firstBad-t.first, len(t.learned)
	switch {
	case t.firstBad < 0 || i < 0 || i > 2*n:
		return ""
	case i < n:
		return fmt.Sprintf("gradient of "+within, t.learned[i].name, kernels.MaxMagnitude)
	case i == n:
		return fmt.Sprintf(within, "loss", kernels.MaxMagnitude)
	default:
		return fmt.Sprintf(within, t.learned[i-n-1].name, kernels.MaxMagnitude)
	}
}
