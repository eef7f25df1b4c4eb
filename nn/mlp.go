package nn

import (
	"fmt"
	"slices"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// MLPConfig describes a multi-layer perceptron with ReLU and dropout after
// every hidden layer and one output, the logit.
type MLPConfig struct {
	Name    string // in front of the names of its parameters
	Hidden  []int
	Norm    Norm    // between the product and the ReLU of a hidden layer
	Dropout float64 // share of hidden units dropped in training
	Offset  *G.Node // rows x 1, added to the logits in training alone; nil for none
}

// MLP is a perceptron that is trained by weighted cross-entropy: all of a
// network, or its last part.
type MLP struct {
	*Network
	cfg    MLPConfig
	rows   *Rows
	layers []layer

	x, logits        *G.Node
	targets, weights kernels.Buffer
	infer            *Program
	loss             *G.Node
	wanted           Wanted
	train            *Training // made by the first use
}

// layer are the parameters of a dense layer, W being in x out, and of the
// normalisation that follows, nil without one.
type layer struct {
	in, out      int
	w, b         kernels.Buffer
	scale, shift kernels.Buffer
}

// Classifier puts a perceptron on top of x. Its training reaches all
// parameters below, too. Its own come from the trial's seed: weights and
// biases uniform in +-1/sqrt(inputs), as PyTorch's Linear.
func (n *Network) Classifier(x *G.Node, rows *Rows, cfg MLPConfig, w Wanted) *MLP {
	m := &MLP{Network: n, cfg: cfg, rows: rows, x: x}
	y, weight := m.Input(cfg.Name+"y", rows, 1), m.Input(cfg.Name+"w", rows, 1)
	m.targets, m.weights = m.Buffer(y), m.Buffer(weight)
	h := x
	for i, out := range cfg.Hidden {
		h = m.dense(h, i+1, out, true)
		h = m.Drop(fmt.Sprintf("%smask%d", cfg.Name, i+1), h, m.rows, m.cfg.Dropout)
	}
	m.logits = m.dense(h, len(cfg.Hidden)+1, 1, false)
	z := m.logits
	if cfg.Offset != nil {
		z = Add(z, cfg.Offset)
	}
	m.loss = BCE(z, y, weight)
	w.InTraining = append(G.Nodes{m.logits}, w.InTraining...)
	m.wanted = w
	m.infer = m.Compile(ForInference, append(G.Nodes{m.logits}, w.InInference...)...)
	return m
}

// dense is layer number i.
func (m *MLP) dense(x *G.Node, i, out int, hidden bool) *G.Node {
	first := len(m.params)
	normalised := hidden && m.cfg.Norm == WithLayer
	h := m.Linear(fmt.Sprintf("%sW%d", m.cfg.Name, i), fmt.Sprintf("%sb%d", m.cfg.Name, i), x, out, hidden && !normalised)
	l := layer{in: x.Shape()[1], out: out, w: m.params[first].Buffer, b: m.params[first+1].Buffer}
	if normalised {
		vector := func(name string, value float32) *G.Node {
			return m.Weight(fmt.Sprintf("%s%s%d", m.cfg.Name, name, i), slices.Repeat([]float32{value}, out), out)
		}
		scale, shift := vector("scale", 1), vector("shift", 0)
		l.scale, l.shift = m.Buffer(scale), m.Buffer(shift)
		h = ReLU(LayerNorm(h, scale, shift, normEps))
	}
	m.layers = append(m.layers, l)
	return h
}

// Leaf is where the rows of an MLP are written that stands by itself.
func (m *MLP) Leaf() kernels.Buffer { return m.Buffer(m.x) }

// Infer computes the logits of the first rows without dropout. It panics
// if there are more than those of x.
func (m *MLP) Infer(rows int, logits []float32) {
	m.rows.Set(rows)
	m.infer.Run()
	m.device.Read(logits[:rows], m.infer.Buffer(m.logits))
}

// Activate makes the first rows the active ones.
func (m *MLP) Activate(rows int) { m.rows.Set(rows) }

// Target writes the targets and weights of the first rows.
func (m *MLP) Target(targets []float32, weights []float64, rows int) {
	m.device.Write(m.targets, targets[:rows])
	m.device.WriteFloat64(m.weights, weights[:rows])
}

// Learned are the logits of the last run of Training, a row each.
func (m *MLP) Learned() kernels.Buffer { return m.Training().Buffer(m.logits) }

// Training is the program that computes the loss and the gradients of the
// parameters, sum over rows of weight * BCE(logit, target) with dropout.
// It is compiled by the first use.
func (m *MLP) Training() *Training {
	if m.train == nil {
		m.train = m.NewTraining(m.loss, m.wanted)
	}
	return m.train
}

// Norm normalises the units of a hidden layer.
type Norm string

// NoNorm is no normalisation, WithLayer PyTorch's LayerNorm.
const (
	NoNorm    Norm = "none"
	WithLayer Norm = "layer"
)

// normEps is PyTorch's default.
const normEps = 1e-5
