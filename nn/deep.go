package nn

import (
	"math"
	"sync"

	"dgsbench/kernels"
)

// deepScorer is the rest of a pair head with several hidden layers or with
// normalised ones. Only the first product splits, so every pair goes through
// what follows, in plain loops on the host.
type deepScorer struct {
	device  kernels.Device
	layers  []layer
	threads int
	first   hostNorm    // between the first product and its ReLU
	rest    []hostLayer // the layers after the first
	u, p    []float32
}

// hostLayer is a copy of one dense layer, y = x W + b. W is in x out, row
// major.
type hostLayer struct {
	in, out int
	w, b    []float32
	norm    hostNorm
}

func newDeepScorer(d kernels.Device, layers []layer, threads int) *deepScorer {
	s := &deepScorer{device: d, layers: layers, threads: threads}
	s.update()
	return s
}

// update takes the present parameters over.
func (s *deepScorer) update() {
	s.first = hostNormOf(s.device, s.layers[0].norm)
	s.rest = s.rest[:0]
	for _, l := range s.layers[1:] {
		s.rest = append(s.rest, hostLayer{l.in, l.out, read(s.device, l.w), read(s.device, l.b), hostNormOf(s.device, l.norm)})
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
	s.u, s.p = grow(s.u, q.Events*q.Dim), grow(s.p, q.Nodes*q.Dim)
	s.device.Read(s.u, q.U)
	s.device.Read(s.p, q.P)
}

func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

// Rank implements kernels.Ranker.
func (s *deepScorer) Rank(q kernels.Ranking, greater, equal []int32) (bad int) {
	s.fetch(q)
	failed := make([]bool, q.Events)
	split(q.Events, s.threads, func(lo, hi int) {
		score := s.scorer(q)
		for e := lo; e < hi; e++ {
			greater[e], equal[e], failed[e] = countAbove(q, e, score)
		}
	})
	for e, f := range failed {
		if f {
			return e
		}
	}
	return -1
}

// countAbove compares the negatives of one event with its true destination.
func countAbove(q kernels.Ranking, e int, score func(e int, v int32) float32) (greater, equal int32, failed bool) {
	truth := score(e, q.True[e])
	failed = truth-truth != 0 // NaN or infinite
	tally := func(v int32, by int32) {
		x := score(e, v)
		failed = failed || x-x != 0
		if x > truth {
			greater += by
		} else if x == truth {
			equal += by
		}
	}
	for _, v := range q.Candidates {
		tally(v, 1)
	}
	q.Excluded(e, func(v int32) { tally(v, -1) })
	return greater, equal, failed
}

// Scores implements kernels.Ranker.
func (s *deepScorer) Scores(q kernels.Ranking, out []float32) {
	s.fetch(q)
	score := s.scorer(q)
	for e := range q.Events {
		for i, v := range q.Candidates {
			out[e*len(q.Candidates)+i] = score(e, v)
		}
	}
}

// scorer returns a function for one goroutine.
func (s *deepScorer) scorer(q kernels.Ranking) func(e int, v int32) float32 {
	width := q.Dim
	for _, l := range s.rest {
		width = max(width, l.out)
	}
	hidden := [2][]float32{make([]float32, width), make([]float32, width)}
	return func(e int, v int32) float32 {
		in, right := hidden[0][:q.Dim], s.p[int(v)*q.Dim:]
		for j, left := range s.u[e*q.Dim:][:q.Dim] {
			in[j] = left + right[j]
		}
		s.first.apply(in)
		rectify(in)
		for i, l := range s.rest {
			out := hidden[(i+1)%2][:l.out]
			l.apply(in, out)
			if i < len(s.rest)-1 {
				l.norm.apply(out)
				rectify(out)
			}
			in = out
		}
		return in[0]
	}
}

// apply computes one row of a dense layer.
func (l hostLayer) apply(in, out []float32) {
	copy(out, l.b)
	for i, v := range in {
		row := l.w[i*l.out:][:l.out]
		for j, w := range row {
			out[j] += v * w
		}
	}
}

func rectify(x []float32) {
	for i, v := range x {
		x[i] = max(v, 0)
	}
}

// split runs work on 0 .. n-1, cut into one range a thread.
func split(n, threads int, work func(lo, hi int)) {
	threads = max(1, min(threads, n))
	var wg sync.WaitGroup
	for t := range threads {
		lo, hi := t*n/threads, (t+1)*n/threads
		wg.Go(func() { work(lo, hi) })
	}
	wg.Wait()
}

// hostNorm is a copy of a normalisation for single rows, as inference has
// it. The zero value does nothing.
type hostNorm struct{ scale, shift []float32 }

func hostNormOf(d kernels.Device, n *norm) hostNorm {
	if n == nil {
		return hostNorm{}
	}
	return hostNorm{scale: read(d, n.scale), shift: read(d, n.shift)}
}

// apply normalises a row in place.
func (n hostNorm) apply(x []float32) {
	if n.scale == nil {
		return
	}
	mean, variance := moments(x)
	for j, v := range x {
		hat := float32((float64(v) - mean) / math.Sqrt(variance+normEps))
		x[j] = hat*n.scale[j] + n.shift[j]
	}
}

// moments are the mean of a row and its variance (divided by its length).
func moments(x []float32) (mean, variance float64) {
	for _, v := range x {
		mean += float64(v)
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean)
	}
	return mean, variance / float64(len(x))
}
