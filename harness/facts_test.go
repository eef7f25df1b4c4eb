package harness

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/datasets"
	"dgsbench/metrics"
	"dgsbench/results/record"
)

// TestDataOf: a stream of four events, one of them without a label.
func TestDataOf(t *testing.T) {
	l := &datasets.Loaded{
		Stream: datasets.Stream{
			Src: []int32{0, 1, 0, 1}, Dst: []int32{2, 3, 4, 2}, Time: []float64{10, 20, 30, 30 + 2*metrics.Day}, Label: []int8{1, 0, datasets.Unlabelled, 1},
			Feat: make([]float32, 8), NumFeat: 2, NumNodes: 5, Users: 2,
		},
		Split: datasets.Split{TrainEnd: 2, ValEnd: 3},
	}
	want := &record.Data{
		Nodes: 5, Users: 2, Events: 4, Features: 2, Positives: 2, Labelled: 3, Duration: 20 + 2*metrics.Day,
		Parts: []record.DataPart{{Events: 2, Positives: 1, Days: []int32{0}}, {Events: 1, Days: []int32{0}}, {Events: 1, Positives: 1, Days: []int32{0}}},
	}
	if diff := cmp.Diff(want, dataOf(l)); diff != "" {
		t.Error(diff)
	}
	for k := range l.Stream.Label { // without labels, nobody asks for days
		l.Stream.Label[k] = datasets.Unlabelled
	}
	for _, p := range dataOf(l).Parts {
		if p.Days != nil {
			t.Errorf("%+v", p)
		}
	}
}
