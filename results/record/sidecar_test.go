package record

import (
	"math/rand/v2"
	"testing"

	"dgsbench/metrics"
	"dgsbench/protocol"

	"github.com/google/go-cmp/cmp"
)

// of is a trial of the task with a second evaluation, on a stream of that many
// events.
func of(task protocol.Task, events int) Record {
	return Record{Key: Key{CellKey: CellKey{Task: task}}, Evaluations: []string{"replay"}, Data: &Data{Events: events}}
}

// TestLargeSidecars: arrays that are longer than a decompressor's buffers
// come back as they were.
func TestLargeSidecars(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 100_003
	ranking, scores := metrics.Facts{}, metrics.Facts{}
	for range n {
		ranking.Greater = append(ranking.Greater, int32(rng.ExpFloat64()*300))
		ranking.Equal = append(ranking.Equal, rng.Int32N(3))
		scores.Score = append(scores.Score, float32(rng.NormFloat64()))
		scores.Label = append(scores.Label, int8(rng.IntN(3))-1)
	}
	for task, facts := range map[protocol.Task]metrics.Facts{protocol.LinkPrediction: ranking, protocol.NodeClassification: scores} {
		first, second := Parts(task, "")[0], Parts(task, "replay")[0]
		written := Observed{first: facts, second: facts}
		data, err := pack(of(task, maxEvents), written)
		if err != nil {
			t.Fatal(err)
		}
		got := Observed{}
		if err := unpack(of(task, maxEvents), data, got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(written, got); diff != "" {
			t.Errorf("%s (-written +read):\n%.2000s", task, diff)
		}
	}
}

// FuzzSidecar: whatever the file holds, reading it gives facts that are
// possible, or an error.
func FuzzSidecar(f *testing.F) {
	for task, facts := range map[protocol.Task]metrics.Facts{
		protocol.LinkPrediction:     {Greater: []int32{0, 3}, Equal: []int32{1, 0}},
		protocol.NodeClassification: {Score: []float32{.5, -1}, Label: []int8{1, -1}},
	} {
		data, err := pack(of(task, maxEvents), Observed{Parts(task, "")[0]: facts})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(task), data)
	}
	f.Fuzz(func(t *testing.T, task string, data []byte) {
		observed := Observed{}
		if unpack(of(protocol.Task(task), maxEvents), data, observed) != nil {
			return
		}
		for part, facts := range observed {
			if err := facts.Check(); err != nil {
				t.Errorf("%v: %v", part, err)
			}
		}
	})
}
