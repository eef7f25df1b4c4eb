package dgs

import (
	"math"
	"math/rand/v2"
	"testing"

	"dgsbench/kernels/reference"

	"pgregory.net/rapid"
)

// TestFloorIsConstant: the gradient with sums below SumFloor, which were
// replaced by it. Next to other parameters they stay so: that is what the
// differences see as well.
func TestFloorIsConstant(t *testing.T) {
	raised, free := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := drawFloor(t)
		d := reference.New()
		got, loss := c.gradients(t, c.model(t, d), d)
		if want := c.floored(); math.Abs(loss-want) > 1e-6*want {
			t.Errorf("loss %v, expected %v", loss, want)
		}
		if bends(c.naive, c.floored) {
			t.Skip("a unit of the head, or a sum, is near its kink")
		}
		c.compare(t, got, c.floored)
		for _, e := range c.events {
			_, low := c.embedFloored(e.x)
			raised, free = raised+low, free+c.o.Blocks-low
		}
	})
	if raised == 0 || free == 0 {
		t.Errorf("%d sums were raised and %d were not, expected both", raised, free)
	}
}

// drawFloor has sums of either sign around the floor, which is larger than
// what users may choose.
func drawFloor(t *rapid.T) setting {
	c := drawSetting(t)
	c.o.Embedding, c.o.SumFloor = Sum, rapid.Float64Range(.5, 4).Draw(t, "floor")
	if c.o.Factors == Input {
		c.o.Factors = Vector // floored has the features no more
	}
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "parameters"), 4))
	c.naive = drawNaive(r, c.o, c.naive.f, 3, c.pairs)
	if rapid.Bool().Draw(t, "negative") {
		for _, row := range c.naive.w[:c.o.Size/c.o.Blocks] {
			for i := range row {
				row[i] = -row[i]
			}
		}
	}
	return c
}

// floored is the naive total, with the floor: E takes the place of the
// features, which a W of ones in the diagonal leaves as it is.
func (c setting) floored() float64 {
	given := *c.naive
	o := *c.o
	o.Embedding, o.Temperature = Buckets, 1 // nothing is normalised
	given.o, given.f, given.w = &o, given.size, make([][]float64, given.size)
	for j := range given.w {
		given.w[j] = make([]float64, given.size)
		given.w[j][j] = 1
	}
	events := make([]event, len(c.events))
	for k, e := range c.events {
		e.x, _ = c.embedFloored(e.x)
		events[k] = e
	}
	return given.total(events, c.batch, c.nodes, c.pairs)
}

// embedFloored is E(x), and how many sums were raised.
func (c setting) embedFloored(x []float64) (e []float64, raised int) {
	h := c.o.Size / c.o.Blocks
	for lo := 0; lo < c.o.Size; lo += h {
		z, sum := make([]float64, h), 0.0
		for j := range z {
			for i, v := range x {
				z[j] += c.naive.w[lo+j][i] * v
			}
			sum += z[j]
		}
		if math.Abs(sum) < c.o.SumFloor {
			sum = math.Copysign(c.o.SumFloor, sum)
			raised++
		}
		for _, v := range z {
			e = append(e, v/(sum+sumEps))
		}
	}
	return e, raised
}
