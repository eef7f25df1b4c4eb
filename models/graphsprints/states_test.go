package graphsprints

import (
	"math"
	"slices"
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
		o := &Options{Alpha: rapid.Float64Range(0, 1).Draw(t, "alpha"), Beta: rapid.Float64Range(0, 1).Draw(t, "beta"), Tau: 10}
		o.Decay = rapid.SampledFrom([]Decay{DecayConstant, DecayByTime}).Draw(t, "decay")
		bs := buckets.New(s, rapid.IntRange(2, 10).Draw(t, "buckets"))
		classified := rapid.Bool().Draw(t, "sources first")
		for name, d := range devices() {
			st := newStates(d, o, bs, nil, models.Setup{NumNodes: nodes, MaxBatch: n})
			last, s := map[int32]float64{}, s
			for range 2 {
				want := byDefinition(s, st, o, last)
				if err := st.read(s); err != nil {
					t.Fatal(err)
				}
				if classified {
					st.sourcesAfter(s, d.NewBuffer(n*st.cols))
				}
				st.fold(s)
				for i, got := range st.Tensors()[0].F32 {
					if math.Abs(float64(got)-want[i]) > 1e-5 {
						t.Fatalf("%s: entry %d is %v, expected %v", name, i, got, want[i])
					}
				}
				s.Time = slices.Clone(s.Time)
				for k, now := range s.Time {
					last[s.Src[k]], last[s.Dst[k]] = now, now
					s.Time[k] += 20
				}
			}
		}
	})
}

// byDefinition is the states after s; last are the times of the nodes' last
// events before it.
func byDefinition(s datasets.Stream, st *states, o *Options, last map[int32]float64) []float64 {
	before, out := widen(st.Tensors()[0].F32), widen(st.Tensors()[0].F32)
	row := make([]int32, s.NumFeat)
	for k := range s.Len() {
		delta := make([]float64, st.cols)
		if st.buckets.Row(s.Features(k), row) != nil {
			panic("finite features")
		}
		for _, b := range row {
			delta[b] = 1
		}
		for _, ends := range [][2]int32{{s.Src[k], s.Dst[k]}, {s.Dst[k], s.Src[k]}} {
			beta := o.Beta
			if then, seen := last[ends[0]]; o.Decay == DecayByTime && !seen {
				beta = 0
			} else if o.Decay == DecayByTime {
				beta = math.Exp((then - s.Time[k]) / o.Tau)
			}
			for i := range st.cols {
				self, other := int(ends[0])*st.cols+i, int(ends[1])*st.cols+i
				out[self] = beta*before[self] + (1-beta)*((1-o.Alpha)*delta[i]+o.Alpha*before[other])
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

// TestDecayByTime: what is kept depends on the time since the last event
// that is in the table, exp(-dt/tau).
func TestDecayByTime(t *testing.T) {
	o := Defaults()
	o.Decay, o.Tau, o.Alpha = DecayByTime, 10, 0
	s := datasets.Stream{
		Src: []int32{0, 0, 0}, Dst: []int32{1, 1, 1}, Time: []float64{0, 10, 30}, Label: make([]int8, 3),
		Feat: []float32{0, 1, 1}, NumFeat: 1, NumNodes: 2,
	}
	st := newStates(reference.New(), o, buckets.New(s, 2), nil, models.Setup{NumNodes: 2, MaxBatch: 1})
	for k, want := range [][]float64{{1, 0}, {math.Exp(-1), 1 - math.Exp(-1)}, {math.Exp(-3), 1 - math.Exp(-3)}} {
		b := s.Slice(k, k+1)
		if err := st.read(b); err != nil {
			t.Fatal(err)
		}
		st.fold(b)
		close64(t, "state of node 0", widen(of(st, 0)), want)
	}
}
