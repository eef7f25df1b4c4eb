package head_test

import (
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/reference"
	"dgsbench/models/head"
	"dgsbench/nn"
)

// TestMeanOverThreeRows: on the reference device the loss is a mean to within
// float64, though 1/3 is no float32 number. The gradient of the last bias is
// the mean of sigmoid(logit) - label.
func TestMeanOverThreeRows(t *testing.T) {
	d := reference.New()
	net, rows := nn.NewNetwork(d, 1), nn.NewRows(3)
	o := head.Defaults()
	o.Dropout = 0
	h := head.On(net, net.Input("x", rows, 2), rows, o, nn.Wanted{})
	d.Write(h.Leaf(), []float32{1, -2, .5, 3, -1, .25})
	labels := []int8{0, 1, 1}
	if !h.TargetLabels(datasets.Stream{Src: make([]int32, 3), Dst: make([]int32, 3), Time: make([]float64, 3), Label: labels}) {
		t.Fatal("no labels")
	}
	h.Training().Run()
	want := 0.
	for i, z := range d.Exact(h.Learned())[:3] {
		want += (1/(1+math.Exp(-z)) - float64(labels[i])) / 3
	}
	bias := slices.Index(h.Training().Names, "head.b2")
	if got := d.Exact(h.Training().Gradients.Buffers[bias])[0]; math.Abs(got-want) > 1e-15 {
		t.Errorf("the gradient of the last bias is %v, expected %v: off by %g", got, want, got-want)
	}
}
