package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// MLPConfig describes a multi-layer perceptron with ReLU and dropout after
// every hidden layer and one output, the logit.
type MLPConfig struct {
	In      int
	Hidden  []int
	Dropout float64 // share of hidden units dropped in training
	MaxRows int     // most rows of one Forward or Step
}

// MLP is a perceptron: one graph, a program for training and one for
// inference.
type MLP struct {
	cfg     MLPConfig
	device  kernels.Device
	dropout *rand.Rand
	rows    *Rows

	x, targets, weights kernels.Buffer
	params              []param
	masks               []mask
	infer, train        *Program
	logits, loss        kernels.Buffer // logits of infer, loss of train
	gradients           []kernels.Buffer
	lossValue           [1]float32
}

// param is a parameter tensor: W or b of a layer.
type param struct {
	name   string
	shape  []int
	node   *G.Node
	buffer kernels.Buffer
}

// mask is a dropout site: drawn here, written to the device.
type mask struct {
	drawn  []float32
	buffer kernels.Buffer
}

// NewMLP draws the parameters from the trial's seed: weights and biases
// uniform in +-1/sqrt(In), as PyTorch's Linear.
func NewMLP(d kernels.Device, cfg MLPConfig, seed uint64) (*MLP, error) {
	m := &MLP{cfg: cfg, device: d, dropout: Rand(seed, ForDropout), rows: NewRows(cfg.MaxRows)}
	if err := m.build(Rand(seed, ForParameters)); err != nil {
		return nil, fmt.Errorf("perceptron: %w", err)
	}
	return m, nil
}

// build makes the graph and its two programs.
func (m *MLP) build(rng *rand.Rand) error {
	g := NewGraph(m.device)
	x, y, w := g.Input("x", m.rows, m.cfg.In), g.Input("y", m.rows, 1), g.Input("w", m.rows, 1)
	m.x, m.targets, m.weights = g.Buffer(x), g.Buffer(y), g.Buffer(w)
	logits, err := m.forward(g, x, rng)
	if err != nil {
		return err
	}
	loss, err := BCE(logits, y, w)
	if err != nil {
		return err
	}
	var params G.Nodes
	for _, p := range m.params {
		params = append(params, p.node)
	}
	grads, err := Gradients(loss, params...)
	if err != nil {
		return err
	}
	if m.train, err = g.Compile(ForTraining, append(grads, loss)...); err != nil {
		return err
	}
	if m.infer, err = g.Compile(ForInference, logits); err != nil {
		return err
	}
	m.loss, m.logits = m.train.Buffer(loss), m.infer.Buffer(logits)
	for _, n := range grads {
		m.gradients = append(m.gradients, m.train.Buffer(n))
	}
	return nil
}

// forward is the network, from the input to the logits.
func (m *MLP) forward(g *Graph, h *G.Node, rng *rand.Rand) (*G.Node, error) {
	in := m.cfg.In
	for i, out := range append(append([]int(nil), m.cfg.Hidden...), 1) {
		bound := 1 / math.Sqrt(float64(in))
		w := m.param(g, fmt.Sprintf("W%d", i+1), uniform(rng, in*out, bound), in, out)
		b := m.param(g, fmt.Sprintf("b%d", i+1), uniform(rng, out, bound), out)
		last := i == len(m.cfg.Hidden)
		var err error
		if h, err = Dense(h, w, b, !last); err != nil || last {
			return h, err
		}
		site := g.Input(fmt.Sprintf("mask%d", i+1), m.rows, out)
		m.masks = append(m.masks, mask{make([]float32, m.cfg.MaxRows*out), g.Buffer(site)})
		if h, err = Dropout(h, site); err != nil {
			return nil, err
		}
		in = out
	}
	panic("nn: a perceptron without a last layer")
}

func (m *MLP) param(g *Graph, name string, values []float32, shape ...int) *G.Node {
	n := g.Param(name, values, shape...)
	m.params = append(m.params, param{name, shape, n, g.Buffer(n)})
	return n
}

// uniform draws n numbers between -bound and bound.
func uniform(rng *rand.Rand, n int, bound float64) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32((2*rng.Float64() - 1) * bound)
	}
	return out
}

// Tensor is a named block of numbers, row major.
type Tensor struct {
	Name   string
	Shape  []int
	Values []float32
}

// Params copies the parameters: W1 (in x out), b1, W2 ...
func (m *MLP) Params() []Tensor {
	var out []Tensor
	for _, p := range m.params {
		t := Tensor{p.name, p.shape, make([]float32, p.buffer.Len())}
		m.device.Read(t.Values, p.buffer)
		out = append(out, t)
	}
	return out
}

// SetParams puts parameters back that Params gave.
func (m *MLP) SetParams(values [][]float32) {
	for i, p := range m.params {
		m.device.Write(p.buffer, values[i])
	}
}

// Buffers are the live parameters, in the order of Params.
func (m *MLP) Buffers() []kernels.Buffer {
	var out []kernels.Buffer
	for _, p := range m.params {
		out = append(out, p.buffer)
	}
	return out
}

// NumParams is the number of learnable parameters.
func (m *MLP) NumParams() int {
	n := 0
	for _, p := range m.params {
		n += p.buffer.Len()
	}
	return n
}

// Forward writes the logits of x (rows x In) without dropout. It panics
// when rows is above MaxRows.
func (m *MLP) Forward(x []float32, rows int, logits []float32) {
	m.rows.Set(rows)
	m.device.Write(m.x, x[:rows*m.cfg.In])
	m.infer.Run()
	m.device.Read(logits[:rows], m.logits)
}

// Gradient evaluates loss = sum over rows of weight * BCE(logit, target)
// with dropout. The gradients are then in Gradients.
func (m *MLP) Gradient(x, targets, weights []float32, rows int) (loss float32) {
	m.rows.Set(rows)
	m.device.Write(m.x, x[:rows*m.cfg.In])
	m.device.Write(m.targets, targets[:rows])
	m.device.Write(m.weights, weights[:rows])
	for _, k := range m.masks {
		DrawMask(k.drawn, m.cfg.Dropout, m.dropout)
		m.device.Write(k.buffer, k.drawn)
	}
	m.train.Run()
	m.device.Read(m.lossValue[:], m.loss)
	return m.lossValue[0]
}

// BadGradient names the first parameter whose gradient is not finite, or is
// empty.
func (m *MLP) BadGradient() string {
	for i, p := range m.params {
		if !m.device.Finite(p.buffer.Len(), m.gradients[i]) {
			return p.name
		}
	}
	return ""
}

// Gradients are those of the last call of Gradient, in the order of Params.
func (m *MLP) Gradients() []kernels.Buffer { return m.gradients }
