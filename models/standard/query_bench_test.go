package standard

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/models/tpnet"
	"dgsbench/protocol"
)

// BenchmarkQuery ranks all destinations of Wikipedia for an event and folds it in,
// one event at a time, in the last 2,000 of the stream; parameters are those of the
// seed, and the models know all events before. With
//
//	DGSBENCH_DATA=DIR GOMAXPROCS=1 go test ./models/standard -run xxx -bench Query -benchtime 1x
//
// us-p50 and us-p99 are microseconds a query.
func BenchmarkQuery(b *testing.B) {
	const asked, warm, lite = 2000, 200, "tpnet-lite"
	stream := modeltest.Wikipedia(b)
	c := models.Candidates{Nodes: slices.Compact(slices.Sorted(slices.Values(stream.Dst)))}
	out := models.Counts{Greater: make([]int32, 1), Equal: make([]int32, 1)}
	for _, name := range append(models.Names(), lite) {
		kind, err := models.Lookup(strings.TrimSuffix(name, "-lite"))
		check(b, err)
		options := kind.Options()
		if name == lite {
			options.(*tpnet.Options).Encoder.Neighbours = 0
		}
		if !kind.Supports(protocol.LinkPrediction) || kind.Class == protocol.Oracle || kind.Features == models.FeaturesRequired {
			continue
		}
		b.Run(name, func(b *testing.B) {
			m, err := kind.New(models.Setup{
				Task: protocol.LinkPrediction, NumNodes: stream.NumNodes, Users: stream.Users, NumFeat: stream.NumFeat,
				MaxBatch: 200, Train: stream.Slice(0, stream.Len()/2), Seed: 1, Threads: 1,
			}, options)
			check(b, err)
			for b.Loop() {
				m.Reset()
				for events := range stream.Slice(0, stream.Len()-asked).Batches(200) {
					check(b, m.Observe(events))
				}
				var micros []float64
				for k := stream.Len() - asked; k < stream.Len(); k++ {
					event := stream.Slice(k, k+1)
					start := time.Now()
					check(b, m.Rank(event, c, out))
					check(b, m.Observe(event))
					micros = append(micros, float64(time.Since(start).Nanoseconds())/1e3)
				}
				micros = slices.Sorted(slices.Values(micros[warm:]))
				for _, p := range []int{50, 99} {
					b.ReportMetric(micros[len(micros)*p/100], fmt.Sprintf("us-p%d", p))
				}
			}
		})
	}
}
