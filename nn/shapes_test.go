package nn

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
)

// TestWrongShapes: a layer on inputs that do not fit panics with its
// name, when the graph is built.
func TestWrongShapes(t *testing.T) {
	g, rows := NewGraph(reference.New()), NewRows(3)
	x, y, one := g.Input("x", rows, 2), g.Input("y", rows, 3), g.Input("one", rows, 1)
	w := g.Param("w", make([]float32, 15), 3, 5)
	b5, b2 := g.Param("b5", make([]float32, 5), 5), g.Param("b2", make([]float32, 2), 2)
	index, offsets := g.Index("index", rows), g.Offsets("offsets", rows)
	for name, build := range map[string]func() *G.Node{
		"dense":        func() *G.Node { return Dense(x, w, b5, false) },
		"dense.relu":   func() *G.Node { return Dense(y, w, b2, true) },
		"linear":       func() *G.Node { return Linear(x, w) },
		"dropout":      func() *G.Node { return Dropout(x, y) },
		"bce":          func() *G.Node { return BCE(x, one, one) },
		"gru":          func() *G.Node { return GRU(y, x, w, w, b5, b5) },
		"time.encode":  func() *G.Node { return TimeEncode(one, b2, b5) },
		"time.project": func() *G.Node { return TimeProject(x, x, b2, b2) },
		"layer norm":   func() *G.Node { return LayerNorm(x, b2, b5, 1e-5) },
		"mix":          func() *G.Node { return Mix(x, x, y, b2, b2) },
		"mix factors":  func() *G.Node { return Mix(x, x, x, b2, b5) },
		"mix rows":     func() *G.Node { return Mix(x, x, x, x, b2) },
		"attend":       func() *G.Node { return Attend(x, x, x, x, Neighbours{Offsets: offsets, Index: index}, 3) },
		"attend heads": func() *G.Node { return Attend(x, y, y, x, Neighbours{Offsets: offsets, Index: index}, 1) },
	} {
		word := strings.Fields(name)[0]
		if got := panicOf(func() { build() }); !strings.Contains(got, word) {
			t.Errorf("%s: panic %q, expected one that names it", name, got)
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
		"dropout of two Rows": Dropout(x, y),
		"scalar + matrix":     G.Must(G.Add(ten, x)),
		"matrix + scalar":     G.Must(G.Add(x, ten)),
	} {
		if panicOf(func() { g.Compile(ForTraining, n) }) == "" {
			t.Errorf("%s compiles", name)
		}
	}
}

// TestGraphsSideBySide is for the race detector: trials build their graphs
// at the same time.
func TestGraphsSideBySide(t *testing.T) {
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		wg.Go(func() {
			m := newMLP(reference.New(), 3, 5, MLPConfig{Hidden: []int{4}}, seed)
			m.Gradient(make([]float32, 15), make([]float32, 5), make([]float32, 5), 5)
		})
	}
	wg.Wait()
}

// panicOf is what f panics with, or "".
func panicOf(f func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}
