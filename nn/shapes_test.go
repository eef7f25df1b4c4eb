package nn

import (
	"strings"
	"sync"
	"testing"

	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
)

// TestWrongShapes: a layer on inputs that do not fit is refused with its
// name, when the graph is built.
func TestWrongShapes(t *testing.T) {
	g, rows := NewGraph(reference.New()), NewRows(3)
	x, y, one := g.Input("x", rows, 2), g.Input("y", rows, 3), g.Input("one", rows, 1)
	w := g.Param("w", make([]float32, 15), 3, 5)
	b5, b2 := g.Param("b5", make([]float32, 5), 5), g.Param("b2", make([]float32, 2), 2)
	index, offsets := g.Index("index", rows), g.Offsets("offsets", rows)
	for name, build := range map[string]func() (*G.Node, error){
		"dense":        func() (*G.Node, error) { return Dense(x, w, b5, false) },
		"dense.relu":   func() (*G.Node, error) { return Dense(y, w, b2, true) },
		"linear":       func() (*G.Node, error) { return Linear(x, w) },
		"dropout":      func() (*G.Node, error) { return Dropout(x, y) },
		"bce":          func() (*G.Node, error) { return BCE(x, one, one) },
		"gru":          func() (*G.Node, error) { return GRU(y, x, w, w, b5, b5) },
		"time.encode":  func() (*G.Node, error) { return TimeEncode(one, b2, b5) },
		"time.project": func() (*G.Node, error) { return TimeProject(x, x, b2, b2) },
		"layer norm":   func() (*G.Node, error) { return LayerNorm(x, b2, b5, 1e-5) },
		"mix":          func() (*G.Node, error) { return Mix(x, x, y, b2, b2) },
		"mix factors":  func() (*G.Node, error) { return Mix(x, x, x, b2, b5) },
		"mix rows":     func() (*G.Node, error) { return Mix(x, x, x, x, b2) },
		"attend":       func() (*G.Node, error) { return Attend(x, x, x, x, Neighbours{Offsets: offsets, Index: index}, 3) },
		"attend heads": func() (*G.Node, error) { return Attend(x, y, y, x, Neighbours{Offsets: offsets, Index: index}, 1) },
	} {
		word := strings.Fields(name)[0]
		if _, err := build(); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v, expected an error that names it", name, err)
		}
	}
}

// TestWrongRows: inputs with active rows of their own do not mix, and sums
// take equal shapes only.
func TestWrongRows(t *testing.T) {
	g := NewGraph(reference.New())
	x, y := g.Input("x", NewRows(3), 2), g.Input("y", NewRows(3), 2)
	ten := G.NewConstant(float32(10))
	for name, n := range map[string]*G.Node{
		"sum of two Rows":     G.Must(G.Add(x, y)),
		"dropout of two Rows": G.Must(Dropout(x, y)),
		"scalar + matrix":     G.Must(G.Add(ten, x)),
		"matrix + scalar":     G.Must(G.Add(x, ten)),
	} {
		if _, err := g.Compile(ForTraining, n); err == nil {
			t.Errorf("%s compiles", name)
		}
	}
}

// TestBatchNormGradientInInference is refused: the batch's own mean is not
// there.
func TestBatchNormGradientInInference(t *testing.T) {
	g, rows := NewGraph(reference.New()), NewRows(3)
	one := func(name string) *G.Node { return g.Param(name, []float32{1}, 1) }
	p := BatchNormParams{Scale: one("scale"), Shift: one("shift"), Mean: one("mean"), Variance: one("variance"), Momentum: .1, Eps: 1e-5}
	z := G.Must(BatchNorm(g.Input("x", rows, 1), p))
	loss := G.Must(BCE(z, g.Input("y", rows, 1), g.Input("w", rows, 1)))
	grads, err := Gradients(loss, p.Scale)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Compile(ForInference, grads...); err == nil {
		t.Error("it compiles")
	}
	if _, err := g.Compile(ForTraining, grads...); err != nil {
		t.Error(err)
	}
}

// TestGraphsSideBySide is for the race detector: trials build their graphs
// at the same time.
func TestGraphsSideBySide(t *testing.T) {
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		wg.Go(func() {
			m, err := NewMLP(reference.New(), MLPConfig{In: 3, Hidden: []int{4}, MaxRows: 5}, seed)
			if err != nil {
				t.Error(err)
				return
			}
			m.Gradient(make([]float32, 15), make([]float32, 5), make([]float32, 5), 5)
		})
	}
	wg.Wait()
}
