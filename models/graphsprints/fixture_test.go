package graphsprints

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/internal/fixture"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"
	"dgsbench/kernels/reference"
	"dgsbench/models"
	"dgsbench/models/buckets"
)

// stateFixture is testdata/graphsprints.json: the equation in float64, computed
// with PyTorch.
type stateFixture struct {
	Dims struct {
		N, F, K   int
		Events    int `json:"n"`
		TrainRows int `json:"train_rows"`
	}
	Alpha, Beta  float64
	Src, Dst     []int32
	Feat         [][]float32
	Edges        [][]float64
	BucketCounts []int `json:"bucket_counts"`
	Buckets      [][]int32
	Delta        [][]float64
	batches      map[int]fixtureRun
}

type fixtureRun struct {
	States      [][][]float64
	SourceAfter [][]float64 `json:"source_after"`
	SumBefore   []float64   `json:"sum_before"`
}

func loadFixture(t *testing.T) stateFixture {
	t.Helper()
	var f stateFixture
	var sections map[string]json.RawMessage
	for _, into := range []any{&f, &sections} {
		fixture.Read(t, "graphsprints.json", into)
	}
	f.batches = map[int]fixtureRun{}
	for name, section := range sections {
		size, found := strings.CutPrefix(name, "batch_size_")
		if !found {
			continue
		}
		b, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		var run fixtureRun
		if err := json.Unmarshal(section, &run); err != nil {
			t.Fatal(err)
		}
		f.batches[b] = run
	}
	if len(f.batches) == 0 {
		t.Fatal("the fixture has no batch sizes")
	}
	n := f.Dims.Events
	if n == 0 || len(f.Src) != n || len(f.Buckets) != n || len(f.Delta) != n || len(f.Edges) != f.Dims.F || len(f.BucketCounts) != f.Dims.F {
		t.Fatalf("the fixture does not hold %d events of %d features", n, f.Dims.F)
	}
	for size, run := range f.batches {
		if len(run.States) != (n+size-1)/size || len(run.SourceAfter) != n || len(run.SumBefore) != n {
			t.Fatalf("batch size %d: %d states and %d, %d events, expected those of %d events", size, len(run.States), len(run.SourceAfter), len(run.SumBefore), n)
		}
	}
	return f
}

func (f stateFixture) stream() datasets.Stream {
	n := f.Dims.Events
	s := datasets.Stream{
		Src: f.Src, Dst: f.Dst, Time: make([]float64, n), Label: make([]int8, n),
		NumFeat: f.Dims.F, NumNodes: f.Dims.N,
	}
	for _, row := range f.Feat {
		s.Feat = append(s.Feat, row...)
	}
	return s
}

func TestBucketsMatchFixture(t *testing.T) {
	f := loadFixture(t)
	s := f.stream()
	b := buckets.New(s.Slice(0, f.Dims.TrainRows), 10)
	if b.Size() != f.Dims.K {
		t.Fatalf("%d buckets, expected %d", b.Size(), f.Dims.K)
	}
	for c, want := range f.Edges {
		close64(t, fmt.Sprintf("edges of column %d", c), b.Edges[c], want)
		if got := len(b.Edges[c]) + 1; got != f.BucketCounts[c] {
			t.Errorf("column %d has %d buckets, expected %d", c, got, f.BucketCounts[c])
		}
	}
	row := make([]int32, f.Dims.F)
	for k := range s.Len() {
		b.Row(s.Features(k), row)
		delta := make([]float64, b.Size())
		for c, bucket := range row {
			delta[bucket] = 1
			if got := bucket - int32(b.Offset[c]); got != f.Buckets[k][c] {
				t.Errorf("event %d column %d is in bucket %d, expected %d", k, c, got, f.Buckets[k][c])
			}
		}
		close64(t, fmt.Sprintf("delta of event %d", k), delta, f.Delta[k])
	}
}

func TestStatesMatchFixture(t *testing.T) {
	f := loadFixture(t)
	for size, want := range f.batches {
		for name, d := range devices() {
			t.Run(fmt.Sprintf("batch %d on %s", size, name), func(t *testing.T) { f.checkRun(t, d, size, want) })
		}
		for name, open := range devicetest.Accelerators {
			t.Run(fmt.Sprintf("batch %d on %s", size, name), func(t *testing.T) { f.checkRun(t, open(t), size, want) })
		}
	}
}

func (f stateFixture) checkRun(t *testing.T, d kernels.Device, size int, want fixtureRun) {
	s := f.stream()
	bs := buckets.New(s.Slice(0, f.Dims.TrainRows), 10)
	st := newStates(d, &Options{Alpha: f.Alpha, Beta: f.Beta}, bs, nil, models.Setup{NumNodes: f.Dims.N, MaxBatch: size})
	after, rows := make([]float32, size*st.cols), d.NewBuffer(size*st.cols)
	for i := 0; i*size < s.Len(); i++ {
		b := s.Slice(i*size, min((i+1)*size, s.Len()))
		if err := st.read(b); err != nil {
			t.Fatal(err)
		}
		st.sourcesAfter(b, rows)
		d.Read(after, rows)
		for k := range b.Len() {
			event := i*size + k
			sum := 0.0
			for _, n := range []int32{b.Src[k], b.Dst[k]} {
				for _, v := range of(st, n) {
					sum += float64(v)
				}
			}
			close64(t, fmt.Sprintf("sum before event %d", event), []float64{sum}, want.SumBefore[event:event+1])
			close64(t, fmt.Sprintf("source after event %d", event), widen(after[k*st.cols:][:st.cols]), want.SourceAfter[event])
		}
		st.fold(b)
		if len(want.States[i]) != f.Dims.N {
			t.Fatalf("states of %d nodes, expected %d", len(want.States[i]), f.Dims.N)
		}
		for n, row := range want.States[i] {
			close64(t, fmt.Sprintf("state of node %d after batch %d", n, i), widen(of(st, int32(n))), row)
		}
	}
}

// devices are those that the tests run on.
func devices() map[string]kernels.Device {
	all := map[string]kernels.Device{"reference": reference.New()}
	for _, k := range cpu.Available() {
		all[k.Level().String()] = cpu.NewDevice(k, 2)
	}
	return all
}

// of is the state of a node.
func of(st *states, node int32) []float32 {
	row, out := st.device.NewBuffer(st.cols), make([]float32, st.cols)
	st.Gather([]int32{node}, row)
	st.device.Read(out, row)
	return out
}

func widen(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// close64 uses the tolerance that the fixtures state for float32.
func close64(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, expected %d", what, len(got), len(want))
	}
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 2e-6+2e-5*largest) {
			t.Errorf("%s, entry %d: %v, expected %v", what, i, got[i], want[i])
		}
	}
}
