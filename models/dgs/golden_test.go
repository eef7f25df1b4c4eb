package dgs

import (
	"math"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/reference"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/protocol"
)

// goldenAlpha and so on are a case worked out by hand and checked by finite
// differences, in float64: s=4, m=2, f=3, T=2, states of zero, and the loss
// is the sum over all events of goldenG S_u' + 1/2 sum over j of goldenG[j]
// S_v'[j]^2.
var (
	goldenAlpha = []float64{.2, .4, .6, .8}
	goldenBeta  = []float64{.9, .7, .5, .3}
	goldenW     = [][]float64{{-.3, -.1, .1}, {0, .2, -.3}, {.3, -.2, 0}, {-.1, .1, .3}}
	goldenG     = []float64{1, -2, .5, 1.5}

	goldenEvents = []event{
		{src: 0, dst: 2, x: []float64{1, -.5, .25}},
		{src: 1, dst: 2, x: []float64{.5, .5, -1}},
		{src: 0, dst: 3, x: []float64{-1, .25, .75}},
		{src: 1, dst: 3, x: []float64{0, 1, .5}},
		{src: 0, dst: 2, x: []float64{.25, -.75, 1.5}},
	}
)

const goldenNodes = 4

// goldenWant is what comes out; rows of W that are the negatives of others
// are left out.
type goldenWant struct {
	loss        float64
	alpha, beta []float64
	w0, w2      []float64
}

var (
	goldenOne = goldenWant{
		loss:  .154040129925,
		alpha: []float64{-.445856211, 2.517769297, -1.033636627, -4.555006036},
		beta:  []float64{-3.565238094, 5.012705500, -.822401661, -1.305373947},
		w0:    []float64{.119968674, .021909317, .134782811}, w2: []float64{-.028824700, -.005503354, -.033898626},
	}
	goldenTwo = goldenWant{
		loss:  .010361772532,
		alpha: []float64{-.440024091, 2.430275240, -.948131633, -3.784629651},
		beta:  []float64{-3.371197729, 4.313436757, -.618090660, -.832167907},
		w0:    []float64{.101975328, .028116981, .119477059}, w2: []float64{-.015897514, -.013806623, -.020165689},
	}
	goldenTruncated = goldenWant{
		loss:  .154040129925,
		alpha: []float64{-.256397738, 1.437664888, -.593104514, -2.689289656},
		beta:  []float64{-2.050649636, 2.858514015, -.471370591, -.771140346},
		w0:    []float64{.047544620, .031492723, .123878787}, w2: []float64{-.009502552, -.008053325, -.031163593},
	}
)

func goldenOptions() *Options {
	o := Defaults()
	o.Size, o.Blocks, o.Temperature = 4, 2, 2
	o.Optimiser.LR = 0
	o.Head = head.Options{Hidden: []int{3}, Norm: "none", PosWeight: 1}
	return o
}

// golden is the case in one model on the reference device.
type golden struct {
	*testing.T
	d reference.Device
	m *Model
}

func newGolden(t *testing.T, batch int) golden {
	g := golden{t, reference.New(), nil}
	g.m = newOn(g.d, models.Setup{Task: protocol.NodeClassification, NumNodes: goldenNodes, NumFeat: 3, MaxBatch: batch, Threads: 1}, goldenOptions())
	for j := range goldenG {
		g.d.Exact(g.m.net.Buffer(g.m.net.alpha.bias))[j] = logit(goldenAlpha[j])
		g.d.Exact(g.m.net.Buffer(g.m.net.beta.bias))[j] = logit(goldenBeta[j])
	}
	for j, row := range goldenW {
		for c, v := range row {
			g.d.Exact(g.m.net.Buffer(g.m.net.w))[c*len(goldenW)+j] = v
		}
	}
	return g
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

func (g golden) train(events []event) {
	b, _ := streamOf(events, goldenNodes)
	if _, err := g.m.Train(b, nil); err != nil {
		g.Fatal(err)
	}
}

// row is that of a node in a table.
func (g golden) row(table []float64, node int) []float64 { return table[4*node:][:4] }

func (g golden) near(what string, got, want []float64) {
	g.Helper()
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= 1e-9) {
			g.Errorf("%s[%d]: %.12f, expected %.12f", what, i, got[i], w)
		}
	}
}

// TestGoldenStates: states and derivatives after the last event.
func TestGoldenStates(t *testing.T) {
	g := newGolden(t, 1)
	for k := range goldenEvents {
		g.train(goldenEvents[k : k+1])
	}
	v := g.m.training.derivatives
	s, a, b := g.d.Exact(g.m.states.first), g.d.Exact(v.a), g.d.Exact(v.b)
	g.near("S_0", g.row(s, 0), []float64{.121478815, .193075074, .215560378, .148528853})
	g.near("S_2", g.row(s, 2), []float64{.110787285, .208930127, .220770629, .153270181})
	g.near("A_0", g.row(a, 0), []float64{-.144986457, -.270978203, -.456582203, -.684958321})
	g.near("B_0", g.row(b, 0), []float64{-1.111402169, -.494570253, -.301861420, -.124381836})
	first := []float64{-.004172491, .017571934, -.044811341}
	j := v.full(g.m.opts)[(0*4+1)*2*3:] // node 0, number 1: its two rows
	for c, want := range first {
		if math.Abs(j[c]-want) > 1e-7 || math.Abs(j[3+c]+want) > 1e-7 {
			t.Errorf("J_0[1], feature %d: %v and %v, expected %v and its negative", c, j[c], j[3+c], want)
		}
	}

	g = newGolden(t, 2)
	for lo := 0; lo < len(goldenEvents); lo += 2 {
		g.train(goldenEvents[lo:min(lo+2, len(goldenEvents))])
	}
	g.near("S_0 in batches of two", g.row(g.d.Exact(g.m.states.first), 0), []float64{.120767815, .185420579, .198787454, .138158825})
}

