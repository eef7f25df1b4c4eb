package nn

import (
	"testing"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// mixTest has alphas and betas for all rows, or for each.
func mixTest(perRow bool) opTest {
	return func(b *opBench) (*G.Node, []func()) {
		rows := NewRows(6)
		matrix := func(name string) *G.Node { return b.input(name, rows, 19) }
		factor := func(name string) *G.Node { return b.param(name, 19) }
		if perRow {
			factor = matrix
		}
		out := Mix(matrix("self"), matrix("other"), matrix("e"), factor("alpha"), factor("beta"))
		return out, []func(){func() { rows.Set(6) }, func() { rows.Set(2) }, func() { rows.Set(0) }}
	}
}

func TestMix(t *testing.T)       { checkOp(t, mixTest(false)) }
func TestMixPerRow(t *testing.T) { checkOp(t, mixTest(true)) }

// TestMixByHand: a beta of one keeps the state, one of zero takes what comes
// in; of that an alpha of one takes the other state, one of zero takes e. The
// last column is .5*2 + .5*(.75*8 + .25*4).
func TestMixByHand(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		g, rows := NewGraph(d), NewRows(1)
		row := func(name string, values ...float32) *G.Node {
			n := g.Input(name, rows, len(values))
			d.Write(g.Buffer(n), values)
			return n
		}
		factor := func(name string, values ...float32) *G.Node { return g.Param(name, values, len(values)) }
		out := Mix(
			row("self", 3, 3, 3, 2), row("other", 5, 5, 5, 4), row("e", 7, 7, 7, 8),
			factor("alpha", .5, 1, 0, .25), factor("beta", 1, 0, 0, .5),
		)
		p := g.Compile(ForInference, out)
		p.Run()
		closeTo(t, download(d, p.Buffer(out), 4), []float32{3, 5, 7, 4.5})
	})
}

// TestMixtureWithoutE: kernels take a missing e for zeros.
func TestMixtureWithoutE(t *testing.T) {
	const rows, cols, n = 3, 19, 57
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		leaf := func(name string, n int) kernels.Buffer { return upload(d, drawn(name, n)) }
		m := &kernels.Mixture{
			Rows: rows, Cols: cols, Self: leaf("self", n), Other: leaf("other", n), Alpha: leaf("alpha", cols), Beta: leaf("beta", cols),
		}
		results := func() (out [][]float32) {
			mixed := d.NewBuffer(n)
			grad := &kernels.MixtureGrad{
				Self: d.NewBuffer(n), Other: d.NewBuffer(n), E: d.NewBuffer(n), Alpha: d.NewBuffer(n), Beta: d.NewBuffer(n),
			}
			d.Mix(m, mixed)
			d.MixGrad(m, leaf("gradient", n), grad)
			for _, b := range []kernels.Buffer{mixed, grad.Self, grad.Other, grad.Alpha, grad.Beta} {
				out = append(out, download(d, b, n))
			}
			return out
		}
		without := results()
		m.E = d.NewBuffer(n)
		sameBits(t, "without e", without, results())
	})
}
