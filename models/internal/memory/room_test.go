package memory_test

import (
	"slices"
	"testing"

	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/protocol"
)

// TestRoomGrows: a batch that reads more messages than the graph was built
// for gives the numbers of a graph with more room.
func TestRoomGrows(t *testing.T) {
	s := testStream(12 * testBatch)
	var numbers [2][]float64
	for i, most := range []int{testBatch, 20 * testBatch} {
		m, err := memory.New(models.Setup{
			Task: protocol.LinkPrediction, NumNodes: testNodes, Users: testUsers, NumFeat: testFeatures, MaxBatch: most,
			Train: s, Seed: 1, Threads: 1,
		}, testConfigs(.1)["tgn-id, mean"])
		if err != nil {
			t.Fatal(err)
		}
		first := m.Generation()
		for lo := 0; lo < s.Len(); lo += testBatch {
			b := s.Slice(lo, lo+testBatch)
			b.Src = slices.Repeat([]int32{int32(lo / testBatch % testUsers)}, testBatch) // one user a batch
			loss, err := m.Train(b, everyone()[:testBatch])
			if err != nil {
				t.Fatal(err)
			}
			numbers[i] = append(numbers[i], loss)
		}
		if grown := m.Generation() > first; grown != (i == 0) {
			t.Errorf("built for batches of %d: graph built anew: %t", most, grown)
		}
	}
	if !slices.Equal(numbers[0], numbers[1]) {
		t.Errorf("losses %v, with more room %v", numbers[0], numbers[1])
	}
}
