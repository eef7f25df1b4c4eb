package scale

import (
	"math"
	"runtime"
	"testing"

	"dgsbench/protocol"
)

// held is what a model keeps at each value of a sweep, MB.
func held(t *testing.T, mode Mode, sweep string) (mb []float64) {
	t.Helper()
	p := small(t, "dgs", sweep)
	p.Mode, p.Base = mode, Size{Events: 4_000, Nodes: 300, Features: 3, Batch: 50, Threads: 1}
	for _, point := range measure(t, p).Points {
		if point.Failed() {
			t.Fatal(point.Error)
		}
		mb = append(mb, float64(point.Held))
	}
	return mb
}

// TestMemoryGoesWithNodesAlone: once all nodes were met, not with the length
// of the stream. With more nodes a model keeps at least their states.
func TestMemoryGoesWithNodesAlone(t *testing.T) {
	for _, mode := range []Mode{Inference, Training} {
		length := held(t, mode, "length=20000,100000")
		if math.Abs(length[1]-length[0]) > .02*length[0] {
			t.Errorf("%s: %.3f MB after 20,000 events, %.3f MB after 100,000", mode, length[0], length[1])
		}
		nodes := held(t, mode, "nodes=1000,5000")
		const states = 2 * 4_000 * 100 * 4 / 1e6 // two rows a node
		if grown := nodes[1] - nodes[0]; grown < states || mode == Inference && grown > 1.5*states {
			t.Errorf("%s: 4,000 more nodes take %.3f MB, their states are %.3f MB", mode, grown, states)
		}
	}
}

// TestStreamIsNotHeld: the measurement itself keeps neither events nor
// anything else that grows with them, but a number a chunk.
func TestStreamIsNotHeld(t *testing.T) {
	p := small(t, "user-count", "length=1e6")
	p.Base.Batch = 200
	jobs, err := p.jobs()
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSubject(jobs[0])
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	var most, m runtime.MemStats
	if err := s.stream(t.Context(), func(int) {
		if runtime.ReadMemStats(&m); m.HeapAlloc > most.HeapAlloc {
			most = m
		}
	}); err != nil {
		t.Fatal(err)
	}
	if grown := int64(most.HeapAlloc) - before; grown > 1<<20 {
		t.Errorf("the heap grew by %d bytes in a stream of %s events", grown, p.Sweeps[0].Values[0])
	}
	runtime.KeepAlive(s)
}

// TestAllocations: a model that is known to take nothing is seen to, and one
// that takes something is seen too.
func TestAllocations(t *testing.T) {
	if n := measure(t, small(t, "dgs", "length=100")).Points[0].Allocs; n != 0 {
		t.Errorf("dgs: %v objects a batch, expected none", n)
	}
	p := small(t, "witness", "length=100")
	p.Task = protocol.LinkPrediction
	if n := measure(t, p).Points[0].Allocs; n < 4 {
		t.Errorf("witness: %v objects a batch, expected at least its 4 texts", n)
	}
}
