package dgs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/reference"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/protocol"

	"pgregory.net/rapid"
)

// frozen are options under which nothing learns: gradients can be added up.
func frozen(hidden int) *Options {
	o := Defaults()
	o.Optimiser.LR = 0
	o.Head = head.Options{Hidden: []int{hidden}, Norm: "none", PosWeight: 1}
	return o
}

// drawEvents are some events, also self loops and repeated nodes.
func drawEvents(r *rand.Rand, count, nodes, f int) []event {
	out := make([]event, count)
	for k := range out {
		e := event{src: r.IntN(nodes), dst: r.IntN(nodes), neg: r.IntN(nodes), label: float64(r.IntN(2))}
		for range f {
			e.x = append(e.x, float64(float32(.2+r.Float64())))
		}
		out[k] = e
	}
	return out
}

// streamOf makes a batch of events.
func streamOf(events []event, nodes int) (datasets.Stream, []int32) {
	s := datasets.Stream{NumNodes: nodes, NumFeat: len(events[0].x)}
	var negatives []int32
	for k, e := range events {
		s.Src, s.Dst = append(s.Src, int32(e.src)), append(s.Dst, int32(e.dst))
		s.Time, s.Label = append(s.Time, float64(k)), append(s.Label, int8(e.label))
		for _, v := range e.x {
			s.Feat = append(s.Feat, float32(v))
		}
		negatives = append(negatives, int32(e.neg))
	}
	return s, negatives
}

// setting is one random case.
type setting struct {
	o            *Options
	events       []event
	batch, nodes int
	pairs        bool
	naive        *naive
}

func drawSetting(t *rapid.T) setting {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	h, m := rapid.IntRange(2, 4).Draw(t, "h"), rapid.IntRange(1, 2).Draw(t, "m")
	o := frozen(3)
	o.Size, o.Blocks, o.SumFloor = h*m, m, 0
	o.Embedding = rapid.SampledFrom([]Embedding{Softmax, Sum, Sparsemax, Entmax}).Draw(t, "embedding")
	o.Factors = rapid.SampledFrom([]Factors{Vector, Scalar, Input}).Draw(t, "factors")
	o.Temperature = rapid.SampledFrom([]float64{1, 2.5}).Draw(t, "temperature")
	if o.Factors != Input {
		o.Range = rapid.SampledFrom([]Range{Sigmoid, Clamp}).Draw(t, "range")
	}
	c := setting{o: o, pairs: rapid.Bool().Draw(t, "pairs"), batch: rapid.IntRange(1, 5).Draw(t, "batch"), nodes: rapid.IntRange(2, 6).Draw(t, "nodes")}
	f := rapid.IntRange(1, 3).Draw(t, "f")
	c.events = drawEvents(r, rapid.IntRange(4, 10).Draw(t, "events"), c.nodes, f)
	c.naive = drawNaive(r, o, f, 3, c.pairs)
	return c
}

// model is a model with the parameters of the naive one.
func (c setting) model(t fatal, d kernels.Device) *Model {
	task := protocol.NodeClassification
	if c.pairs {
		task = protocol.LinkPrediction
	}
	m := newOn(d, models.Setup{Task: task, NumNodes: c.nodes, NumFeat: c.naive.f, MaxBatch: c.batch, Threads: 1}, c.o)
	c.naive.put(t, m)
	return m
}

type fatal interface{ Fatal(...any) }

// put gives a model the parameters.
func (n *naive) put(t fatal, m *Model) {
	below := n.parameters()
	snap := m.Snapshot(models.Parameters)
	for _, p := range snap.Params {
		switch p.Name {
		case "head.W1":
			for i, row := range n.head.w1 {
				for j, v := range row {
					p.F32[j*len(n.head.w1)+i] = float32(v)
				}
			}
		case "head.b1":
			fill(p.F32, n.head.b1)
		case "head.W2":
			fill(p.F32, n.head.w2)
		case "head.b2":
			p.F32[0] = float32(n.head.b2)
		default:
			if len(below[p.Name]) != len(p.F32) {
				t.Fatal(fmt.Sprintf("%s: %d numbers, the model has %d", p.Name, len(below[p.Name]), len(p.F32)))
			}
			for i, v := range below[p.Name] {
				p.F32[i] = float32(*v)
			}
		}
	}
	if err := m.Restore(snap); err != nil {
		t.Fatal(err)
	}
}