// TestGoldenGradients: the loss meets the derivatives of the states that
// every event leaves. Forgetting them before each event leaves those of one
// step.
func TestGoldenGradients(t *testing.T) {
	for name, want := range map[string]goldenWant{"forward": goldenOne, "truncated": goldenTruncated} {
		t.Run(name, func(t *testing.T) {
			g := newGolden(t, 1)
			got := goldenWant{alpha: make([]float64, 4), beta: make([]float64, 4), w0: make([]float64, 3), w2: make([]float64, 3)}
			for k, e := range goldenEvents {
				if name == "truncated" && k > 0 {
					g.m.training.derivatives.forgetAll()
				}
				g.train(goldenEvents[k : k+1])
				g.collect(&got, e)
			}
			g.near("loss", []float64{got.loss}, []float64{want.loss})
			g.near("alpha", got.alpha, want.alpha)
			g.near("beta", got.beta, want.beta)
			for i, w := range want.w0 {
				if math.Abs(got.w0[i]-w) > 1e-7 || math.Abs(got.w2[i]-want.w2[i]) > 1e-7 {
					t.Errorf("W, feature %d: %v and %v, expected %v and %v", i, got.w0[i], got.w2[i], w, want.w2[i])
				}
			}
		})
	}
}

// collect adds what an event's loss gives.
func (g golden) collect(sum *goldenWant, e event) {
	v := g.m.training.derivatives
	s, a, b, j := g.d.Exact(g.m.states.first), g.d.Exact(v.a), g.d.Exact(v.b), v.full(g.m.opts)
	for _, node := range []int{e.src, e.dst} {
		for i, weight := range goldenG {
			state := g.row(s, node)[i]
			loss, slope := weight*state, weight
			if node == e.dst {
				loss, slope = weight*state*state/2, weight*state
			}
			sum.loss += loss
			sum.alpha[i] += slope * g.row(a, node)[i]
			sum.beta[i] += slope * g.row(b, node)[i]
			for c := range 3 { // first row of the number's block
				to := sum.w0
				if i >= 2 {
					to = sum.w2
				}
				to[c] += slope * j[((node*4+i)*2)*3+c]
			}
		}
	}
}

// TestGoldenDifferences: the definition that the model's gradients are
// compared with everywhere else gives the same numbers.
func TestGoldenDifferences(t *testing.T) {
	for size, want := range map[int]goldenWant{1: goldenOne, 2: goldenTwo} {
		o := goldenOptions()
		o.Range = Clamp // alpha and beta themselves
		n := &naive{o: o, size: 4, f: 3, w: goldenW, alpha: append([]float64{}, goldenAlpha...), beta: append([]float64{}, goldenBeta...)}
		g := golden{T: t}
		g.near("loss", []float64{goldenLoss(n, size)}, []float64{want.loss})
		slope := func(p *float64) float64 {
			const step = 1e-5
			old := *p
			*p = old + step
			up := goldenLoss(n, size)
			*p = old - step
			down := goldenLoss(n, size)
			*p = old
			return (up - down) / (2 * step)
		}
		for i := range goldenG {
			g.near("alpha", []float64{slope(&n.alpha[i])}, want.alpha[i:i+1])
			g.near("beta", []float64{slope(&n.beta[i])}, want.beta[i:i+1])
		}
		for c := range 3 {
			g.near("W row 0", []float64{slope(&n.w[0][c])}, want.w0[c:c+1])
			g.near("W row 2", []float64{slope(&n.w[2][c])}, want.w2[c:c+1])
		}
	}
}

func goldenLoss(n *naive, size int) float64 {
	n.reset(goldenNodes)
	sum := 0.0
	for lo := 0; lo < len(goldenEvents); lo += size {
		batch := goldenEvents[lo:min(lo+size, len(goldenEvents))]
		for _, e := range batch {
			u, v := n.after(n.s[e.src], n.s[e.dst], e.x), n.after(n.s[e.dst], n.s[e.src], e.x)
			for j, g := range goldenG {
				sum += g*u[j] + g*v[j]*v[j]/2
			}
		}
		n.fold(batch)
	}
	return sum
}

// TestInvariants: the derivatives by the rows of a block add up to zero, also
// after mixing, so those of the gradient do; and nodes that no event touched
// have none.
func TestInvariants(t *testing.T) {
	g := newGolden(t, 2)
	g.m.opts.Optimiser.LR = 1
	var s datasets.Stream
	for lo := 0; lo < len(goldenEvents)-1; lo += 2 {
		s, _ = streamOf(goldenEvents[lo:lo+2], goldenNodes)
		if _, err := g.m.Train(s, nil); err != nil {
			t.Fatal(err)
		}
		w := g.d.Exact(g.m.training.gradients.Buffers[0])
		for c := range 3 {
			for i := 0; i < 4; i += 2 {
				if sum := w[c*4+i] + w[c*4+i+1]; math.Abs(sum) > 1e-15 || w[c*4+i] == 0 {
					t.Errorf("gradient of W, rows %d and %d, feature %d: sum %v of %v", i, i+1, c, sum, w[c*4+i])
				}
			}
		}
		if lo == 0 && g.m.training.derivatives.slots.slot[3] != -1 {
			t.Error("a node without events has a Jacobian")
		}
	}
}
