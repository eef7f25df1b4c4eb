package nn

import (
	"math"
	"testing"

	"dgsbench/kernels"
)

// TestBCE: loss and gradient by their formulas, for several numbers of
// active rows.
func TestBCE(t *testing.T) {
	const weight = 2.5
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		g, rows := NewGraph(d), NewRows(4)
		x, y, share := g.Input("x", rows, 1), g.Input("y", rows, 1), g.Input("share", rows, 1)
		w, b := g.Param("w", []float32{.75}, 1, 1), g.Param("b", []float32{-.25}, 1)
		z := Dense(x, w, b, false)
		loss := BCE(z, y, share)
		grads := Gradients(loss, b)
		p := g.Compile(ForTraining, loss, grads[0])
		inputs, targets := []float32{1, -2, .5, 3}, []float32{1, 0, 0, 1}
		d.Write(g.Buffer(x), inputs)
		d.Write(g.Buffer(y), targets)
		for _, n := range []int{4, 1, 3} {
			rows.Set(n)
			shares := make([]float32, n) // of a mean in which positive targets have a weight
			for k := range shares {
				shares[k] = 1 / float32(n)
				if targets[k] == 1 {
					shares[k] *= weight
				}
			}
			d.Write(g.Buffer(share), shares)
			p.Run()
			wantLoss, wantGrad := 0.0, 0.0
			for k := range n {
				q := 1 / (1 + math.Exp(-(.75*float64(inputs[k]) - .25)))
				if targets[k] == 1 {
					wantLoss -= weight * math.Log(q)
					wantGrad += weight * (q - 1)
				} else {
					wantLoss -= math.Log(1 - q)
					wantGrad += q
				}
			}
			closeTo(t, download(d, p.Buffer(loss), 1), []float32{float32(wantLoss / float64(n))})
			closeTo(t, download(d, p.Buffer(grads[0]), 1), []float32{float32(wantGrad / float64(n))})
		}
	})
}
