package graphsprints

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// BenchmarkClassify is 200 batches of 200 events in Wikipedia's order with
// 172 random features, the states being those of an earlier pass: the time of
// an operation is that of all batches.
func BenchmarkClassify(b *testing.B) {
	const size, batches, features = 200, 200, 172
	s := wikipedia(b, size*batches, features)
	for _, threads := range []int{1, 2} {
		m, err := New(models.Setup{
			Task: protocol.NodeClassification, NumNodes: s.NumNodes, NumFeat: features, MaxBatch: size,
			Train: s.Slice(0, s.Len()/2), Seed: 1, Threads: threads,
		}, Defaults())
		if err != nil {
			b.Fatal(err)
		}
		lean, err := m.Deploy()
		if err != nil {
			b.Fatal(err)
		}
		for _, form := range []struct {
			name string
			models.Model
		}{{"plain", m}, {"deployed", lean}} {
			pass := func() {
				for at := 0; at < s.Len(); at += size {
					if err := form.Classify(s.Slice(at, at+size), make([]float32, size)); err != nil {
						b.Fatal(err)
					}
				}
			}
			pass()
			b.Run(fmt.Sprintf("%s/threads=%d", form.name, threads), func(b *testing.B) {
				for b.Loop() {
					pass()
				}
			})
		}
	}
}

// wikipedia has the last n events of the stream, with features drawn from
// the normal distribution.
func wikipedia(b *testing.B, n, features int) datasets.Stream {
	s := modeltest.Wikipedia(b)
	s = s.Slice(s.Len()-n, s.Len())
	rng := rand.New(rand.NewPCG(1, 0))
	s.NumFeat, s.Feat = features, make([]float32, n*features)
	for i := range s.Feat {
		s.Feat[i] = float32(rng.NormFloat64())
	}
	return s
}
