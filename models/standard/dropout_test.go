package standard

import (
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/cpu"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// TestDropoutShare: where dropout has one factor to draw, a step has one of
// two losses: a quarter of the steps that without what is dropped, the others
// that with 1/(1-1/4) times as much of it.
func TestDropoutShare(t *testing.T) {
	const (
		share = .25
		steps = 400
		unit  = "head: {hidden: [1], dropout: .25}}"
		edge  = "attention: {heads: 1, neighbours: 1, dropout: .25}, head: {dropout: 0}}"
	)
	atUnit, atEdge := []string{"head.W2"}, []string{"conv.lin_value.weight", "conv.lin_value.bias", "conv.lin_edge.weight"}
	for _, c := range []struct {
		model, options string
		task           protocol.Task
		params         []string // that what is dropped is proportional to
	}{
		{"raw", "{" + unit, protocol.NodeClassification, atUnit},
		{"graphsprints", "{" + unit, protocol.NodeClassification, atUnit},
		{"dgs", "{size: 8, blocks: 4, " + unit, protocol.NodeClassification, atUnit},
		{"tgn", "{embedding: identity, " + unit, protocol.NodeClassification, atUnit},
		{"jodie", "{" + unit, protocol.NodeClassification, atUnit},
		{"tgn", "{" + edge, protocol.NodeClassification, atEdge},
		{"tgn", "{" + edge, protocol.LinkPrediction, atEdge},
	} {
		t.Run(c.model+" "+string(c.task)+" "+c.options, func(t *testing.T) {
			stream := modeltest.Random(8, 40)
			copy(stream.Src, []int32{0, 0}) // the first event makes the neighbour
			copy(stream.Dst, []int32{12, 13})
			copy(stream.Label, []int8{0, 1})
			m := optioned(t, cpu.NewDevice(cpu.Best(), 1), c.model, c.options, c.task, stream, 1)
			_, err := m.Train(stream.Slice(0, 1), []int32{14})
			check(t, err)
			b, before := stream.Slice(1, 2), m.Snapshot(models.Everything)
			for _, p := range before.Params {
				if p.Name == "head.b1" {
					p.F32[0] += 3 // the unit is above zero
				}
			}
			dropped, kept := lossWith(t, m, b, before, c.params, 0), lossWith(t, m, b, before, c.params, 1/(1-share))
			count := 0.
			for range steps {
				check(t, m.Restore(before))
				loss, err := m.Train(b, []int32{15})
				check(t, err)
				switch {
				case math.Abs(dropped-kept) < 1e-3:
					t.Fatalf("dropout makes no difference: losses %v and %v", dropped, kept)
				case near(loss, dropped):
					count++
				case !near(loss, kept):
					t.Fatalf("loss %v, expected %v or %v", loss, dropped, kept)
				}
			}
			if got := count / steps; math.Abs(got-share) > 5*math.Sqrt(share*(1-share)/steps) {
				t.Errorf("a share of %.3f is dropped, expected %v", got, share)
			}
		})
	}
}

// lossWith is the loss of an event without dropout, from a snapshot with some
// parameters multiplied.
func lossWith(t *testing.T, m models.Model, b datasets.Stream, from models.Snapshot, params []string, factor float32) float64 {
	from.Params = models.Clone(from.Params)
	for _, p := range from.Params {
		if slices.Contains(params, p.Name) {
			for i := range p.F32 {
				p.F32[i] *= factor
			}
		}
	}
	check(t, m.Restore(from))
	logits := make([]float32, 1)
	if m.Classify(b, logits) == nil {
		return labelledLoss(b.Label, logits, 1)
	}
	constant := lastBias(m)
	return pairLoss(t, m, b, b.Dst, 1, constant) + pairLoss(t, m, b, []int32{15}, 0, constant)
}
