package memory_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"
	"dgsbench/kernels/reference"
	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// paddedNodes and paddedBatch make sizes that are several steps of padding.
const paddedNodes, paddedBatch = 230, 50

// paddedStream has batches of sizes of their own: the nodes of each are drawn
// from a number that changes.
func paddedStream(batches int) datasets.Stream {
	rng := rand.New(rand.NewPCG(3, 4))
	s := datasets.Stream{NumNodes: paddedNodes, Users: paddedNodes / 2, NumFeat: testFeatures}
	for i := range batches * paddedBatch {
		some := 10 + int32(i/paddedBatch*37)%100
		s.Src, s.Dst = append(s.Src, rng.Int32N(some)), append(s.Dst, paddedNodes/2+rng.Int32N(some))
		s.Time, s.Label = append(s.Time, float64(20*i)), append(s.Label, int8(rng.IntN(2)))
		s.Feat = append(s.Feat, float32(rng.NormFloat64()), float32(rng.NormFloat64()))
	}
	return s
}

// paddedModel is a model for it, whatever the task is.
type paddedModel interface {
	models.Model
	Network() *nn.Network
	Memories() kernels.Buffer
	Gradients() map[string]kernels.Buffer
	Parameter(name string) kernels.Buffer
}

func newPadded(t *testing.T, d kernels.Device, task protocol.Task, c memory.Config, s datasets.Stream) paddedModel {
	t.Helper()
	setup := models.Setup{
		Task: task, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat, MaxBatch: paddedBatch, Train: s, Seed: 1, Threads: 1,
	}
	if task == protocol.LinkPrediction {
		return memory.NewOn(d, setup, c)
	}
	return memory.NewClassifierOn(d, setup, c)
}

// trainPadded returns the losses of batches.
func trainPadded(t *testing.T, m models.Model, s datasets.Stream) (losses []float64) {
	t.Helper()
	for lo := 0; lo < s.Len(); lo += paddedBatch {
		b := s.Slice(lo, min(lo+paddedBatch, s.Len()))
		negatives := make([]int32, b.Len())
		for k := range negatives {
			negatives[k] = int32((7*lo + 3*k) % s.NumNodes)
		}
		loss, err := m.Train(b, negatives)
		if err != nil {
			t.Fatal(err)
		}
		losses = append(losses, loss)
	}
	return losses
}

// numbersOf are what a model has learned and what it knows.
func numbersOf(m models.Model) map[string][]float32 {
	out, s := map[string][]float32{}, m.Snapshot(models.Everything)
	for _, p := range append(s.Params, s.State...) {
		out[p.Name] = p.F32
	}
	return out
}

// paddedConfigs are models of both tasks.
func paddedConfigs(dropout float64) map[protocol.Task]map[string]memory.Config {
	classes := map[string]memory.Config{}
	for name, c := range testConfigs(dropout) {
		c.Classification = memory.ClassificationDefaults()
		c.Classification.Head.Hidden, c.Classification.Head.Dropout = []int{5}, dropout
		for _, n := range []memory.NCMemory{memory.PerEvent, memory.PyGLast} {
			c.Classification.NCMemory = n
			classes[fmt.Sprintf("%s, %s", name, n)] = c
		}
	}
	return map[protocol.Task]map[string]memory.Config{protocol.LinkPrediction: testConfigs(dropout), protocol.NodeClassification: classes}
}

