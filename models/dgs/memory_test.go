package dgs

import (
	"runtime"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/internal/ram"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// TestMemoryIsRefused: four million nodes of 172 features need terabytes.
func TestMemoryIsRefused(t *testing.T) {
	const nodes = 4_000_000
	s := datasets.Stream{NumNodes: nodes, NumFeat: 172}
	for n := range int32(nodes / 2) {
		s.Src, s.Dst = append(s.Src, 2*n), append(s.Dst, 2*n+1)
	}
	o := Defaults()
	o.Size, o.Blocks = 250, 50
	setup := models.Setup{Task: protocol.LinkPrediction, NumNodes: nodes, NumFeat: 172, MaxBatch: 200, Train: s, Threads: 1}
	// A node has 250 x 4 x 172 derivatives by W, and a state in two halves, two
	// more derivatives of it, and a hundred numbers of the head; a write has 1,000
	// lanes.
	const dense, drive = nodes * 4 * (4*250 + 100), 4 * 400 * 1000
	if got, want := Bytes(o, setup), int64(nodes)*4*250*4*172+dense+drive; got != want {
		t.Errorf("%d bytes, expected %d", got, want)
	}
	if _, known := ram.Available(); !known {
		t.Skip("this system does not say how much memory it has")
	}
	for _, o.Jacobian = range []Precision{Float32, BFloat16} {
		_, err := trainOnce(t, setup, o)
		if err == nil || !strings.Contains(err.Error(), "derivatives of 4000000 nodes") || !strings.Contains(err.Error(), "bfloat16") {
			t.Errorf("%v, expected the numbers and what to change", err)
		}
	}
	o.Jacobian = BFloat16
	if got, want := Bytes(o, setup), int64(nodes)*2*250*4*172+dense+drive; got != want {
		t.Errorf("bfloat16: %d bytes, expected %d", got, want)
	}
	for _, o.Gradient = range []Gradient{Truncated, None} {
		if got, want := Bytes(o, setup), int64(nodes)*4*(2*250+100); got != want {
			t.Errorf("%s: %d bytes, expected %d", o.Gradient, got, want)
		}
	}
}

// TestBytesHold: a model of few trained nodes among many takes about what
// Bytes says.
func TestBytesHold(t *testing.T) {
	const nodes = 300_000
	stream := modeltest.Random(5, 400)
	stream.NumNodes = nodes
	setup := models.Setup{Task: protocol.NodeClassification, NumNodes: nodes, NumFeat: stream.NumFeat, MaxBatch: 200, Threads: 1, Train: stream}
	o := Defaults()
	for _, o.Gradient = range []Gradient{Forward, Truncated, None} {
		want := Bytes(o, setup)
		before := heap()
		m, err := New(setup, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Train(stream.Slice(0, 200), nil); err != nil {
			t.Fatal(err)
		}
		if got := heap() - before; float64(got) < .9*float64(want) || float64(got) > 1.1*float64(want)+16<<20 {
			t.Errorf("%s: %d bytes taken, Bytes says %d", o.Gradient, got, want)
		}
		runtime.KeepAlive(m)
	}
}

func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// trainOnce builds the model, which takes nothing, and trains it on a batch.
func trainOnce(t *testing.T, s models.Setup, o *Options) (float64, error) {
	t.Helper()
	nodes := s.NumNodes
	s.NumNodes = 2 // this test does not need the states
	m, err := New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	m.setup.NumNodes = nodes
	b := datasets.Stream{Src: []int32{0}, Dst: []int32{1}, Time: []float64{0}, Label: []int8{1}, Feat: make([]float32, s.NumFeat), NumFeat: s.NumFeat, NumNodes: 2}
	return m.Train(b, []int32{1})
}
