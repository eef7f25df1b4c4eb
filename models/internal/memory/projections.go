package memory

import (
	"math"

	"dgsbench/kernels"
	"dgsbench/models/ring"
	"dgsbench/nn"
)

// projections are the edges to all neighbours as the layers of attention read
// them. Evaluation computes them once: an edge changes with its event, with the
// last update of its neighbour, and with the parameters.
type projections struct {
	ring    *ring.Ring
	updated []float64 // by place: the last update of the neighbour that its projection is of; NaN for none
	tables  []kernels.Buffer
	size    int // of a projection
	rows    *nn.Rows
	program *nn.Program
	out     []*nn.Node // a table's new rows
	move    *nn.Move

	// What is projected now: the places, with the times from the edges to the last
	// updates.
	places []int32
	deltas []float32
}

// newProjections serves sites of at most edges edges.
func newProjections(a *attention, name string, edges int) *projections {
	net, device := a.core.Net, a.core.device
	p := &projections{ring: a.ring, updated: make([]float64, a.ring.Places()), size: a.opts.Size, rows: nn.NewRows(edges)}
	p.forgetAll()
	dt := net.FromHost(name+".edge.dt", p.rows, 1, func() []float32 { return p.deltas })
	all := a.edges(name, p.rows, dt, func() []int32 { return p.places })
	for _, layer := range a.layers {
		p.out = append(p.out, nn.Linear(all, layer.Edge))
		p.tables = append(p.tables, device.NewBuffer(len(p.updated)*p.size))
	}
	p.program, p.move = net.Compile(nn.ForInference, p.out...), nn.NewMove(device, edges, p.size)
	return p
}

// forgetAll is called when the parameters or all events may be new.
func (p *projections) forgetAll() {
	for place := range p.updated {
		p.updated[place] = math.NaN()
	}
}

// forget is called when the ring has new events.
func (p *projections) forget() {
	for _, place := range p.ring.Inserted() {
		p.updated[place] = math.NaN()
	}
}

// project computes the projections of the edges of g that are not there.
// updated are the last updates of the nodes of g.
func (p *projections) project(c *Core, g *ring.Graph, updated []float64) {
	p.places, p.deltas = p.places[:0], p.deltas[:0]
	for e, place := range g.Places {
		if last := updated[g.Index[e]]; p.updated[place] != last {
			p.updated[place] = last
			p.places, p.deltas = append(p.places, place), append(p.deltas, float32(last-g.Times[e]))
		}
	}
	if len(p.places) == 0 {
		return
	}
	p.rows.Set(len(p.places))
	p.program.Run()
	for i, table := range p.tables {
		p.move.Run(table, p.places, p.program.Buffer(p.out[i]), c.upTo(len(p.places)))
	}
}
