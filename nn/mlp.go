package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
)

// MLPConfig describes a multi-layer perceptron with ReLU and dropout after
// every hidden layer and one output, the logit.
type MLPConfig struct {
	In      int
	Hidden  []int
	Dropout float64 // share of hidden units dropped in training
	MaxRows int     // most rows of one Forward or Step
}

// Layer is one dense layer, y = x W + b. W is In x Out, row major.
type Layer struct {
	In, Out int
	W, B    []float32
}

// MLP is a perceptron and the graphs that run it.
type MLP struct {
	cfg     MLPConfig
	layers  []Layer
	dropout *rand.Rand
	infer   *inferGraph
	train   *trainGraph
}

// building serialises the making of graphs: gorgonia's Grad shares constant
// nodes between all graphs of a program, and caches hashes in them.
var building sync.Mutex

// NewMLP draws the parameters from the trial's seed: weights and biases
// uniform in +-1/sqrt(In), as PyTorch's Linear.
func NewMLP(cfg MLPConfig, seed uint64) (*MLP, error) {
	m := &MLP{cfg: cfg, dropout: Rand(seed, ForDropout)}
	rng := Rand(seed, ForParameters)
	in := cfg.In
	for _, out := range append(append([]int(nil), cfg.Hidden...), 1) {
		m.layers = append(m.layers, newLayer(in, out, rng))
		in = out
	}
	building.Lock()
	defer building.Unlock()
	var err error
	if m.infer, err = newInferGraph(cfg, m.layers); err != nil {
		return nil, fmt.Errorf("inference graph: %w", err)
	}
	if m.train, err = newTrainGraph(cfg, m.layers); err != nil {
		return nil, fmt.Errorf("training graph: %w", err)
	}
	return m, nil
}

func newLayer(in, out int, rng *rand.Rand) Layer {
	l := Layer{In: in, Out: out, W: make([]float32, in*out), B: make([]float32, out)}
	bound := 1 / math.Sqrt(float64(in))
	for _, p := range [][]float32{l.W, l.B} {
		for i := range p {
			p[i] = float32((2*rng.Float64() - 1) * bound)
		}
	}
	return l
}

// Layers are the live parameters, first layer first.
func (m *MLP) Layers() []Layer { return m.layers }

// Params lists the live parameter tensors: W and B of every layer.
func (m *MLP) Params() [][]float32 {
	var out [][]float32
	for _, l := range m.layers {
		out = append(out, l.W, l.B)
	}
	return out
}

// NumParams is the number of learnable parameters.
func (m *MLP) NumParams() int {
	n := 0
	for _, p := range m.Params() {
		n += len(p)
	}
	return n
}

// Forward writes the logits of x (rows x In) without dropout. It panics
// when rows is above MaxRows.
func (m *MLP) Forward(x []float32, rows int, logits []float32) error {
	m.checkRows(rows)
	return m.infer.run(x, rows, logits)
}

// Gradient evaluates loss = sum over rows of weight * BCE(logit, target)
// with dropout, and returns it with the gradient of every tensor of Params.
// The gradients stay valid until the next call.
func (m *MLP) Gradient(x, targets, weights []float32, rows int) (float64, [][]float32, error) {
	m.checkRows(rows)
	m.train.draw(m.dropout, m.cfg.Dropout)
	return m.train.run(x, targets, weights, rows)
}

func (m *MLP) checkRows(rows int) {
	if rows > m.cfg.MaxRows {
		panic(fmt.Sprintf("nn: %d rows, built for %d", rows, m.cfg.MaxRows))
	}
}
