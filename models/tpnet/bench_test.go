package tpnet

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// BenchmarkTPNet takes what peers/tpnet_public.py takes of the public code, with its units
// (but without its perceptrons on features) and with ours, near the end of Wikipedia's stream: a query against all destinations with
// its event folded in, and a step of 200 events. With
//
//	DGSBENCH_DATA=DIR GOMAXPROCS=1 go test ./models/tpnet -run xxx -bench TPNet -benchtime 1x
//
// ms-query is a median, and ms-step a mean.
func BenchmarkTPNet(b *testing.B) {
	const asked, steps, batch = 11, 10, 200
	s := modeltest.Wikipedia(b)
	candidates := models.Candidates{Nodes: slices.Compact(slices.Sorted(slices.Values(s.Dst)))}
	public := Defaults()
	public.Dimension, public.Encoder = 120, Encoder{Neighbours: 20, Channels: 172, Time: 100, Layers: 2, Dropout: .1}
	public.Head.Hidden = []int{172}
	for _, c := range []struct {
		name     string
		o        *Options
		features int // zeros
	}{{"public", public, 172}, {"own", Defaults(), 0}} {
		b.Run(c.name, func(b *testing.B) {
			s := s.WithFeatures(make([]float32, s.Len()*c.features), c.features)
			m, err := New(models.Setup{
				Task: protocol.LinkPrediction, NumNodes: s.NumNodes, Users: s.Users, NumFeat: c.features, MaxBatch: batch, Seed: 1, Threads: 1,
			}, c.o)
			check(b, err)
			m.head.Training() // is compiled
			for b.Loop() {
				m.Reset()
				first := s.Len() - steps*batch - asked
				for events := range s.Slice(0, first).Batches(batch) {
					check(b, m.Observe(events))
				}
				rng := rand.New(rand.NewPCG(1, 0))
				negatives := make([]int32, batch)
				start := time.Now()
				for events := range s.Slice(first, s.Len()-asked).Batches(batch) {
					for k := range negatives {
						negatives[k] = candidates.Nodes[rng.IntN(len(candidates.Nodes))]
					}
					_, err := m.Train(events, negatives)
					check(b, err)
				}
				b.ReportMetric(time.Since(start).Seconds()*1e3/steps, "ms-step")
				var queries []float64
				out := models.Counts{Greater: make([]int32, 1), Equal: make([]int32, 1)}
				for event := range s.Slice(s.Len()-asked, s.Len()).Batches(1) {
					start := time.Now()
					check(b, m.Rank(event, candidates, out))
					check(b, m.Observe(event))
					queries = append(queries, time.Since(start).Seconds()*1e3)
				}
				slices.Sort(queries)
				b.ReportMetric(queries[asked/2], "ms-query")
			}
		})
	}
}
