package standard

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// TestBytesAreWhatIsHeld: what a kind says that a model takes is what it holds
// of a stream whose nodes have all been met, and what more nodes and events add
// to it.
func TestBytesAreWhatIsHeld(t *testing.T) {
	for _, name := range models.Names() {
		kind, err := models.Lookup(name)
		if err != nil || kind.Class == protocol.Oracle || kind.Bytes == nil { // what oracles hold is counted in datasets/sim
			continue
		}
		for _, task := range kind.Tasks {
			t.Run(name+" "+string(task), func(t *testing.T) {
				held, said := holds(t, kind, task, 5_000)
				t.Logf("%d bytes held, %d said: %.2f", held, said, float64(held)/float64(said))
				const fixed = 12 << 20 // parameters, and buffers of a batch
				if held > said+said/10+fixed || said > 2*held {
					t.Errorf("%d bytes held, and %d said before", held, said)
				}
				more, saidMore := holds(t, kind, task, 15_000)
				t.Logf("%d bytes added, %d said: %.2f", more-held, saidMore-said, float64(more-held)/float64(saidMore-said))
				if share := float64(more-held) / float64(saidMore-said); share < .4 || share > 1.3 {
					t.Errorf("with three times the nodes %d bytes more, and %d said before", more-held, saidMore-said)
				}
			})
		}
	}
}

// holds is what a model holds of a stream, and what its kind says before.
func holds(t *testing.T, kind models.Kind, task protocol.Task, nodes int) (held, said int64) {
	const batch = 200
	features, events := 4, 2*nodes
	if kind.Features == models.FeaturesOptional { // messages have them, and nothing goes with their product
		features = 64
	}
	rng := rand.New(rand.NewPCG(1, 1))
	s := datasets.Stream{
		Src: make([]int32, events), Dst: make([]int32, events), Time: make([]float64, events), Label: make([]int8, events),
		Feat: make([]float32, events*features), NumFeat: features, NumNodes: nodes,
	}
	for k := range events {
		s.Src[k], s.Dst[k], s.Time[k], s.Label[k] = int32(k%nodes), rng.Int32N(int32(nodes)), float64(k), int8(k%2)
	}
	for i := range s.Feat {
		s.Feat[i] = float32(rng.NormFloat64())
	}
	all := make([]int32, nodes)
	for n := range all {
		all[n] = int32(n)
	}
	setup := models.Setup{Task: task, NumNodes: nodes, NumFeat: features, MaxBatch: batch, Events: events, Train: s.Slice(0, events/2), Threads: 1}
	said = kind.Bytes(setup, kind.Options())
	before := heap()
	m, err := kind.New(setup, kind.Options())
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Train(s.Slice(0, batch), s.Dst[:batch])
	for lo := batch; lo < events && err == nil; lo += batch {
		if err = m.Observe(s.Slice(lo, lo+batch)); err == nil && task == protocol.NodeClassification {
			err = models.Reveal(m, s.Slice(lo, lo+batch))
		}
	}
	if err == nil && task == protocol.LinkPrediction {
		err = m.Rank(s.Slice(0, 1), models.Candidates{Nodes: all}, models.Counts{Greater: make([]int32, 1), Equal: make([]int32, 1)})
	}
	if err != nil {
		t.Fatal(err)
	}
	held = heap() - before
	runtime.KeepAlive(m)
	runtime.KeepAlive(s)
	runtime.KeepAlive(all)
	return held, said
}

// heap is what is reachable, in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