func fill(to []float32, from []float64) {
	for i, v := range from {
		to[i] = float32(v)
	}
}

// gradients adds up those of all batches, by the names of the parameters,
// and the losses.
func (c setting) gradients(t fatal, m *Model, d reference.Device) (map[string][]float64, float64) {
	sums, total := map[string][]float64{}, 0.0
	for lo := 0; lo < len(c.events); lo += c.batch {
		b, negatives := streamOf(c.events[lo:min(lo+c.batch, len(c.events))], c.nodes)
		loss, err := m.Train(b, negatives)
		if err != nil {
			t.Fatal(err)
		}
		total += loss
		addGradients(sums, m, d)
	}
	return sums, total
}

// addGradients adds those of the last batch by all parameters below the head.
func addGradients(sums map[string][]float64, m *Model, d reference.Device) {
	for i, p := range m.net.learned {
		total := m.training.gradients.Buffers[i]
		if sums[p.Name()] == nil {
			sums[p.Name()] = make([]float64, total.Len())
		}
		for j, v := range d.Exact(total) {
			sums[p.Name()][j] += v
		}
	}
}

// compare holds gradients against differences of a loss.
func (c setting) compare(t *rapid.T, got map[string][]float64, loss func() float64) {
	const step = 1e-5
	for name, values := range c.naive.parameters() {
		if len(got[name]) != len(values) {
			t.Fatalf("%s: %d gradients for %d numbers", name, len(got[name]), len(values))
		}
		for i, v := range values {
			old := *v
			*v = old + step
			up := loss()
			*v = old - step
			down := loss()
			*v = old
			if want := (up - down) / (2 * step); !(math.Abs(got[name][i]-want) <= 1e-7) {
				t.Errorf("%s[%d]: gradient %v, differences %v", name, i, got[name][i], want)
			}
		}
	}
}

// TestForwardIsFullBackpropagation: with parameters that never change the
// gradients that were carried forward are those of the whole stream's loss,
// as backpropagation through all of it would find them.
func TestForwardIsFullBackpropagation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawSetting(t)
		d := reference.New()
		got, loss := c.gradients(t, c.model(t, d), d)
		total := func() float64 { return c.naive.total(c.events, c.batch, c.nodes, c.pairs) }
		if want := total(); math.Abs(loss-want) > 1e-6*want {
			t.Errorf("loss %v, expected %v", loss, want)
		}
		if kinked(c) {
			t.Skip("a unit of the head, or a block, is near its kink")
		}
		c.compare(t, got, total)
	})
}

// TestTruncatedIsOneStep: the gradient of each batch's loss, the states
// before it being constants.
func TestTruncatedIsOneStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawSetting(t)
		c.o.Gradient, c.pairs = Truncated, false
		c.naive = drawNaive(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "parameters"), 2)), c.o, c.naive.f, 3, false)
		d := reference.New()
		got, _ := c.gradients(t, c.model(t, d), d)
		if kinked(c) {
			t.Skip("a unit of the head, or a block, is near its kink")
		}
		// The states before every batch, with the parameters as they are.
		var before [][][]float64
		c.naive.reset(c.nodes)
		for lo := 0; lo < len(c.events); lo += c.batch {
			before = append(before, c.naive.s)
			c.naive.fold(c.events[lo:min(lo+c.batch, len(c.events))])
		}
		c.compare(t, got, func() float64 {
			sum := 0.0
			for i, s := range before {
				c.naive.s = s
				sum += c.naive.loss(c.events[i*c.batch:min((i+1)*c.batch, len(c.events))], false)
			}
			return sum
		})
	})
}

// kinked reports whether the loss bends within the steps of the differences:
// then they are no gradient.
func kinked(c setting) bool {
	near := func(step float64) float64 {
		before, after := 0.0, 0.0
		for _, values := range c.naive.parameters() {
			for _, v := range values {
				old := *v
				*v = old + step
				after += c.naive.total(c.events, c.batch, c.nodes, c.pairs)
				*v = old - step
				before += c.naive.total(c.events, c.batch, c.nodes, c.pairs)
				*v = old
			}
		}
		return (after - before) / (2 * step)
	}
	return math.Abs(near(1e-5)-near(3e-5)) > 1e-7
}
