package nn

import (
	"fmt"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// MLPConfig describes a multi-layer perceptron with ReLU and dropout after
// every hidden layer and one output, the logit.
type MLPConfig struct {
	Name    string // in front of the names of its parameters
	In      int
	Hidden  []int
	Norm    Norm    // between the product and the ReLU of a hidden layer
	Dropout float64 // share of hidden units dropped in training
	MaxRows int     // most rows of a batch
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

// layer are the parameters of a dense layer: W is in x out.
type layer struct {
	in, out int
	w, b    kernels.Buffer
	norm    *norm
}

// NewMLP is a perceptron on rows of given numbers. Its parameters come from
// the trial's seed: weights and biases uniform in +-1/sqrt(In), as PyTorch's
// Linear.
func NewMLP(d kernels.Device, cfg MLPConfig, seed uint64) (*MLP, error) {
	n, rows := NewNetwork(d, seed), NewRows(cfg.MaxRows)
	return n.Classifier(n.Input("x", rows, cfg.In), rows, cfg, Wanted{})
}

// Classifier puts a perceptron on top of x, which has cfg.In columns. Its
// training reaches all parameters below, too.
func (n *Network) Classifier(x *G.Node, rows *Rows, cfg MLPConfig, w Wanted) (*MLP, error) {
	m := &MLP{Network: n, cfg: cfg, rows: rows, x: x}
	if err := m.build(w); err != nil {
		return nil, fmt.Errorf("perceptron: %w", err)
	}
	return m, nil
}

// build makes the graph and the program for inference.
func (m *MLP) build(w Wanted) (err error) {
	y, weight := m.Input(m.cfg.Name+"y", m.rows, 1), m.Input(m.cfg.Name+"w", m.rows, 1)
	m.targets, m.weights = m.Buffer(y), m.Buffer(weight)
	if m.logits, err = m.forward(); err != nil {
		return err
	}
	if m.loss, err = BCE(m.logits, y, weight); err != nil {
		return err
	}
	w.InTraining = append(G.Nodes{m.logits}, w.InTraining...)
	m.wanted = w
	m.infer, err = m.Compile(ForInference, append(G.Nodes{m.logits}, w.InInference...)...)
	return err
}

// forward is the network from x to the logits.
func (m *MLP) forward() (*G.Node, error) {
	h := m.x
	for i, out := range append(append([]int(nil), m.cfg.Hidden...), 1) {
		last := i == len(m.cfg.Hidden)
		var err error
		if h, err = m.dense(h, i+1, out, !last); err != nil || last {
			return h, err
		}
		if h, err = m.Drop(fmt.Sprintf("%smask%d", m.cfg.Name, i+1), h, m.rows, m.cfg.Dropout); err != nil {
			return nil, err
		}
	}
	panic("nn: a perceptron without a last layer")
}

// dense is layer number i.
func (m *MLP) dense(x *G.Node, i, out int, hidden bool) (*G.Node, error) {
	first := len(m.params)
	normalised := hidden && (m.cfg.Norm == WithLayer || m.cfg.Norm == WithBatch)
	h, err := m.Linear(fmt.Sprintf("%sW%d", m.cfg.Name, i), fmt.Sprintf("%sb%d", m.cfg.Name, i), x, out, hidden && !normalised)
	if err != nil {
		return nil, err
	}
	l := layer{in: x.Shape()[1], out: out, w: m.params[first].buffer, b: m.params[first+1].buffer}
	if normalised {
		h, l.norm, err = m.normalise(h, i, out)
	}
	m.layers = append(m.layers, l)
	return h, err
}

// Leaf is where the rows of an MLP are written that stands by itself.
func (m *MLP) Leaf() kernels.Buffer { return m.Buffer(m.x) }

// Infer computes the logits of the first rows without dropout. It panics
// when rows is above MaxRows.
func (m *MLP) Infer(rows int, logits []float32) {
	m.rows.Set(rows)
	m.infer.Run()
	m.device.Read(logits[:rows], m.infer.Buffer(m.logits))
}

// Forward writes the logits of x (rows x In).
func (m *MLP) Forward(x []float32, rows int, logits []float32) {
	m.device.Write(m.Leaf(), x[:rows*m.cfg.In])
	m.Infer(rows, logits)
}

// Learn evaluates loss = sum over rows of weight * BCE(logit, target) with
// dropout. The gradients are then in Training.
func (m *MLP) Learn(targets, weights []float32, rows int) (loss float32) {
	m.Activate(rows)
	m.device.Write(m.targets, targets[:rows])
	m.device.Write(m.weights, weights[:rows])
	return m.Training().Run()
}

// Activate makes the first rows the active ones.
func (m *MLP) Activate(rows int) { m.rows.Set(rows) }

// Target writes the targets and weights of the first rows.
func (m *MLP) Target(targets []float32, weights []float64, rows int) {
	m.device.Write(m.targets, targets[:rows])
	m.device.WriteFloat64(m.weights, weights[:rows])
}

// Gradient is Learn on x (rows x In).
func (m *MLP) Gradient(x, targets, weights []float32, rows int) (loss float32) {
	m.device.Write(m.Leaf(), x[:rows*m.cfg.In])
	return m.Learn(targets, weights, rows)
}

// Learned are the logits of the last Learn, a row each.
func (m *MLP) Learned() kernels.Buffer { return m.Training().Buffer(m.logits) }

// Training is the program behind Learn: parameters and their gradients. Who
// never learns never has one.
func (m *MLP) Training() *Training {
	if m.train == nil {
		t, err := m.NewTraining(m.loss, m.wanted)
		if err != nil {
			panic("nn: " + err.Error()) // the graph was built
		}
		m.train = t
	}
	return m.train
}
