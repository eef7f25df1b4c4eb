package dgs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/reference"
	"dgsbench/models"

	"pgregory.net/rapid"
)

// handling is what becomes of a batch.
type handling int

const (
	trained handling = iota
	observed
	classified
	restored // the parameters are, then it is trained on
)

// TestEvaluationMakesConstants: in training that goes on after evaluation,
// gradients are differences of a loss in which the states that Observe and
// Classify wrote are constants from there on, and all of them after Restore.
func TestEvaluationMakesConstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawSetting(t)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "more"), 3))
		c.events = append(c.events, drawEvents(r, 6, c.nodes, c.naive.f)...)
		c.batch = rapid.IntRange(2, 4).Draw(t, "batch size")
		plan := drawPlan(t, c)
		d := reference.New()
		got := c.carryOut(t, plan, c.model(t, d), d)
		loss := c.lossOf(plan)
		if bends(c.naive, loss) {
			t.Skip("a unit of the head, or a block, is near its kink")
		}
		c.compare(t, got, loss)
	})
}

// drawPlan starts with training, so that there are derivatives.
func drawPlan(t *rapid.T, c setting) []handling {
	possible := []handling{trained, observed, restored}
	if !c.pairs {
		possible = append(possible, classified)
	}
	plan := []handling{trained}
	for lo := c.batch; lo < len(c.events); lo += c.batch {
		plan = append(plan, rapid.SampledFrom(possible).Draw(t, "handling"))
	}
	return plan
}

// part is batch i.
func (c setting) part(i int) []event {
	return c.events[i*c.batch : min((i+1)*c.batch, len(c.events))]
}

// carryOut adds up the gradients of the batches that are trained on.
func (c setting) carryOut(t fatal, plan []handling, m *Model, d reference.Device) map[string][]float64 {
	sums := map[string][]float64{}
	for i, what := range plan {
		b, negatives := streamOf(c.part(i), c.nodes)
		if what == restored {
			if err := m.Restore(m.Snapshot(models.Parameters)); err != nil {
				t.Fatal(err)
			}
		}
		if err := what.do(m, b, negatives); err != nil {
			t.Fatal(err)
		}
		if what == observed || what == classified {
			continue
		}
		addGradients(sums, m, d)
	}
	return sums
}

func (h handling) do(m *Model, b datasets.Stream, negatives []int32) error {
	switch h {
	case observed:
		return m.Observe(b)
	case classified:
		return m.Classify(b, make([]float32, b.Len()))
	}
	_, err := m.Train(b, negatives)
	return err
}

// lossOf is the naive loss of the batches that are trained on. States that
// count as constants stay what they are with the present parameters.
func (c setting) lossOf(plan []handling) func() float64 {
	n, everyone := c.naive, make([]int, c.nodes)
	for v := range everyone {
		everyone[v] = v
	}
	constants := make([][][]float64, len(plan))
	hold := func(i int, nodes []int) {
		if constants[i] == nil {
			constants[i] = slices.Clone(n.s)
		}
		for _, v := range nodes {
			n.s[v] = constants[i][v]
		}
	}
	run := func() float64 {
		n.reset(c.nodes)
		sum := 0.0
		for i, what := range plan {
			batch := c.part(i)
			if what == restored {
				hold(i, everyone)
			}
			if what == trained || what == restored {
				sum += n.loss(batch, c.pairs)
				n.fold(batch)
				continue
			}
			n.fold(batch)
			for _, e := range batch {
				hold(i, []int{e.src, e.dst})
			}
		}
		return sum
	}
	run() // finds the constants
	return run
}

// bends reports whether the loss does so within the steps of the
// differences: then they are no gradient.
func bends(n *naive, loss func() float64) bool {
	slope := func(step float64) float64 {
		sum := 0.0
		for _, values := range n.parameters() {
			for _, v := range values {
				old := *v
				*v = old + step
				sum += loss()
				*v = old - step
				sum -= loss()
				*v = old
			}
		}
		return sum / (2 * step)
	}
	return math.Abs(slope(1e-5)-slope(3e-5)) > 1e-7
}
