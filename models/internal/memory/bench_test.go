package memory_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/models/jodie"
	"dgsbench/models/modeltest"
	"dgsbench/models/tgn"
	"dgsbench/protocol"
)

// benchmarked are the models with the sizes of their defaults.
func benchmarked() map[string]memory.Config {
	id := tgn.Defaults()
	id.Embedding = tgn.Identity
	return map[string]memory.Config{"tgn-id": id.Config(), "tgn-attn": tgn.Defaults().Config(), "jodie": jodie.Defaults().Config()}
}

// realOrder is Wikipedia's events with 172 random features.
func realOrder(b *testing.B) datasets.Stream {
	s := modeltest.Wikipedia(b)
	const features = 172
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, s.Len()*features)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return s.WithFeatures(x, features)
}

// build returns a model for the stream, trained on its first events.
func build(b *testing.B, c memory.Config, s datasets.Stream, threads, batch, events int) models.Model {
	b.Helper()
	m, err := memory.New(models.Setup{
		Task: protocol.LinkPrediction, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat,
		MaxBatch: batch, Train: s, Seed: 1, Threads: threads,
	}, c)
	if err != nil {
		b.Fatal(err)
	}
	for lo := 0; lo < events; lo += batch {
		trainOn(b, m, s.Slice(lo, lo+batch))
	}
	return m
}

func trainOn(b *testing.B, m models.Model, s datasets.Stream) {
	negatives := make([]int32, s.Len())
	for k := range negatives {
		negatives[k] = int32(s.Users + (s.EventID(k)*7919)%(s.NumNodes-s.Users))
	}
	if _, err := m.Train(s, negatives); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkTrain is a training step on 200 events, 20,000 events into the
// stream.
func BenchmarkTrain(b *testing.B) {
	const batch, warm = 200, 20_000
	s := realOrder(b)
	for name, c := range benchmarked() {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", name, threads), func(b *testing.B) {
				m := build(b, c, s, threads, batch, warm)
				lo := warm
				for b.Loop() {
					trainOn(b, m, s.Slice(lo, lo+batch))
					if lo += batch; lo+batch > s.Len() {
						lo = warm
					}
				}
				b.ReportMetric(float64(batch*b.N)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}

// BenchmarkObserve folds 200 events in.
func BenchmarkObserve(b *testing.B) {
	evaluate(b, func(models.Model, datasets.Stream) error { return nil })
}

// BenchmarkRank ranks 200 events against all nodes and folds them in.
func BenchmarkRank(b *testing.B) {
	candidates, counts := models.Candidates{}, models.Counts{Greater: make([]int32, evaluated), Equal: make([]int32, evaluated)}
	evaluate(b, func(m models.Model, s datasets.Stream) error {
		for v := len(candidates.Nodes); v < s.NumNodes; v++ {
			candidates.Nodes = append(candidates.Nodes, int32(v))
		}
		return m.Rank(s, candidates, counts)
	})
}

// evaluated is the size of a batch of evaluate.
const evaluated = 200

// evaluate asks about batches and folds them in, 20,000 events into the
// stream.
func evaluate(b *testing.B, ask func(models.Model, datasets.Stream) error) {
	const warm = 20_000
	s := realOrder(b)
	for name, c := range benchmarked() {
		b.Run(name, func(b *testing.B) {
			m := build(b, c, s, 2, evaluated, warm)
			lo := warm
			for b.Loop() {
				part := s.Slice(lo, lo+evaluated)
				if err := ask(m, part); err != nil {
					b.Fatal(err)
				}
				if err := m.Observe(part); err != nil {
					b.Fatal(err)
				}
				if lo += evaluated; lo+evaluated > s.Len() {
					lo = warm
				}
			}
			b.ReportMetric(float64(evaluated*b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkClassify is node classification of 200 events, one by one in the
// memory or by PyTorch Geometric's last message, 20,000 events into the
// stream.
func BenchmarkClassify(b *testing.B) {
	const warm = 20_000
	s := realOrder(b)
	for name, c := range benchmarked() {
		for _, n := range []memory.NCMemory{memory.PerEvent, memory.PyGLast} {
			b.Run(fmt.Sprintf("%s/%s", name, n), func(b *testing.B) {
				c.Classification.NCMemory = n
				m, err := memory.Build(models.Setup{
					Task: protocol.NodeClassification, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat,
					MaxBatch: evaluated, Train: s, Seed: 1, Threads: 2,
				}, c)
				if err != nil {
					b.Fatal(err)
				}
				for lo := 0; lo < warm; lo += evaluated {
					if err := m.Observe(s.Slice(lo, lo+evaluated)); err != nil {
						b.Fatal(err)
					}
				}
				lo, logits := warm, make([]float32, evaluated)
				for b.Loop() {
					if err := m.Classify(s.Slice(lo, lo+evaluated), logits); err != nil {
						b.Fatal(err)
					}
					if lo += evaluated; lo+evaluated > s.Len() {
						lo = warm
					}
				}
				b.ReportMetric(float64(evaluated*b.N)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}

// BenchmarkLarge evaluates a batch on 10^6 nodes, after training batches that
// a third of them took part in: flush, ranking against all nodes, update. The
// peak of the process's memory is that of all of it.
func BenchmarkLarge(b *testing.B) {
	const nodes, batch, events = 1_000_000, 2000, 200_000
	rng := rand.New(rand.NewPCG(1, 2))
	s := datasets.Stream{NumNodes: nodes, NumFeat: 4, Label: make([]int8, events), Feat: make([]float32, 4*events)}
	candidates := models.Candidates{}
	for k := range events {
		s.Src, s.Dst, s.Time = append(s.Src, rng.Int32N(nodes)), append(s.Dst, rng.Int32N(nodes)), append(s.Time, float64(k))
	}
	for v := range int32(nodes) {
		candidates.Nodes = append(candidates.Nodes, v)
	}
	counts := models.Counts{Greater: make([]int32, batch), Equal: make([]int32, batch)}
	for name, c := range benchmarked() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				m := build(b, c, s, 2, batch, events)
				b.StartTimer()
				if err := m.Rank(s.Slice(0, batch/10), candidates, counts); err != nil {
					b.Fatal(err)
				}
				if err := m.Observe(s.Slice(0, batch)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
