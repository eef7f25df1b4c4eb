package nn

import (
	"fmt"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// Norm normalises the units of a hidden layer.
type Norm string

// Nothing, or PyTorch's LayerNorm or BatchNorm1d with their defaults.
const (
	NoNorm    Norm = "none"
	WithLayer Norm = "layer"
	WithBatch Norm = "batch"
)

// PyTorch's defaults.
const (
	normEps      = 1e-5
	normMomentum = .1
)

// norm are the parameters of one normalisation.
type norm struct {
	kind           Norm
	scale, shift   kernels.Buffer
	mean, variance kernels.Buffer // running averages, WithBatch alone
}

// normalise puts a normalisation and a ReLU on top of the product of layer i.
func (m *MLP) normalise(h *G.Node, i, units int) (*G.Node, *norm, error) {
	vector := func(add func(string, []float32, ...int) *G.Node, name string, value float32) (*G.Node, kernels.Buffer) {
		n := add(fmt.Sprintf("%s%s%d", m.cfg.Name, name, i), filled(units, value), units)
		return n, m.Buffer(n)
	}
	l := &norm{kind: m.cfg.Norm}
	var p BatchNormParams
	p.Scale, l.scale = vector(m.Weight, "scale", 1)
	p.Shift, l.shift = vector(m.Weight, "shift", 0)
	var err error
	if l.kind == WithLayer {
		h, err = LayerNorm(h, p.Scale, p.Shift, normEps)
	} else {
		p.Mean, l.mean = vector(m.Running, "mean", 0)
		p.Variance, l.variance = vector(m.Running, "variance", 1)
		p.Momentum, p.Eps = normMomentum, normEps
		h, err = BatchNorm(h, p)
	}
	if err != nil {
		return nil, nil, err
	}
	h, err = ReLU(h)
	return h, l, err
}

func filled(n int, value float32) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = value
	}
	return out
}
