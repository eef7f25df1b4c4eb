package memory_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/reference"
	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/models/tgn"
	"dgsbench/protocol"
)

// classConfigs are small models of every kind, without dropout.
func classConfigs(n memory.NCMemory) map[string]memory.Config {
	out := testConfigs(0)
	for name, c := range out {
		c.Classification = memory.ClassificationDefaults()
		c.Classification.NCMemory = n
		c.Classification.Head.Hidden, c.Classification.Head.Dropout = []int{5}, 0
		out[name] = c
	}
	return out
}

func newClassifier(t testing.TB, d kernels.Device, c memory.Config, s datasets.Stream) *memory.Classifier {
	t.Helper()
	m := memory.NewClassifierOn(d, models.Setup{
		Task: protocol.NodeClassification, NumNodes: testNodes, Users: testUsers, NumFeat: testFeatures, MaxBatch: testBatch,
		Train: s, Seed: 1, Threads: 1,
	}, c)
	return m
}

// labelled is testStream with labels, all but every fifth.
func labelled(n int) datasets.Stream {
	s := testStream(n)
	for k := range s.Label {
		s.Label[k] = int8(k % 3 % 2)
		if k%5 == 0 {
			s.Label[k] = datasets.Unlabelled
		}
	}
	return s
}

// TestGradientMatchesDifferences: the loss of a batch, as a function of every
// parameter, with memories and messages of before the batch given.
func TestGradientMatchesDifferences(t *testing.T) {
	s := labelled(10 * testBatch)
	for k := range s.Time {
		s.Time[k] /= 100 // steps of the frequencies are multiplied by them
	}
	for _, way := range []memory.NCMemory{memory.PerEvent, memory.PyGLast} {
		for name, c := range classConfigs(way) {
			t.Run(fmt.Sprintf("%s, %s", name, way), func(t *testing.T) {
				d := reference.New()
				m := newClassifier(t, d, c, s)
				for lo := 0; lo < s.Len()-testBatch; lo += testBatch {
					train(t, m, s.Slice(lo, lo+testBatch))
				}
				checkGradient(t, m, d, s.Slice(s.Len()-testBatch, s.Len()))
			})
		}
	}
}

