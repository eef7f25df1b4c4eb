package nn

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// Network is a graph whose weights are drawn from a trial's seed, with its
// dropout sites: what a model builds once, trains and runs.
type Network struct {
	*Graph
	initial *rand.Rand // of the weights
	drops   *rand.PCG
	earlier rand.PCG // the drops before masks were drawn last
	params  []Param
	masks   []mask
	drawn   []float32 // a part of a mask
}

// Param is a parameter, and where it lives.
type Param struct {
	Name    string
	Shape   []int
	Buffer  kernels.Buffer
	node    *G.Node
	learned bool // by gradients
}

// mask is a dropout site. It is drawn here and written to the device in parts of maskPart
// units, of which the host holds one. A card takes what is as large as that without staging.
type mask struct {
	share float64 // of the units that are dropped
	rows  *Rows
	cols  int
	parts []kernels.Buffer
}

const maskPart = 1 << 18

// NewNetwork is an empty network on a device.
func NewNetwork(d kernels.Device, seed uint64) *Network {
	return &Network{Graph: NewGraph(d), initial: Rand(seed, ForParameters), drops: source(seed, ForDropout)}
}

// Device is where the network lives.
func (n *Network) Device() kernels.Device { return n.device }

// Weight is a learned parameter with the given values: a vector or a matrix.
func (n *Network) Weight(name string, values []float32, shape ...int) *G.Node {
	return n.add(name, values, shape, true)
}

// Fixed is a parameter that is saved with the others and keeps its values.
func (n *Network) Fixed(name string, values []float32, shape ...int) *G.Node {
	return n.add(name, values, shape, false)
}

func (n *Network) add(name string, values []float32, shape []int, learned bool) *G.Node {
	node := n.Param(name, values, shape...)
	n.params = append(n.params, Param{name, shape, n.Buffer(node), node, learned})
	return node
}

// Uniform draws count initial values between -bound and bound.
func (n *Network) Uniform(count int, bound float64) []float32 {
	return n.UniformIn(count, -bound, bound)
}

// UniformIn draws count initial values between low and high.
func (n *Network) UniformIn(count int, low, high float64) []float32 {
	return draw(count, func() float32 { return float32(low + n.initial.Float64()*(high-low)) })
}

// Normal draws count initial values with mean 0 and deviation 1.
func (n *Network) Normal(count int) []float32 {
	return draw(count, func() float32 { return float32(n.initial.NormFloat64()) })
}

func draw(count int, number func() float32) []float32 {
	out := make([]float32, count)
	for i := range out {
		out[i] = number()
	}
	return out
}

// Linear is x W, plus b, and relu of it: PyTorch's Linear, weights and biases
// uniform in +-1/sqrt(inputs).
func (n *Network) Linear(w, b string, x *G.Node, out int, relu bool) *G.Node {
	return n.Layer(w, b, x.Shape()[1], out, relu)(x)
}

// Layer returns a function that applies one Linear layer to any node of in columns.
func (n *Network) Layer(w, b string, in, out int, relu bool) func(x *G.Node) *G.Node {
	bound := 1 / math.Sqrt(float64(in))
	weights := n.Weight(w, n.Uniform(in*out, bound), in, out)
	biases := n.Weight(b, n.Uniform(out, bound), out)
	return func(x *G.Node) *G.Node { return Dense(x, weights, biases, relu) }
}

// Drop is dropout on h, a share of whose units are dropped in training.
func (n *Network) Drop(site string, h *G.Node, rows *Rows, share float64) *G.Node {
	return Dropout(h, n.Mask(site, rows, h.Shape()[1], share))
}

// Mask is an input of factors of dropout, rows x cols, that are drawn anew
// for every run of training.
func (n *Network) Mask(site string, rows *Rows, cols int, share float64) *G.Node {
	node, m := n.Input(site, rows, cols), mask{share: share, rows: rows, cols: cols}
	whole := n.Buffer(node)
	for at := 0; at < whole.Len(); at += maskPart {
		m.parts = append(m.parts, n.device.View(whole, at, min(maskPart, whole.Len()-at)))
	}
	n.masks = append(n.masks, m)
	n.drawn = make([]float32, max(len(n.drawn), min(maskPart, whole.Len())))
	return node
}

// drawMasks redraws the active rows of all dropout sites.
func (n *Network) drawMasks() {
	n.earlier = *n.drops
	for _, m := range n.masks {
		left := m.rows.active * m.cols
		for i := 0; left > 0; i++ {
			drawn := n.drawn[:min(left, maskPart)]
			DrawMask(drawn, m.share, n.drops)
			n.device.Write(m.parts[i], drawn)
			left -= len(drawn)
		}
	}
}

// Params are the parameters, those that are not learned too, in the order in
// which they were added.
func (n *Network) Params() []Param { return n.params }

// NumParams is the number of learned parameters.
func (n *Network) NumParams() int {
	count := 0
	for _, p := range n.Parts() {
		count += p.Params
	}
	return count
}

// PartSize is a part of a network and the number of its learned parameters.
type PartSize struct {
	Part   string
	Params int
}

// Parts counts the learned parameters by what stands before the first dot of
// their names, in the order in which parts were begun. Together they are
// NumParams.
func (n *Network) Parts() []PartSize {
	var out []PartSize
	for _, p := range n.params {
		if !p.learned {
			continue
		}
		part, _, _ := strings.Cut(p.Name, ".")
		i := slices.IndexFunc(out, func(known PartSize) bool { return known.Part == part })
		if i < 0 {
			out, i = append(out, PartSize{Part: part}), len(out)
		}
		out[i].Params += p.Buffer.Len()
	}
	return out
}

// Purpose names one of the independent random streams of a trial.
type Purpose string

// The streams: drawing more from one never changes another.
const (
	ForParameters Purpose = "parameters"
	ForDropout    Purpose = "dropout"
	ForNegatives  Purpose = "negatives"
	ForValidation Purpose = "validation negatives"
	ForArrivals   Purpose = "arrivals"
)

// Rand is the stream for one purpose, derived from the trial's seed alone.
func Rand(seed uint64, p Purpose) *rand.Rand { return rand.New(source(seed, p)) }

func source(seed uint64, p Purpose) *rand.PCG {
	h := fnv.New64a()
	h.Write([]byte(p))
	return rand.NewPCG(seed, h.Sum64())
}
