package dgs

import (
	"math/rand/v2"
	"testing"

	"dgsbench/datasets"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/protocol"
)

// faint is a stream on which the embedding must be learnt through memory. A
// user's unlabelled event shows a bit among noise in fifteen other features; the labelled
// event that follows, in a later batch, has noise alone and that bit as its
// label. So no labelled event's own features say anything about W.
func faint(seed uint64, n int) datasets.Stream {
	const users, items, f = 40, 10, 16
	r := rand.New(rand.NewPCG(seed, 7))
	s := datasets.Stream{NumNodes: users + items, Users: users, NumFeat: f}
	bit := make([]int8, users)
	for k := range n {
		u := k % users
		x := make([]float32, f)
		for c := 1; c < f; c++ {
			x[c] = float32(r.NormFloat64())
		}
		label := datasets.Unlabelled
		if k/users%2 == 0 {
			bit[u] = int8(r.IntN(2))
			x[0] = 2*float32(bit[u]) - 1
		} else {
			label = bit[u]
		}
		s.Src, s.Dst = append(s.Src, int32(u)), append(s.Dst, int32(users+r.IntN(items)))
		s.Time, s.Label, s.Feat = append(s.Time, float64(k)), append(s.Label, label), append(s.Feat, x...)
	}
	return s
}

// faintAUC trains a small model and returns its AUC on the unseen
// second half.
func faintAUC(t *testing.T, o *Options, seed uint64) float64 {
	t.Helper()
	const batch, epochs = 10, 40
	stream := faint(seed, 400*batch)
	train, test := stream.Slice(0, stream.Len()/2), stream.Slice(stream.Len()/2, stream.Len())
	m, err := New(models.Setup{
		Task: protocol.NodeClassification, NumNodes: stream.NumNodes, NumFeat: stream.NumFeat, MaxBatch: batch, Train: train, Seed: seed, Threads: 1,
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	for range epochs {
		m.Reset()
		for lo := 0; lo < train.Len(); lo += batch {
			if _, err := m.Train(train.Slice(lo, lo+batch), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	m.Reset()
	facts := metrics.Facts{}
	for _, part := range []datasets.Stream{train, test} {
		facts = metrics.Facts{Score: make([]float32, part.Len()), Label: part.Label}
		for lo := 0; lo < part.Len(); lo += batch {
			if err := m.Classify(part.Slice(lo, lo+batch), facts.Score[lo:]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, metric := range metrics.Of(protocol.NodeClassification) {
		if metric.Name == "auc" {
			value, err := metric.Value(facts)
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	t.Fatal("no metric auc")
	return 0
}

// TestMemoryBeyondTheBatch: DGS learns what DGS-bp cannot.
func TestMemoryBeyondTheBatch(t *testing.T) {
	for seed := range uint64(3) {
		o := Defaults()
		o.Size, o.Blocks, o.Temperature = 8, 4, 1
		forward := faintAUC(t, o, seed)
		o.Gradient = Truncated
		truncated := faintAUC(t, o, seed)
		t.Logf("seed %d: DGS %.3f, DGS-bp %.3f", seed, forward, truncated)
		if forward < .8 || truncated > .6 {
			t.Errorf("seed %d: AUC of DGS %.3f and of DGS-bp %.3f, expected above .8 and below .6", seed, forward, truncated)
		}
	}
}
