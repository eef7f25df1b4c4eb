package nn

import (
	"math/rand/v2"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Dropout is h times mask, elementwise, in training, and h in programs made
// for inference. Every site has a mask of its own, which DrawMask fills.
func Dropout(h, mask *G.Node) (*G.Node, error) { return dropout.apply(h, mask) }

var dropout = &op{
	name: "dropout", in: []int{2, 2}, sizes: []string{"nk", "nk"}, out: 2, rows: 0, smooth: []bool{true, false},
	shape:        func(s []tensor.Shape) tensor.Shape { return s[0] },
	trainingOnly: true,
	call: func(c *call) func() {
		return func() { c.device.Mul(c.rows(0)*c.cols(0), c.out, c.in[0], c.in[1]) }
	},
}

// The gradient is the same operation, which a variable's own initialiser
// cannot name.
func init() {
	dropout.grad = func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		gh, err := dropout.apply(g, in[1])
		return G.Nodes{gh, nil}, err
	}
}

// DrawMask fills mask with 0 for dropped units, a share p of them, and
// 1/(1-p) for the rest.
func DrawMask(mask []float32, p float64, rng *rand.Rand) {
	keep := float32(1 / (1 - p))
	for i := range mask {
		mask[i] = keep
		if p > 0 && rng.Float64() < p {
			mask[i] = 0
		}
	}
}
