package nn

import (
	"fmt"
	"slices"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// Training is the program of a network's loss and gradients.
type Training struct {
	*Program // what Compute runs
	// Names and Params are the learned parameters that the loss depends on, and
	// Gradients those of the last run, in the same order.
	Names             []string
	Params, Gradients *Group
	// InputGradients are those of the wanted inputs, of the last run.
	InputGradients map[*G.Node]kernels.Buffer
	// FirstBad is the number of the first buffer that is not finite among all
	// that the device had checked at the last Answer, or -1.
	FirstBad int

	network  *Network
	repeated *Repeated // the program
	loss     kernels.Buffer
	value    [1]float32
	checked  *Group // gradients, the loss, then parameters
	first    int    // number of the first of them among all that the device had checked
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
	t := &Training{network: n, InputGradients: map[*G.Node]kernels.Buffer{}}
	var wrt G.Nodes
	var params, gradients []kernels.Buffer
	c := &compiler{graph: n.Graph, steps: map[int64]*step{}}
	c.needed(G.Nodes{loss})
	for _, p := range n.params {
		if p.learned && c.steps[p.node.ID()] != nil {
			t.Names, wrt, params = append(t.Names, p.Name), append(wrt, p.node), append(params, p.Buffer)
		}
	}
	grads := Gradients(loss, append(wrt, w.Inputs...)...)
	t.Program = n.Compile(ForTraining, append(append(G.Nodes{loss}, grads...), w.InTraining...)...)
	t.repeated = n.RepeatedCalls(t.Program.Run, t.Program)
	d := n.device
	for i, p := range params {
		gradients = append(gradients, d.View(t.Buffer(grads[i]), 0, p.Len())) // the buffer may be larger
	}
	for i, in := range w.Inputs {
		t.InputGradients[in] = t.Buffer(grads[len(params)+i])
	}
	t.loss = d.View(t.Buffer(loss), 0, 1)
	t.Params, t.Gradients = NewGroup(d, params...), NewGroup(d, gradients...)
	t.checked = NewGroup(d, slices.Concat(gradients, []kernels.Buffer{t.loss}, params)...)
	return t
}

// Run writes what the host feeds, draws the dropout masks, computes the
// gradients and returns the loss. It waits for the device once.
func (t *Training) Run() float32 {
	t.write()
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
	t.Program.Run()
	t.check()
}

func (t *Training) check() { t.first = t.checked.Check(t.network.device) }

// Answer waits for the device and returns the loss. FirstBad, BadInput and
// Fault then tell of all that the device has checked. If any of that is not
// finite, it rolls the run back: the next run has the same dropout masks.
func (t *Training) Answer() float32 {
	t.FirstBad = t.network.device.FirstBad(t.value[:], t.loss)
	if t.FirstBad >= 0 {
		*t.network.drops = t.network.earlier
	}
	return t.value[0]
}

// BadInput reports whether anything is not finite that the device checked
// before the last run.
func (t *Training) BadInput() bool { return t.FirstBad >= 0 && t.FirstBad < t.first }

// Fault names what is not finite first of the last run: a gradient, the loss or
// a parameter. It is empty if nothing is, after a BadInput,
// and if it is something that was checked after the run.
func (t *Training) Fault() string {
	const within = "%s is not within ±%g"
	i, n := t.FirstBad-t.first, len(t.Names)
	switch {
	case t.FirstBad < 0 || i < 0 || i > 2*n:
		return ""
	case i < n:
		return fmt.Sprintf("gradient of "+within, t.Names[i], kernels.MaxMagnitude)
	case i == n:
		return fmt.Sprintf(within, "loss", kernels.MaxMagnitude)
	default:
		return fmt.Sprintf(within, t.Names[i-n-1], kernels.MaxMagnitude)
	}
}