func train(t testing.TB, m models.Model, b datasets.Stream) float64 {
	t.Helper()
	loss, err := m.Train(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return loss
}

// checkGradient steps along the sign of each parameter's gradient.
func checkGradient(t *testing.T, m *memory.Classifier, d reference.Device, b datasets.Stream) {
	t.Helper()
	const step = 2e-4
	before := m.Snapshot(models.Everything)
	train(t, m, b)
	gradients := map[string][]float64{}
	for _, p := range before.Params {
		gradients[p.Name] = slices.Clone(d.Exact(m.Gradients()[p.Name])[:len(p.F32)])
	}
	loss := func(p int, along float64) float64 {
		moved := models.Snapshot{Params: models.Clone(before.Params), State: before.State}
		for i, g := range gradients[before.Params[p].Name] {
			moved.Params[p].F32[i] += float32(along * math.Copysign(1, g))
		}
		if err := m.Restore(moved); err != nil {
			t.Fatal(err)
		}
		return train(t, m, b)
	}
	for p, param := range before.Params {
		want := (loss(p, step) - loss(p, -step)) / (2 * step)
		got := 0.0
		for _, g := range gradients[param.Name] {
			got += math.Abs(g)
		}
		if math.Abs(got-want) > 1e-3+.01*want {
			t.Errorf("%s: the gradient's size is %v, the difference %v", param.Name, got, want)
		}
	}
}

// TestPerEventMatchesLoops: any graph; of each node the last occurrence.
func TestPerEventMatchesLoops(t *testing.T) {
	const nodes, features, batch = 7, 2, 9
	rapid.Check(t, func(t *rapid.T) {
		o := memory.Options{Size: 4, Time: 3, Cell: memory.GRU}
		c := (&tgn.Options{Embedding: tgn.Identity, Memory: o, Classification: memory.ClassificationDefaults()}).Config()
		d := reference.New()
		m := memory.NewClassifierOn(d, models.Setup{
			Task: protocol.NodeClassification, NumNodes: nodes, NumFeat: features, MaxBatch: batch, Seed: 3, Threads: 1,
		}, c)
		n, now := newNaive(m, o, nodes), 0.0
		for range rapid.IntRange(1, 5).Draw(t, "batches") {
			b := drawBatch(t, nodes, features, batch, &now)
			n.occur(b)
			if err := m.Observe(b); err != nil {
				t.Fatal(err)
			}
			for i, want := range slices.Concat(n.memories...) {
				if got := d.Exact(m.Memories())[i]; !(math.Abs(got-want) < 1e-6) {
					t.Fatalf("memory %d is %v, expected %v", i, got, want)
				}
			}
			if !slices.Equal(n.updated, m.LastUpdates()) {
				t.Fatalf("last updates %v, expected %v", m.LastUpdates(), n.updated)
			}
		}
	})
}

// occur is a batch without waiting messages.
func (n *naive) occur(b datasets.Stream) {
	after, updated := slices.Clone(n.memories), slices.Clone(n.updated)
	for k := range b.Len() {
		for _, ends := range [][2]int32{{b.Src[k], b.Dst[k]}, {b.Dst[k], b.Src[k]}} {
			h := heard{other: ends[1], time: b.Time[k]}
			for _, x := range b.Features(k) {
				h.features = append(h.features, float64(x))
			}
			after[ends[0]], updated[ends[0]] = n.cell(n.message(ends[0], h), n.memories[ends[0]]), b.Time[k]
		}
	}
	n.memories, n.updated = after, updated
}

// TestUnlabelled: such batches advance the state and change no parameter.
// What is folded in is what classifying would have folded in.
func TestUnlabelled(t *testing.T) {
	s := labelled(6 * testBatch)
	for k := range s.Label {
		s.Label[k] = datasets.Unlabelled
	}
	for name, c := range classConfigs(memory.PerEvent) {
		d := cpu.NewDevice(cpu.Best(), 1)
		trained, classified := newClassifier(t, d, c, s), newClassifier(t, d, c, s)
		before := trained.Snapshot(models.Parameters)
		for lo := 0; lo < s.Len(); lo += testBatch {
			b := s.Slice(lo, lo+testBatch)
			train(t, trained, b)
			if err := classified.Classify(b, make([]float32, testBatch)); err != nil {
				t.Fatal(err)
			}
		}
		got, want := trained.Snapshot(models.Everything), classified.Snapshot(models.Everything)
		for i, p := range before.Params {
			if !slices.Equal(p.F32, got.Params[i].F32) {
				t.Errorf("%s: %s has changed", name, p.Name)
			}
		}
		for i, p := range want.State {
			if !slices.Equal(p.F32, got.State[i].F32) || !slices.Equal(p.I64, got.State[i].I64) {
				t.Errorf("%s: %s is not that of classification", name, p.Name)
			}
		}
	}
}

// What evaluation answers has the bits of what training would have scored: it computes
// once what several events share, and both ends of an event together.
func TestEvaluationScoresAsTraining(t *testing.T) {
	s := labelled(8 * testBatch)
	for name, c := range classConfigs(memory.PerEvent) {
		t.Run(name, func(t *testing.T) {
			d := cpu.NewDevice(cpu.Best(), 2)
			evaluated, trained := newClassifier(t, d, c, s), newClassifier(t, d, c, s)
			for b := range s.Slice(0, s.Len()-testBatch/2).Batches(testBatch) {
				if err := trained.Restore(evaluated.Snapshot(models.Everything)); err != nil {
					t.Fatal(err)
				}
				got, want := make([]float32, b.Len()), make([]float32, b.Len())
				if err := evaluated.Classify(b, got); err != nil {
					t.Fatal(err)
				}
				if _, err := trained.Train(b, nil); err != nil {
					t.Fatal(err)
				}
				d.Read(want, trained.Logits())
				if !slices.Equal(got, want) {
					t.Fatalf("%v, in training %v", got, want)
				}
			}
		})
	}
}