// TestPaddingChangesNothing: where sums are taken row by row, training with
// padding has the bits of training without it, in the epochs after an
// evaluation, too, when nodes without messages have memories.
func TestPaddingChangesNothing(t *testing.T) {
	s := paddedStream(12)
	devices := map[string]kernels.Device{"reference": reference.New()}
	for _, k := range cpu.Available() {
		devices[k.Level().String()] = cpu.NewDevice(k, 2)
	}
	for on, d := range devices {
		for task, configs := range paddedConfigs(.1) {
			for name, c := range configs {
				t.Run(fmt.Sprintf("%s/%s/%s", on, task, name), func(t *testing.T) {
					run := func(d kernels.Device) (losses []float64, numbers map[string][]float32) {
						m := newPadded(t, d, task, c, s)
						losses = trainPadded(t, m, s.Slice(0, 8*paddedBatch))
						if err := m.Observe(s.Slice(8*paddedBatch, 9*paddedBatch)); err != nil {
							t.Fatal(err)
						}
						losses = append(losses, trainPadded(t, m, s.Slice(9*paddedBatch, s.Len()))...)
						m.Reset()
						return append(losses, trainPadded(t, m, s)...), numbersOf(m)
					}
					again := &devicetest.Repeating{Device: d}
					wantLosses, want := run(devicetest.Single{Device: d})
					losses, got := run(again)
					if !slices.Equal(losses, wantLosses) {
						t.Error("losses differ from those without padding")
					}
					for name := range want {
						if !slices.Equal(got[name], want[name]) {
							t.Errorf("%s differs from that without padding", name)
						}
					}
				})
			}
		}
	}
}

// TestAnyPadding: a batch gives the same bits whatever padding there is of
// batches before it. On a card, which adds every thirty-second row in one
// place, it gives those without padding but for rounding.
func TestAnyPadding(t *testing.T) {
	s := paddedStream(7)
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		for task, configs := range paddedConfigs(0) {
			for name, c := range configs {
				t.Run(fmt.Sprintf("%s/%s", task, name), func(t *testing.T) {
					again := &devicetest.Repeating{Device: d}
					large := newPadded(t, again, task, c, s)
					trainPadded(t, large, s.Slice(0, 5*paddedBatch))
					before, some := large.Snapshot(models.Everything), s.Slice(5*paddedBatch, 6*paddedBatch+20)
					want := trainedBatch(t, d, large, before, some)
					for _, other := range []struct {
						device    kernels.Device
						batches   int // before it
						tolerance float64
					}{{again, 0, 0}, {again, 2, 0}, {devicetest.Single{Device: d}, 0, 1e-5}} {
						m := newPadded(t, other.device, task, c, s)
						trainPadded(t, m, s.Slice(0, other.batches*paddedBatch))
						for name, got := range trainedBatch(t, d, m, before, some) {
							if !nearly(got, want[name], other.tolerance) {
								t.Errorf("%s differs from that with more padding by more than a share of %g", name, other.tolerance)
							}
						}
					}
				})
			}
		}
	})
}

// trainedBatch is what a step from a snapshot finds and leaves behind, after a
// batch that was observed: so there are nodes without messages that have
// memories, which are read behind the padding.
func trainedBatch(t *testing.T, d kernels.Device, m paddedModel, from models.Snapshot, s datasets.Stream) map[string][]float32 {
	t.Helper()
	if err := m.Restore(from); err != nil {
		t.Fatal(err)
	}
	if err := m.Observe(s.Slice(0, paddedBatch)); err != nil {
		t.Fatal(err)
	}
	loss := trainPadded(t, m, s.Slice(paddedBatch, s.Len()))[0]
	out := map[string][]float32{"loss": {float32(loss)}, "memories": numbersIn(d, m.Memories(), paddedNodes*6)}
	for name, g := range m.Gradients() {
		out["gradient of "+name] = numbersIn(d, g, m.Parameter(name).Len())
	}
	return out
}

// numbersIn are the first n of a buffer.
func numbersIn(d kernels.Device, b kernels.Buffer, n int) []float32 {
	out := make([]float32, n)
	d.Read(out, b)
	return out
}

// nearly reports whether numbers differ by no more than a share of the
// largest one. What is zero but for rounding has no large ones.
func nearly(got, want []float32, share float64) bool {
	largest := 1e-3
	for _, w := range want {
		largest = max(largest, math.Abs(float64(w)))
	}
	for i, g := range got {
		if math.Abs(float64(g)-float64(want[i])) > share*largest {
			return false
		}
	}
	return len(got) == len(want)
}
