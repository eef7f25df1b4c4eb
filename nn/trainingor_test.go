package nn

import (
	"slices"
	"testing"

	"dgsbench/kernels"
)

// TestTrainingOr: training takes the long way; inference takes the other, which
// may have another number of rows.
func TestTrainingOr(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		net := NewNetwork(d, 1)
		long, short := NewRows(3), NewRows(2)
		x, y := net.Input("x", long, 2), net.Input("y", short, 2)
		out := TrainingOr(x, y)
		long.Set(3)
		short.Set(2)
		d.Write(net.Buffer(x), []float32{1, 2, 3, 4, 5, 6})
		d.Write(net.Buffer(y), []float32{7, 8, 9, 10})
		for mode, want := range map[Mode][]float32{ForTraining: {1, 2, 3, 4, 5, 6}, ForInference: {7, 8, 9, 10}} {
			p := net.Compile(mode, out)
			p.Run()
			if got := download(d, p.Buffer(out), len(want)); !slices.Equal(got, want) {
				t.Errorf("mode %v: %v, expected %v", mode, got, want)
			}
		}
	})
}
