package dgs

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// busy is a bipartite stream with as many nodes as Wikipedia's, and about as
// many different ones in a batch of 200: users come back soon after they were
// seen.
func busy(n, f int) datasets.Stream {
	const users, items, window = 8227, 1000, 60
	r := rand.New(rand.NewPCG(1, 9))
	s := datasets.Stream{NumNodes: users + items, Users: users, NumFeat: f, Time: make([]float64, n), Label: make([]int8, n), Feat: make([]float32, n*f)}
	active := make([]int32, window)
	favourite := make([]int32, users)
	for u := range favourite {
		favourite[u] = int32(users + r.IntN(items))
	}
	for i := range active {
		active[i] = int32(r.IntN(users))
	}
	for range n {
		i := r.IntN(window)
		if r.IntN(4) == 0 {
			active[i] = int32(r.IntN(users))
		}
		v := favourite[active[i]]
		if r.IntN(6) == 0 {
			v = int32(users + r.IntN(items))
		}
		s.Src, s.Dst = append(s.Src, active[i]), append(s.Dst, v)
	}
	for i := range s.Feat {
		s.Feat[i] = float32(r.NormFloat64())
	}
	for k := range s.Label {
		s.Label[k] = int8(r.IntN(2))
	}
	return s
}

// batches cuts a stream, with negatives for each.
func batches(s datasets.Stream, size int) (windows []datasets.Stream, negatives [][]int32) {
	r := rand.New(rand.NewPCG(2, 9))
	for lo := 0; lo+size <= s.Len(); lo += size {
		n := make([]int32, size)
		for k := range n {
			n[k] = int32(s.Users + r.IntN(s.NumNodes-s.Users))
		}
		windows, negatives = append(windows, s.Slice(lo, lo+size)), append(negatives, n)
	}
	return windows, negatives
}

// BenchmarkTrain is one batch of 200 events, after a pass over the stream.
func BenchmarkTrain(b *testing.B) {
	stream := busy(20_000, 172)
	windows, negatives := batches(stream, 200)
	for _, task := range []protocol.Task{protocol.LinkPrediction, protocol.NodeClassification} {
		for _, c := range [][2]int{{100, 50}, {100, 20}, {250, 50}} {
			b.Run(fmt.Sprintf("%s/s=%d,m=%d", task, c[0], c[1]), func(b *testing.B) {
				o := Defaults()
				o.Size, o.Blocks, o.Optimiser.LR = c[0], c[1], 1
				m, err := New(models.Setup{
					Task: task, NumNodes: stream.NumNodes, Users: stream.Users, NumFeat: stream.NumFeat, MaxBatch: 200, Train: stream, Threads: 2,
				}, o)
				if err != nil {
					b.Fatal(err)
				}
				for i, w := range windows {
					if _, err := m.Train(w, negatives[i]); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					if _, err := m.Train(windows[i%len(windows)], negatives[i%len(windows)]); err != nil {
						b.Fatal(err)
					}
					i++
				}
				b.ReportMetric(200*float64(b.N)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}

// BenchmarkLists is what the host does for a training batch of 200 links
// before it asks for anything: it should be little beside a card's 127 us.
func BenchmarkLists(b *testing.B) {
	stream := busy(20_000, 4)
	windows, negatives := batches(stream, 200)
	m, err := New(models.Setup{
		Task: protocol.LinkPrediction, NumNodes: stream.NumNodes, Users: stream.Users, NumFeat: stream.NumFeat, MaxBatch: 200, Train: stream, Threads: 1,
	}, Defaults())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := m.Train(windows[0], negatives[0]); err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		m.listRows(windows[i%len(windows)], negatives[i%len(windows)])
		i++
	}
}

// BenchmarkClassify is one batch.
func BenchmarkClassify(b *testing.B) {
	stream := busy(20_000, 172)
	for _, size := range []int{100, 250} {
		for _, batch := range []int{1, 10, 25, 50, 100, 200, 1000} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("s=%d/batch=%d/threads=%d", size, batch, threads), func(b *testing.B) {
					o := Defaults()
					o.Size, o.Blocks = size, 50
					m, err := New(models.Setup{
						Task: protocol.NodeClassification, NumNodes: stream.NumNodes, Users: stream.Users, NumFeat: stream.NumFeat,
						MaxBatch: max(batch, 200), Train: stream, Threads: threads,
					}, o)
					if err != nil {
						b.Fatal(err)
					}
					windows, _ := batches(stream, batch)
					logits := make([]float32, batch)
					i := 0
					b.ReportAllocs()
					for b.Loop() {
						if err := m.Classify(windows[i%len(windows)], logits); err != nil {
							b.Fatal(err)
						}
						i++
					}
				})
			}
		}
	}
}
