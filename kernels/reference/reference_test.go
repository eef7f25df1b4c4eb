package reference_test

import (
	"math"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/reference"
)

// TestScalarsAreFloat64: a mean over three rows and a step of Adam are exact to
// float64, though 1/3 and .999 are no float32 numbers.
func TestScalarsAreFloat64(t *testing.T) {
	d := reference.New()
	write := func(x ...float64) kernels.Buffer {
		b := d.NewBuffer(len(x))
		d.WriteFloat64(b, x)
		return b
	}
	z, y, third := []float64{-1, .5, 2}, []float64{0, 1, 1}, 1./3
	loss, dz := d.NewBuffer(1), d.NewBuffer(3)
	d.BCE(3, loss, write(z...), write(y...), write(third, third, third))
	d.BCEGrad(3, dz, write(z...), write(y...), write(third, third, third), write(1))
	mean := 0.
	for i, x := range z {
		mean += (math.Log1p(math.Exp(x)) - x*y[i]) / 3
		if got, want := d.Exact(dz)[i], (1/(1+math.Exp(-x))-y[i])/3; math.Abs(got-want) > 1e-15 {
			t.Errorf("gradient %d is %v, expected %v", i, got, want)
		}
	}
	if got := d.Exact(loss)[0]; math.Abs(got-mean) > 1e-15 {
		t.Errorf("the mean is %v, expected %v", got, mean)
	}

	p, g, m, v := write(1), write(.25), write(0), write(0)
	d.Adam(d.NewGroup(p), d.NewGroup(g), d.NewGroup(m), d.NewGroup(v), kernels.AdamStep{
		Size: .001 / (1 - .9), Root: 1 / math.Sqrt(1-.999), Beta1: .9, Rest1: 1 - .9, Beta2: .999, Rest2: 1 - .999, Eps: 1e-8,
	})
	if got, want := d.Exact(p)[0], 1-.001*.25/(.25+1e-8); math.Abs(got-want) > 1e-15 {
		t.Errorf("after a step of Adam the parameter is %v, expected %v", got, want)
	}
}
