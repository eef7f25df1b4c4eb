package nn

import (
	"encoding/json"
	"os"
	"testing"

	"dgsbench/kernels"
)

// TestSGDMatchesPyTorch: plain descent against testdata/adam.json.
func TestSGDMatchesPyTorch(t *testing.T) {
	raw, err := os.ReadFile("testdata/adam.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Params adamTensors
		Grads  []adamTensors
		SGD    adamCase
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Grads) == 0 || len(f.SGD.After) != len(f.Grads) {
		t.Fatalf("%d gradients, %d results", len(f.Grads), len(f.SGD.After))
	}
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		sgd, params := NewSGD(d, f.SGD.LR, 0, f.SGD.WeightDecay), f.Params.upload(d)
		for step, g := range f.Grads {
			sgd.Step(params, g.upload(d))
			for i, want := range f.SGD.After[step].flat() {
				closeTo(t, download(d, params.Buffers[i], params.Buffers[i].Len()), want)
			}
		}
	})
}

// TestMomentumByHand: three steps on one number, v = .5 v + g + .1 p.
func TestMomentumByHand(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		sgd, p := NewSGD(d, .1, .5, .1), upload(d, []float32{1})
		want, v := 1.0, 0.0
		for _, g := range []float32{2, -1, .5} {
			sgd.Step(NewGroup(d, p), NewGroup(d, upload(d, []float32{g})))
			v = .5*v + float64(g) + .1*want
			want -= .1 * v
			closeTo(t, download(d, p, 1), []float32{float32(want)})
		}
	})
}
