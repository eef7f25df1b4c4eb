package nn

import (
	"math"
	"slices"
	"sync"

	"dgsbench/kernels"
)

// deepScorer is the rest of a pair head with several hidden layers or with
// normalised ones. Only the first product splits, so every pair goes through
// what follows, in plain loops on the host.
type deepScorer struct {
	device  kernels.Device
	threads int
	layers  []hostLayer // after the first product
	u, p    []float32
}

// hostLayer is a copy of what lies between two products, and of the second:
// y = relu(norm(x)) W + b, without norm where scale is nil. W is in x out, row
// major.
type hostLayer struct {
	scale, shift, w, b []float32
}

// update copies the parameters, which have changed.
func (s *deepScorer) update(layers []layer) {
	s.layers = s.layers[:0]
	for i, l := range layers[1:] {
		h := hostLayer{w: read(s.device, l.w), b: read(s.device, l.b)}
		if before := layers[i]; before.scale != nil {
			h.scale, h.shift = read(s.device, before.scale), read(s.device, before.shift)
		}
		s.layers = append(s.layers, h)
	}
}

// read copies a buffer.
func read(d kernels.Device, b kernels.Buffer) []float32 {
	out := make([]float32, b.Len())
	d.Read(out, b)
	return out
}

// fetch copies the parts of the first layer from the device.
func (s *deepScorer) fetch(q kernels.Ranking) {
	grow := func(x []float32, n int) []float32 { return slices.Grow(x[:0], n)[:n] }
	s.u, s.p = grow(s.u, q.Events*q.Dim), grow(s.p, q.Nodes*q.Dim)
	s.device.Read(s.u, q.U)
	s.device.Read(s.p, q.P)
}

// Rank implements kernels.Ranker.
func (s *deepScorer) Rank(q kernels.Ranking, greater, equal []int32) (bad int) {
	q.CheckCounts(greater, equal)
	s.fetch(q)
	finite := make([]bool, q.Events)
	var all sync.WaitGroup
	for t := range min(s.threads, q.Events) {
		all.Go(func() {
			score := s.scorer(q)
			for e := t; e < q.Events; e += s.threads {
				greater[e], equal[e], finite[e] = kernels.CountAbove(&q, e, score)
			}
		})
	}
	all.Wait()
	return slices.Index(finite, false)
}

// Scores implements kernels.Ranker.
func (s *deepScorer) Scores(q kernels.Ranking, out []float32) {
	q.CheckScores(out)
	s.fetch(q)
	score := s.scorer(q)
	n := q.NumCandidates()
	for e := range q.Events {
		for i := range n {
			out[e*n+i] = score(e, q.Candidate(i))
		}
	}
}

// scorer returns a function for one goroutine.
func (s *deepScorer) scorer(q kernels.Ranking) func(e int, v int32) float32 {
	width := q.Dim
	for _, l := range s.layers {
		width = max(width, len(l.b))
	}
	x, y := make([]float32, width), make([]float32, width)
	return func(e int, v int32) float32 {
		in, out, right := x[:q.Dim], y, s.p[int(v)*q.Dim:]
		for j, left := range s.u[e*q.Dim:][:q.Dim] {
			in[j] = left + right[j]
		}
		for _, l := range s.layers {
			in, out = l.apply(in, out), in[:width]
		}
		return in[0]
	}
}

// apply computes one row, in the place of out. It changes in.
func (l hostLayer) apply(in, out []float32) []float32 {
	l.normalise(in)
	out = append(out[:0], l.b...)
	for i, v := range in {
		v = max(v, 0)
		for j, w := range l.w[i*len(out):][:len(out)] {
			out[j] += v * w
		}
	}
	return out
}

// normalise normalises a row in place, as LayerNorm does.
func (l hostLayer) normalise(x []float32) {
	if l.scale == nil {
		return
	}
	var mean, variance float64
	for _, v := range x {
		mean += float64(v)
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean)
	}
	variance /= float64(len(x))
	for j, v := range x {
		hat := float32((float64(v) - mean) / math.Sqrt(variance+normEps))
		x[j] = hat*l.scale[j] + l.shift[j]
	}
}
