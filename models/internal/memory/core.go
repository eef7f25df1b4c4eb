package memory

import (
	"math"

	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/halves"
	"dgsbench/nn"
)

// Core is the memory of all nodes, s of the TGN paper, and the parameters that
// update it.
type Core struct {
	Net *nn.Network
	// Table is the leaf of the memories, a row a node; or two, where
	// occurrences have memories of their own (perEvent).
	Table *nn.Node
	// Updated is the time of the last update of each of them.
	Updated []float64

	opts   Options
	device kernels.Device
	table  kernels.Buffer // of Table
	nodes  int
	width  int // columns of an event's features within a message
	rows   halves.Rows
	move   *nn.Move // of memories to and from the table
	order  []int32  // see upTo

	wi, wh, bi, bh *nn.Node // of the cell
	timeW, timeB   *nn.Node // of the time encoding
}

// newCore draws the parameters: the cell's uniform in +-1/sqrt(M). The table
// has one row for each node, or two.
func newCore(net *nn.Network, o Options, s models.Setup, rows int) *Core {
	c := &Core{
		Net: net, opts: o, device: net.Device(), nodes: s.NumNodes, width: messageWidth(s.NumFeat),
		Updated: make([]float64, s.NumNodes), Table: net.Input("memory", nn.NewRows(rows*s.NumNodes), o.Size),
		move: nn.NewMove(net.Device(), chunkOf(s), o.Size),
	}
	c.table = net.Buffer(c.Table)
	if rows == 2 {
		c.rows = halves.New(s.NumNodes)
	}
	in, units, bound := 2*o.Size+c.width+o.Time, o.Size, 1/math.Sqrt(float64(o.Size))
	if o.Cell == GRU {
		units = 3 * o.Size
	}
	cell := string(o.Cell)
	c.wi = net.Weight(cell+".weight_ih", net.Uniform(in*units, bound), in, units)
	c.wh = net.Weight(cell+".weight_hh", net.Uniform(o.Size*units, bound), o.Size, units)
	c.bi = net.Weight(cell+".bias_ih", net.Uniform(units, bound), units)
	c.bh = net.Weight(cell+".bias_hh", net.Uniform(units, bound), units)
	w, b := net.Uniform(o.Time, 1), net.Uniform(o.Time, 1)
	c.timeW, c.timeB = net.Weight("time_enc.w", w, o.Time), net.Weight("time_enc.b", b, o.Time)
	return c
}

// messageWidth is the number of columns of the features in a message: one of zeros
// where a stream has none, as PyTorch Geometric has it.
func messageWidth(features int) int { return max(1, features) }

// features is an input of events' features, which are in the listed rows of a
// table; of zeros where the stream has none.
func (c *Core) features(name string, rows *nn.Rows, table func() kernels.Buffer, list func() []int32) *nn.Node {
	if table().Len() == 0 {
		return c.Net.Input(name, rows, c.width)
	}
	return c.Net.FromTable(name, rows, c.width, table, list)
}

// message is equation 1 of the TGN paper with the identity as message
// function, a row each:
//
//	m = [s(self) || s(other) || features || cos(w dt + b)]
func (c *Core) message(self, other, features, dt *nn.Node) *nn.Node {
	return nn.Concat(self, other, features, nn.TimeEncode(dt, c.timeW, c.timeB))
}

// memoryAfter is equation 4 of the TGN paper, s' = mem(m, s). Memories beyond
// the last message get a message of zeros.
func (c *Core) memoryAfter(message, memory *nn.Node) *nn.Node {
	if c.opts.Cell == GRU {
		return nn.GRU(message, memory, c.wi, c.wh, c.bi, c.bh)
	}
	return nn.UnitRows(nn.RNN(message, memory, c.wi, c.wh, c.bi, c.bh))
}

// commit makes row rows[i] of memories the memory of node nodes[i], and
// updated[i] the time of its last update.
func (c *Core) commit(nodes []int32, memories kernels.Buffer, rows []int32, updated []float64) {
	c.move.Run(c.table, nodes, memories, rows)
	for i, n := range nodes {
		c.Updated[n] = updated[i]
	}
}

// appendUpdated appends the times of the nodes' last updates.
func (c *Core) appendUpdated(times []float64, nodes []int32) []float64 {
	for _, n := range nodes {
		times = append(times, c.Updated[n])
	}
	return times
}

// upTo returns 0 to n-1, for all rows of something in order. It is read only.
func (c *Core) upTo(n int) []int32 {
	for len(c.order) < n {
		c.order = append(c.order, int32(len(c.order)))
	}
	return c.order[:n]
}

func (c *Core) reset() {
	c.device.Zero(c.nodes*c.opts.Size, c.table)
	clear(c.Updated)
	c.rows.Reset()
}

func (c *Core) forget(nodes []int32) {
	size := c.opts.Size
	for _, n := range nodes {
		c.device.Zero(size, c.device.View(c.table, int(c.rows.Of(n))*size, size))
		c.Updated[n] = 0
	}
}

func (c *Core) fields() models.Fields {
	size := c.opts.Size
	memories := models.OnDevice("memory", c.device, c.table, c.nodes, size)
	memories.Floats = func() []float32 {
		all := make([]float32, c.table.Len())
		c.device.Read(all, c.table)
		for n := range c.rows.Second() {
			copy(all[int(n)*size:][:size], all[int(c.rows.Of(n))*size:])
		}
		return all[:c.nodes*size]
	}
	memories.Set = func(saved models.Tensor) {
		c.device.Write(c.table, saved.F32)
		c.rows.Reset()
	}
	return models.Fields{memories, models.Times("last_update", c.Updated, nn.Largest)}
}
