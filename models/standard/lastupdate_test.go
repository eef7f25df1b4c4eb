package standard

import (
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/cpu"
	"dgsbench/models"
	"dgsbench/protocol"
)

// TestLastUpdates: after every step, the times of the last updates of three
// pairs of nodes, by hand. Where messages wait, a node that is read without
// one has its last update at 0, as PyTorch Geometric has it. A negative is
// read and has no memory of that.
func TestLastUpdates(t *testing.T) {
	steps := []struct {
		train    bool
		pair     int32 // its nodes are n and n+3
		time     float64
		negative int32
	}{
		{true, 0, 10, 4},
		{false, 1, 20, 0},
		{true, 0, 30, 4}, // its message was applied at the step before
		{true, 0, 40, 4},
		{false, 2, 50, 0},
	}
	waiting := [][3]float64{{0, 0, 0}, {10, 20, 0}, {0, 20, 0}, {30, 20, 0}, {40, 20, 50}}
	atOnce := [][3]float64{{10, 0, 0}, {10, 20, 0}, {30, 20, 0}, {40, 20, 0}, {40, 20, 50}}
	for _, c := range []struct {
		model, options string
		task           protocol.Task
		want           [][3]float64
	}{
		{"tgn", "{embedding: identity}", protocol.LinkPrediction, waiting},
		{"tgn", "{}", protocol.LinkPrediction, waiting},
		{"jodie", "{}", protocol.LinkPrediction, waiting},
		{"tgn", "{nc_memory: pyg_last}", protocol.NodeClassification, waiting},
		{"tgn", "{}", protocol.NodeClassification, atOnce},
		{"jodie", "{}", protocol.NodeClassification, atOnce},
	} {
		t.Run(c.model+" "+string(c.task)+" "+c.options, func(t *testing.T) {
			stream := datasets.Stream{NumNodes: 6, Users: 3, NumFeat: 1}
			for _, s := range steps {
				stream.Src, stream.Dst = append(stream.Src, s.pair), append(stream.Dst, s.pair+3)
				stream.Time, stream.Label, stream.Feat = append(stream.Time, s.time), append(stream.Label, 1), append(stream.Feat, 1)
			}
			m := optioned(t, cpu.NewDevice(cpu.Best(), 1), c.model, c.options, c.task, stream, 1)
			for i, s := range steps {
				b := stream.Slice(i, i+1)
				if s.train {
					_, err := m.Train(b, []int32{s.negative})
					check(t, err)
				} else {
					check(t, m.Observe(b))
				}
				got, want := lastUpdates(t, m), c.want[i]
				if i == 0 && !slices.Equal(remembered(m), []int{0, 3}) {
					t.Errorf("nodes %v have a memory, expected those of the first event", remembered(m))
				}
				if !slices.Equal(got, slices.Concat(want[:], want[:])) {
					t.Errorf("after step %d: last updates %v, expected %v twice", i+1, got, want)
				}
			}
		})
	}
}

func lastUpdates(t *testing.T, m models.Model) (out []float64) {
	t.Helper()
	for _, s := range m.Snapshot(models.Everything).State {
		if s.Name == "last_update" {
			for _, bits := range s.I64 {
				out = append(out, math.Float64frombits(uint64(bits)))
			}
		}
	}
	return out
}

// remembered are the nodes with a memory.
func remembered(m models.Model) (nodes []int) {
	for _, s := range m.Snapshot(models.Everything).State {
		if s.Name != "memory" {
			continue
		}
		for n := range s.Shape[0] {
			row := s.F32[n*s.Shape[1]:][:s.Shape[1]]
			if slices.ContainsFunc(row, func(v float32) bool { return v != 0 }) {
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}
