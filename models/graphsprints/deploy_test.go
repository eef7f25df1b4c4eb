package graphsprints

import (
	"fmt"
	"math"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/buckets"
	"dgsbench/models/modeltest"
	"dgsbench/nn"

	"pgregory.net/rapid"
)

// TestHeadsConform runs the conformance suite, deployed models included, on
// all kinds of heads.
func TestHeadsConform(t *testing.T) {
	kind, err := models.Lookup("graphsprints")
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range [][]int{{17}, {9, 6}} {
		for _, norm := range []nn.Norm{nn.NoNorm, nn.WithLayer} {
			o := Defaults()
			o.Head.Hidden, o.Head.Norm = hidden, norm
			t.Run(fmt.Sprintf("%v-%s", hidden, norm), func(t *testing.T) { modeltest.Check(t, kind, o) })
		}
	}
}

// TestProjectedStates: states with a projection are the histograms times the
// matrix, batch after batch, on graphs with self loops and repeated nodes.
func TestProjectedStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStream(t)
		o := &Options{Alpha: rapid.Float64Range(0, 1).Draw(t, "alpha"), Beta: rapid.Float64Range(0, 1).Draw(t, "beta")}
		bs := buckets.New(s, 10)
		cols := rapid.IntRange(1, 40).Draw(t, "columns")
		w := rapid.SliceOfN(rapid.Float32Range(-1, 1), bs.Size()*cols, bs.Size()*cols).Draw(t, "matrix")
		for name, d := range devices() {
			setup := models.Setup{NumNodes: s.NumNodes, MaxBatch: s.Len()}
			p := newProjection(d, bs.Size(), cols, s.Len())
			d.Write(p.w, w)
			plain, projected := newStates(d, o, bs, nil, setup), newStates(d, o, bs, p, setup)
			for range 3 {
				for _, st := range []*states{plain, projected} {
					if err := st.read(s); err != nil {
						t.Fatal(err)
					}
					st.fold(s)
				}
				histograms := plain.fields()[0].Floats()
				for i, got := range projected.fields()[0].Floats() {
					want := 0.0
					for k, h := range histograms[i/cols*bs.Size():][:bs.Size()] {
						want += float64(h) * float64(w[k*cols+i%cols])
					}
					if math.Abs(float64(got)-want) > 1e-5 {
						t.Fatalf("%s: node %d, number %d is %v, expected %v", name, i/cols, i%cols, got, want)
					}
				}
			}
		}
	})
}

// drawStream has two features and may have self loops.
func drawStream(t *rapid.T) datasets.Stream {
	const f = 2
	nodes, n := rapid.IntRange(1, 5).Draw(t, "nodes"), rapid.IntRange(1, 12).Draw(t, "events")
	node := rapid.Int32Range(0, int32(nodes-1))
	s := datasets.Stream{
		Src: rapid.SliceOfN(node, n, n).Draw(t, "src"), Dst: rapid.SliceOfN(node, n, n).Draw(t, "dst"),
		Time: make([]float64, n), Label: make([]int8, n),
		Feat:    rapid.SliceOfN(rapid.Float32Range(-2, 2), f*n, f*n).Draw(t, "feat"),
		NumFeat: f, NumNodes: nodes,
	}
	for k := range s.Time {
		s.Time[k] = float64(k)
	}
	return s
}
