package memory_test

import (
	"fmt"
	"slices"
	"testing"

	"dgsbench/internal/fixture"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/models/tgn"
	"dgsbench/protocol"
)

// memoryFixture is testdata/tgn_memory.json: the memory by itself, in
// training mode, at the flush and in evaluation.
type memoryFixture struct {
	Dims   struct{ N, M, Td, F int }
	Params map[string]fixture.Array
	Train  []struct {
		events
		Nodes           []int32 `json:"n_id"`
		Z               fixture.Array
		LastUpdate      fixture.Array `json:"last_update"`
		AfterMemory     fixture.Array `json:"after_memory"`
		AfterLastUpdate fixture.Array `json:"after_last_update"`
	}
	Flush struct {
		Memory     fixture.Array
		LastUpdate fixture.Array `json:"last_update"`
	}
	Eval []struct {
		events
		BeforeMemory     fixture.Array `json:"before_memory"`
		BeforeLastUpdate fixture.Array `json:"before_last_update"`
		AfterMemory      fixture.Array `json:"after_memory"`
		AfterLastUpdate  fixture.Array `json:"after_last_update"`
	}
}

const exact = 1e-10

func TestMemoryMatchesPyTorch(t *testing.T) {
	var f memoryFixture
	fixture.Read(t, "tgn_memory.json", &f)
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		m := f.model(t, d)
		check := func(what string, memories, updated fixture.Array) {
			t.Helper()
			matches(t, memories, what+" memory", d, m.Memories(), exact)
			within(t, updated, what+" last update", m.LastUpdates(), 0, 0)
		}
		for i, b := range f.Train {
			what := fmt.Sprintf("batch %d", i)
			z, updated := m.Read(b.Nodes)
			matches(t, b.Z, what+" z", d, z, exact)
			within(t, b.LastUpdate, what+" last update as read", updated, 0, 0)
			m.Fold(b.stream(f.Dims.N, 0, 0))
			check(what, b.AfterMemory, b.AfterLastUpdate)
		}
		m.Flush()
		check("flush", f.Flush.Memory, f.Flush.LastUpdate)
		for i, b := range f.Eval {
			check(fmt.Sprintf("before evaluated batch %d", i), b.BeforeMemory, b.BeforeLastUpdate)
			if err := m.Observe(b.stream(f.Dims.N, 0, 0)); err != nil {
				t.Fatal(err)
			}
			check(fmt.Sprintf("after evaluated batch %d", i), b.AfterMemory, b.AfterLastUpdate)
		}
	})
}

func (f *memoryFixture) model(t *testing.T, d kernels.Device) *memory.Model {
	t.Helper()
	o := tgn.Defaults()
	o.Embedding, o.Memory.Size, o.Memory.Time = tgn.Identity, f.Dims.M, f.Dims.Td
	largest := 0
	for _, b := range f.Train {
		largest = max(largest, len(b.Src))
	}
	m := memory.NewOn(d, models.Setup{
		Task: protocol.LinkPrediction, NumNodes: f.Dims.N, NumFeat: f.Dims.F, MaxBatch: largest, Seed: 1, Threads: 1,
	}, o.Config())
	params := map[string]fixture.Array{}
	for _, p := range m.Snapshot(models.Parameters).Params { // the decoder's are not in the file
		params[p.Name] = fixture.Array{Shape: slices.Clone(p.Shape), Values: make([]float64, len(p.F32))}
	}
	for name, a := range f.Params {
		params[name] = a
	}
	setParams(t, m, params)
	return m
}

// TestLastUpdates is PyTorch Geometric's own test of its memory: ten events,
// batches of five.
func TestLastUpdates(t *testing.T) {
	src, dst := []int32{0, 1, 0, 2, 0, 3, 1, 4, 2, 3}, []int32{1, 2, 1, 1, 3, 2, 4, 3, 3, 4}
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		o := tgn.Defaults()
		o.Embedding, o.Memory.Size, o.Memory.Time = tgn.Identity, 4, 3
		m := memory.NewOn(d, models.Setup{Task: protocol.LinkPrediction, NumNodes: 5, NumFeat: 1, MaxBatch: 5, Seed: 1, Threads: 1}, o.Config())
		batch := func(src, dst []int32, from float64) events {
			e := events{Src: src, Dst: dst, Msg: fixture.Array{Shape: []int{len(src), 1}, Values: make([]float64, len(src))}}
			for k := range src {
				e.T = append(e.T, from+float64(k))
			}
			return e
		}
		everyone := []int32{0, 1, 2, 3, 4}
		m.Fold(batch(src[:5], dst[:5], 0).stream(5, 0, 0))
		if _, got := m.Read(everyone); !slices.Equal(got, []float64{4, 3, 3, 4, 0}) {
			t.Errorf("after the first batch %v", got)
		}
		m.Fold(batch(src[5:], dst[5:], 5).stream(5, 0, 5))
		m.Flush()
		if got := m.LastUpdates(); !slices.Equal(got, []float64{4, 6, 8, 9, 9}) {
			t.Errorf("after the stream %v", got)
		}
		before := make([]float32, 12)
		d.Read(before, m.Memories())
		if err := m.Observe(batch([]int32{3}, []int32{4}, 10).stream(5, 0, 10)); err != nil {
			t.Fatal(err)
		}
		if got := m.LastUpdates(); !slices.Equal(got, []float64{4, 6, 8, 10, 10}) {
			t.Errorf("after one more event %v", got)
		}
		after := make([]float32, 12)
		d.Read(after, m.Memories())
		if !slices.Equal(before, after) {
			t.Error("nodes that took no part have new memories")
		}
	})
}
