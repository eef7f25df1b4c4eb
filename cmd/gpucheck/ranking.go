//go:build gpu

package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"

	"dgsbench/kernels"
	"dgsbench/kernels/devices"
)

// question is a ranking of the test part of a stream against all nodes.
type question struct {
	events, nodes, dim, batch int

	u, p, w []float32
	truth   []int32
}

// newQuestion is of Wikipedia's size, with random numbers.
func newQuestion(tiny bool) question {
	q := question{events: 23_621, nodes: 9_227, dim: 100, batch: 200}
	if tiny {
		q.events, q.nodes, q.dim, q.batch = 50, 130, 20, 20
	}
	rng := rand.New(rand.NewPCG(3, 4))
	normals := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		return x
	}
	q.u, q.p, q.w = normals(q.events*q.dim), normals(q.nodes*q.dim), normals(q.dim)
	q.truth = randomNodes(rng, q.events, q.nodes)
	return q
}

// randomNodes draws n nodes.
func randomNodes(rng *rand.Rand, n, nodes int) []int32 {
	drawn := make([]int32, n)
	for i := range drawn {
		drawn[i] = int32(rng.IntN(nodes))
	}
	return drawn
}

// measureRanking measures both devices, with one question and batch by batch.
// The counts must be equal on a device, and nearly so between devices.
func measureRanking(m *measurement) error {
	q := newQuestion(m.tiny)
	var counts [][]int32
	for _, on := range []devices.Target{m.card, {}} {
		found, err := q.measure(m, on)
		if err != nil {
			return fmt.Errorf("%s: %w", on.Name(), err)
		}
		counts = append(counts, found)
	}
	return q.agree(counts[0], counts[1])
}

// measure measures a device. Vectors are there before the clock starts; the
// question and the counts are copied while it runs. It returns how many nodes
// score above the truth of each event, and then how many exactly as high.
func (q question) measure(m *measurement, on devices.Target) (first []int32, err error) {
	defer kernels.CatchFailure(&err)
	d, err := on.New(runtime.NumCPU())
	if err != nil {
		return nil, err
	}
	upload := func(x []float32) kernels.Buffer {
		b := d.NewBuffer(len(x))
		d.Write(b, x)
		return b
	}
	u, p, w, ranker := upload(q.u), upload(q.p), upload(q.w), d.NewRanker(q.events, q.dim)
	found := make([]int32, 2*q.events)
	greater, equal := found[:q.events], found[q.events:]
	rank := func(size int) error {
		for low := 0; low < q.events; low += size {
			n := min(size, q.events-low)
			bad := ranker.Rank(kernels.Ranking{
				Events: n, Nodes: q.nodes, Dim: q.dim, U: d.View(u, low*q.dim, n*q.dim), P: p, W: w, True: q.truth[low : low+n],
			}, greater[low:low+n], equal[low:low+n])
			if bad >= 0 {
				return fmt.Errorf("the score of event %d is not finite", low+bad)
			}
		}
		return nil
	}
	repetitions := 1
	if on.Name() == devices.CUDA {
		repetitions = 20
	}
	for _, way := range []struct {
		name string
		size int
	}{{"one question", q.events}, {fmt.Sprintf("batches of %d", q.batch), q.batch}} {
		seconds, err := m.rounds(repetitions, onHost, func() error { return rank(way.size) })
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = slices.Clone(found)
		} else if !slices.Equal(first, found) {
			return nil, fmt.Errorf("%s: other counts than as one question", way.name)
		}
		if err := m.times.Encode(Time{Task: rankingTask, Model: "all nodes", Way: on.Name() + ", " + way.name, Seconds: seconds}); err != nil {
			return nil, err
		}
	}
	return first, nil
}

// Counts of two devices may differ for candidates whose scores are the truth's
// but for rounding: about one in 10^6, of which an event has 9,227.
const (
	closeCounts = 2   // of one event
	fewEvents   = .02 // of all, may differ at all
)

func (q question) agree(card, processor []int32) error {
	differ, far := 0, 0 // events
	for e := range q.events {
		greater, equal := card[e]-processor[e], card[q.events+e]-processor[q.events+e]
		if greater != 0 || equal != 0 {
			differ++
		}
		if max(greater, -greater, equal, -equal) > closeCounts {
			far++
		}
	}
	if far > 0 {
		return fmt.Errorf("card and processor: counts of %d events differ by more than %d", far, closeCounts)
	}
	if float64(differ) > fewEvents*float64(q.events) {
		return fmt.Errorf("card and processor: counts of %d of %d events differ", differ, q.events)
	}
	return nil
}
