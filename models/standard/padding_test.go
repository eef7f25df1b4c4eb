package standard

import (
	"math/rand/v2"
	"testing"

	"dgsbench/datasets"
	"dgsbench/datasets/sim"
	"dgsbench/internal/strictyaml"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"
	"dgsbench/models"
	"dgsbench/protocol"
)

// TestSizesComeAgain: an epoch of a simulated stream has few sizes of
// batches with padding, and the next one hardly any more. With -v it says how
// many programs were prepared.
func TestSizesComeAgain(t *testing.T) {
	for model, options := range map[string]string{
		"jodie": "{memory: {size: 2, time: 2}, head: {hidden: [2]}}",
		"tgn":   "{memory: {size: 2, time: 2}, attention: {size: 2}, head: {hidden: [2]}}",
	} {
		for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
			for _, s := range sim.Simulators {
				if s.Name != "shop-sim" && s.Name != "transfers-sim" {
					continue
				}
				stream, d := sim.Generate(s.Params, 1), &devicetest.Repeating{Device: cpu.NewDevice(cpu.Best(), 1)}
				m := optioned(t, d, model, options, task, stream, 0)
				first := preparedInEpoch(t, d, m, stream)
				next := preparedInEpoch(t, d, m, stream)
				t.Logf("%s, %s, %s: %d batches, %d programs prepared in the first epoch, %d in the next", s.Name, model, task, stream.Len()/sizesBatch, first, next)
				if first > 20 || next > 2 {
					t.Errorf("%s, %s, %s: %d and %d programs prepared, expected at most 20 and 2", s.Name, model, task, first, next)
				}
			}
		}
	}
}

const sizesBatch = 200

// optioned builds a model with options in YAML.
func optioned(t *testing.T, d kernels.Device, model, options string, task protocol.Task, s datasets.Stream, seed uint64) models.Model {
	t.Helper()
	kind, err := models.Lookup(model)
	if err != nil {
		t.Fatal(err)
	}
	o := kind.Options()
	node, err := strictyaml.Parse(model, []byte(options))
	if err == nil {
		err = node.Decode(o)
	}
	if err == nil {
		err = o.Validate()
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := kind.New(models.Setup{
		Task: task, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat, MaxBatch: sizesBatch, Train: s, Seed: seed, Threads: 1,
		Device: func(int) (kernels.Device, error) { return d, nil },
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// preparedInEpoch trains with negatives that are drawn.
func preparedInEpoch(t *testing.T, d *devicetest.Repeating, m models.Model, s datasets.Stream) int {
	t.Helper()
	before, rng := d.Prepared, rand.New(rand.NewPCG(1, 2))
	m.Reset()
	for lo := 0; lo < s.Len(); lo += sizesBatch {
		b := s.Slice(lo, min(lo+sizesBatch, s.Len()))
		negatives := make([]int32, b.Len())
		for k := range negatives {
			negatives[k] = s.Dst[rng.IntN(s.Len())]
		}
		if _, err := m.Train(b, negatives); err != nil {
			t.Fatal(err)
		}
	}
	return d.Prepared - before
}
