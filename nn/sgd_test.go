package nn

import (
	"math"
	"testing"

	"dgsbench/internal/fixture"
	"dgsbench/kernels"
)

// TestSGDMatchesPyTorch: plain descent against testdata/adam.json.
func TestSGDMatchesPyTorch(t *testing.T) {
	var f struct {
		Params adamTensors
		Grads  []adamTensors
		SGD    adamCase
	}
	fixture.Read(t, "adam.json", &f)
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

// TestRMSProp compares steps with the equations of torch.optim.RMSprop, in float64.
func TestRMSProp(t *testing.T) {
	const lr, decay = .01, .1
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		p, square := []float64{1, -2, .5}, make([]float64, 3)
		params, rms := NewGroup(d, upload(d, []float32{1, -2, .5})), NewRMSProp(d, lr, decay)
		for _, g := range [][]float32{{.5, -3, 0}, {-1, .25, 2}, {1e-4, 10, -.5}} {
			rms.Step(params, NewGroup(d, upload(d, g)))
			want := make([]float32, len(p))
			for i := range p {
				gradient := float64(g[i]) + decay*p[i]
				square[i] = .99*square[i] + .01*gradient*gradient
				p[i] -= lr * gradient / (math.Sqrt(square[i]) + 1e-8)
				want[i] = float32(p[i])
			}
			closeTo(t, download(d, params.Buffers[0], len(p)), want)
		}
	})
}
