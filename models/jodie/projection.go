package jodie

import (
	"dgsbench/models/internal/memory"
	"dgsbench/nn"
)

// projection embeds a node as its memory times 1 + w dt + b, elementwise, dt
// being the scaled time since its last update.
type projection struct {
	memory.Memoryless
	core  *memory.Core
	w, b  *nn.Node
	sides [2]interval
}

var _ memory.Linear = (*projection)(nil)

// newProjection draws w and b with mean 0 and deviation 1.
func newProjection(c *memory.Core, sides [2]interval) *projection {
	size := c.Table.Shape()[1]
	w := c.Net.Weight("proj.w", c.Net.Normal(size), size)
	b := c.Net.Weight("proj.b", c.Net.Normal(size), size)
	return &projection{core: c, w: w, b: b, sides: sides}
}

// Width is that of a memory.
func (p *projection) Width() int { return p.w.Shape()[0] }

// At is x (1 + w dt + b).
func (p *projection) At(x, dt *nn.Node) (*nn.Node, error) { return nn.TimeProject(x, dt, p.w, p.b) }

// Elapsed scales by the mean and the deviation of the side's intervals.
func (p *projection) Elapsed(s memory.Side, seconds float64) float32 {
	return float32((seconds - p.sides[s].mean) / p.sides[s].deviation)
}

// Factors are 1 + b and w.
func (p *projection) Factors() (base, slope []float32) {
	base, slope = make([]float32, p.Width()), make([]float32, p.Width())
	p.core.Net.Device().Read(base, p.core.Net.Buffer(p.b))
	p.core.Net.Device().Read(slope, p.core.Net.Buffer(p.w))
	for i := range base {
		base[i]++
	}
	return base, slope
}
