//go:build gpu

package tpnet

import (
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// TestEncoderOnCard: with an encoder, a card learns and scores as the processor.
func TestEncoderOnCard(t *testing.T) {
	s := modeltest.Random(5, 60)
	m, err := New(models.Setup{
		Task: protocol.LinkPrediction, NumNodes: s.NumNodes, NumFeat: s.NumFeat, MaxBatch: 50, Seed: 1, Threads: 1,
		Device: func(int) (kernels.Device, error) { return cudatest.Device(t), nil },
	}, small())
	check(t, err)
	other := build(t, small(), s, 1)
	nodes := []int32{3, 0, 9, 1}
	got, want := make([]float32, 2*len(nodes)), make([]float32, 2*len(nodes))
	var losses [2]float64
	for i, m := range []*Model{m, other} {
		check(t, m.Observe(s.Slice(0, 10)))
		losses[i], err = m.Train(s.Slice(10, 50), s.Dst[:40])
		check(t, err)
		check(t, m.Score(s.Slice(50, 52), nodes, [][]float32{got, want}[i]))
	}
	if !near(losses[0], losses[1]) {
		t.Errorf("loss %v, on the processor %v", losses[0], losses[1])
	}
	for i := range got {
		if !near(float64(got[i]), float64(want[i])) {
			t.Fatalf("scores %v, on the processor %v", got, want)
		}
	}
}
