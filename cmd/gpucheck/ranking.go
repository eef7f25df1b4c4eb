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

// test is a ranking of the test part of a stream against all nodes.
type test struct {
	events, nodes, dim, batch int

	u, p, w []float32
	truth   []int32
}

// newTest is of Wikipedia's size, with random numbers.
func newTest(tiny bool) test {
	t := test{events: 23_621, nodes: 9_227, dim: 100, batch: 200}
	if tiny {
		t.events, t.nodes, t.dim, t.batch = 50, 130, 20, 20
	}
	rng := rand.New(rand.NewPCG(3, 4))
	t.u, t.p, t.w = normal(rng, t.events*t.dim), normal(rng, t.nodes*t.dim), normal(rng, t.dim)
	for range t.events {
		t.truth = append(t.truth, int32(rng.IntN(t.nodes)))
	}
	return t
}

func normal(rng *rand.Rand, n int) []float32 {
	all := make([]float32, n)
	for i := range all {
		all[i] = float32(rng.NormFloat64())
	}
	return all
}

// counts are the answers to all events.
type counts struct{ greater, equal []int32 }

// measureRanking times it on both devices, as one question and batch by batch.
// All ways must count the same on a device, and nearly so on the other one.
func measureRanking(m *measuring) error {
	t := newTest(m.tiny)
	var all []counts
	for _, on := range []devices.Target{m.card, {}} {
		found, err := t.on(m, on)
		if err != nil {
			return fmt.Errorf("%s: %w", on.Name(), err)
		}
		all = append(all, found)
	}
	return t.agree(all[0], all[1])
}

// on times a device. Vectors are there before the clock starts; what is asked
// for and the counts are copied while it runs.
func (t test) on(m *measuring, target devices.Target) (found counts, err error) {
	defer kernels.CatchFailure(&err)
	device, err := target.New(runtime.NumCPU())
	if err != nil {
		return found, err
	}
	r := t.place(device)
	repetitions := 1
	if target.Name() == devices.CUDA {
		repetitions = 20
	}
	for _, way := range []struct {
		name string
		size int
	}{{"one question", t.events}, {fmt.Sprintf("batches of %d", t.batch), t.batch}} {
		seconds, err := m.rounds(repetitions, func() error { return r.ask(way.size) })
		if err != nil {
			return found, err
		}
		now := counts{slices.Clone(r.greater), slices.Clone(r.equal)}
		if found.greater != nil && differing(found, now, 0) > 0 {
			return found, fmt.Errorf("%s: other counts than as one question", way.name)
		}
		found = now
		if err := m.emit(Time{Task: rankingTask, Model: "all nodes", Way: target.Name() + ", " + way.name, Seconds: seconds}); err != nil {
			return found, err
		}
	}
	return found, nil
}

// placed is a test whose vectors are on a device. It has the last counts.
type placed struct {
	test
	counts
	device  kernels.Device
	ranker  kernels.Ranker
	U, P, W kernels.Buffer
}

func (t test) place(device kernels.Device) *placed {
	put := func(x []float32) kernels.Buffer {
		b := device.NewBuffer(len(x))
		device.Write(b, x)
		return b
	}
	return &placed{
		test: t, device: device, ranker: device.NewRanker(t.events, t.dim), U: put(t.u), P: put(t.p), W: put(t.w),
		counts: counts{make([]int32, t.events), make([]int32, t.events)},
	}
}

// ask ranks all events, so many at a time.
func (r *placed) ask(size int) error {
	for lo := 0; lo < r.events; lo += size {
		n := min(size, r.events-lo)
		q := kernels.Ranking{
			Events: n, Nodes: r.nodes, Dim: r.dim, P: r.P, W: r.W, True: r.truth[lo : lo+n],
			U: r.device.View(r.U, lo*r.dim, n*r.dim),
		}
		if bad := r.ranker.Rank(q, r.greater[lo:lo+n], r.equal[lo:lo+n]); bad >= 0 {
			return fmt.Errorf("the score of event %d is not finite", lo+bad)
		}
	}
	return nil
}

// Counts of two devices may differ for candidates whose scores are the truth's
// but for rounding: about one in 10^6, of which an event has 9,227.
const (
	closeCounts = 2   // of one event
	fewEvents   = .02 // of all, may differ at all
)

func (t test) agree(card, processor counts) error {
	if n := differing(card, processor, closeCounts); n > 0 {
		return fmt.Errorf("card and processor: counts of %d events differ by more than %d", n, closeCounts)
	}
	if n := differing(card, processor, 0); float64(n) > fewEvents*float64(t.events) {
		return fmt.Errorf("card and processor: counts of %d of %d events differ", n, t.events)
	}
	return nil
}

// differing is how many events have counts that differ by more than allowed.
func differing(a, b counts, allowed int32) (n int) {
	for e := range a.greater {
		if apart(a.greater[e], b.greater[e]) > allowed || apart(a.equal[e], b.equal[e]) > allowed {
			n++
		}
	}
	return n
}

func apart(a, b int32) int32 { return max(a-b, b-a) }
