package graphsprints

import (
	"math"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/reference"
	"dgsbench/models"
	"dgsbench/models/buckets"

	"pgregory.net/rapid"
)

// TestStatesAgainstDefinition compares with the equation written out with
// one-hot vectors, on graphs with self loops and repeated nodes.
func TestStatesAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStream(t)
		nodes, n := s.NumNodes, s.Len()
		o := &Options{Alpha: rapid.Float64Range(0, 1).Draw(t, "alpha"), Beta: rapid.Float64Range(0, 1).Draw(t, "beta")}
		bs := buckets.New(s, rapid.IntRange(2, 10).Draw(t, "buckets"))
		classified := rapid.Bool().Draw(t, "sources first")
		for name, d := range devices() {
			st := newStates(d, o, bs, nil, models.Setup{NumNodes: nodes, MaxBatch: n})
			for range 2 {
				want := byDefinition(s, st, o)
				if err := st.read(s); err != nil {
					t.Fatal(err)
				}
				if classified {
					st.sourcesAfter(s, d.NewBuffer(n*st.cols))
				}
				st.fold(s)
				for i, got := range st.fields()[0].Floats() {
					if math.Abs(float64(got)-want[i]) > 1e-5 {
						t.Fatalf("%s: entry %d is %v, expected %v", name, i, got, want[i])
					}
				}
			}
		}
	})
}

// byDefinition is the states after s.
func byDefinition(s datasets.Stream, st *states, o *Options) []float64 {
	before, out := widen(st.fields()[0].Floats()), widen(st.fields()[0].Floats())
	row := make([]int32, s.NumFeat)
	for k := range s.Len() {
		delta := make([]float64, st.cols)
		st.buckets.Row(s.Features(k), row)
		for _, b := range row {
			delta[b] = 1
		}
		for _, ends := range [][2]int32{{s.Src[k], s.Dst[k]}, {s.Dst[k], s.Src[k]}} {
			for i := range st.cols {
				self, other := int(ends[0])*st.cols+i, int(ends[1])*st.cols+i
				out[self] = o.Beta*before[self] + (1-o.Beta)*((1-o.Alpha)*delta[i]+o.Alpha*before[other])
			}
		}
	}
	return out
}

// TestBlocksStayBelowOne: every feature's block of a state sums to at most
// one, whatever happens.
func TestBlocksStayBelowOne(t *testing.T) {
	f := loadFixture(t)
	s := f.stream()
	st := newStates(reference.New(), &Options{Alpha: f.Alpha, Beta: f.Beta}, buckets.New(s, 10), nil, models.Setup{NumNodes: f.Dims.N, MaxBatch: s.Len()})
	for range 50 {
		if err := st.read(s); err != nil {
			t.Fatal(err)
		}
		st.fold(s)
	}
	for n := range f.Dims.N {
		state := of(st, int32(n))
		for c, lo := range st.buckets.Offset {
			sum := float32(0)
			for _, v := range state[lo:][:len(st.buckets.Edges[c])+1] {
				sum += v
			}
			if sum > 1+1e-5 {
				t.Errorf("node %d, column %d: the block sums to %v", n, c, sum)
			}
		}
	}
}
