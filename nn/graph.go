package nn

import (
	"math"
	"math/rand/v2"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// forward is the part that the training and the inference graph share: one
// definition of the network, from the input to the logits.
type forward struct {
	g      *G.ExprGraph
	x      []float32 // MaxRows x In, behind the input node
	masks  [][]float32
	params G.Nodes
	logits *G.Node
}

// matrix binds a node to a buffer, so that filling the buffer feeds the node.
func matrix(g *G.ExprGraph, name string, rows, cols int, buf []float32) *G.Node {
	t := tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(buf))
	return G.NewMatrix(g, tensor.Float32, G.WithShape(rows, cols), G.WithName(name), G.WithValue(t))
}

func newForward(cfg MLPConfig, layers []Layer, withMasks bool) (*forward, error) {
	f := &forward{g: G.NewGraph(), x: make([]float32, cfg.MaxRows*cfg.In)}
	one := make([]float32, cfg.MaxRows)
	for i := range one {
		one[i] = 1
	}
	ones := matrix(f.g, "ones", cfg.MaxRows, 1, one)
	h := matrix(f.g, "x", cfg.MaxRows, cfg.In, f.x)
	for i, l := range layers {
		w := matrix(f.g, name("W", i), l.In, l.Out, l.W)
		b := matrix(f.g, name("b", i), 1, l.Out, l.B)
		f.params = append(f.params, w, b)
		var err error
		if h, err = dense(h, w, ones, b); err != nil {
			return nil, err
		}
		if i == len(layers)-1 {
			break
		}
		if h, err = G.Rectify(h); err != nil {
			return nil, err
		}
		if withMasks {
			mask := make([]float32, cfg.MaxRows*l.Out)
			f.masks = append(f.masks, mask)
			if h, err = G.HadamardProd(h, matrix(f.g, name("mask", i), cfg.MaxRows, l.Out, mask)); err != nil {
				return nil, err
			}
		}
	}
	f.logits = h
	return f, nil
}

func name(what string, layer int) string { return what + string(rune('1'+layer)) }

// dense is x W + 1 b: the bias as an outer product, because gorgonia's
// broadcast copies the vector row by row.
func dense(x, w, ones, b *G.Node) (*G.Node, error) {
	xw, err := G.Mul(x, w)
	if err != nil {
		return nil, err
	}
	bias, err := G.Mul(ones, b)
	if err != nil {
		return nil, err
	}
	return G.Add(xw, bias)
}

// fill copies the active rows in and clears the others.
func (f *forward) fill(x []float32) {
	clear(f.x[copy(f.x, x):])
}

// inferGraph runs the network forward.
type inferGraph struct {
	*forward
	vm  G.VM
	out G.Value
}

func newInferGraph(cfg MLPConfig, layers []Layer) (*inferGraph, error) {
	f, err := newForward(cfg, layers, false)
	if err != nil {
		return nil, err
	}
	i := &inferGraph{forward: f}
	G.Read(f.logits, &i.out)
	i.vm = G.NewTapeMachine(f.g)
	return i, nil
}

func (i *inferGraph) run(x []float32, rows int, logits []float32) error {
	i.fill(x[:rows*len(i.x)/i.logits.Shape()[0]])
	defer i.vm.Reset()
	if err := i.vm.RunAll(); err != nil {
		return err
	}
	copy(logits[:rows], i.out.Data().([]float32))
	return nil
}

// trainGraph runs the network forward and backward.
type trainGraph struct {
	*forward
	targets, weights []float32
	vm               G.VM
	out              G.Value
	gradValues       []G.Value
	grads            [][]float32
}

func newTrainGraph(cfg MLPConfig, layers []Layer) (*trainGraph, error) {
	f, err := newForward(cfg, layers, true)
	if err != nil {
		return nil, err
	}
	t := &trainGraph{forward: f, targets: make([]float32, cfg.MaxRows), weights: make([]float32, cfg.MaxRows)}
	loss, err := weightedBCE(f.logits,
		matrix(f.g, "targets", cfg.MaxRows, 1, t.targets), matrix(f.g, "weights", cfg.MaxRows, 1, t.weights))
	if err != nil {
		return nil, err
	}
	grads, err := G.Grad(loss, f.params...)
	if err != nil {
		return nil, err
	}
	G.Read(f.logits, &t.out)
	t.gradValues = make([]G.Value, len(grads))
	for i, g := range grads {
		G.Read(g, &t.gradValues[i])
	}
	t.grads = make([][]float32, len(grads))
	t.vm = G.NewTapeMachine(f.g)
	return t, nil
}

// weightedBCE is sum(w (softplus(z) - z y)): binary cross-entropy on logits.
func weightedBCE(z, y, w *G.Node) (*G.Node, error) {
	soft, err := G.Softplus(z)
	if err != nil {
		return nil, err
	}
	zy, err := G.HadamardProd(z, y)
	if err != nil {
		return nil, err
	}
	each, err := G.Sub(soft, zy)
	if err != nil {
		return nil, err
	}
	weighted, err := G.HadamardProd(each, w)
	if err != nil {
		return nil, err
	}
	return G.Sum(weighted)
}

// draw makes new dropout masks: 0 for a dropped unit, 1/(1-p) for the rest.
func (t *trainGraph) draw(rng *rand.Rand, p float64) {
	keep := float32(1 / (1 - p))
	for _, mask := range t.masks {
		for i := range mask {
			mask[i] = keep
			if p > 0 && rng.Float64() < p {
				mask[i] = 0
			}
		}
	}
}

func (t *trainGraph) run(x, targets, weights []float32, rows int) (float64, [][]float32, error) {
	t.fill(x[:rows*len(t.x)/len(t.targets)])
	clear(t.targets[copy(t.targets, targets[:rows]):])
	clear(t.weights[copy(t.weights, weights[:rows]):])
	defer t.vm.Reset()
	if err := t.vm.RunAll(); err != nil {
		return 0, nil, err
	}
	for i, v := range t.gradValues {
		t.grads[i] = v.Data().([]float32)
	}
	return t.loss(rows), t.grads, nil
}

// loss is evaluated in float64 from the logits: the graph's own sum, in
// float32, loses the last digits.
func (t *trainGraph) loss(rows int) float64 {
	z := t.out.Data().([]float32)
	sum := 0.0
	for k := range rows {
		x := float64(z[k])
		sum += float64(t.weights[k]) * (math.Max(x, 0) - x*float64(t.targets[k]) + math.Log1p(math.Exp(-math.Abs(x))))
	}
	return sum
}
