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
	nodes  int
	width  int // columns of an event's features within a message
	rows   halves.Rows
	move   *nn.Move // of memories to and from the table

	wi, wh, bi, bh *nn.Node // of the cell
	TimeW, TimeB   *nn.Node // of the time encoding
}

// NewCore draws the parameters: the cell's uniform in +-1/sqrt(M). The table
// has one row for each node, or two.
func NewCore(net *nn.Network, o Options, s models.Setup, rows int) *Core {
	c := &Core{
		Net: net, opts: o, device: net.Device(), nodes: s.NumNodes, width: MessageWidth(s.NumFeat),
		Updated: make([]float64, s.NumNodes), Table: net.Input("memory", nn.NewRows(rows*s.NumNodes), o.Size),
		move: nn.NewMove(net.Device(), chunkOf(s), o.Size),
	}
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
	c.TimeW, c.TimeB = net.Weight("time_enc.w", w, o.Time), net.Weight("time_enc.b", b, o.Time)
	return c
}

// MessageWidth is the number of columns of the features in a message: one of zeros
// where a stream has none, as PyTorch Geometric has it.
func MessageWidth(features int) int { return max(1, features) }

// message is equation 1 of the TGN paper with the identity as message
// function, a row each:
//
//	m = [s(self) || s(other) || features || cos(w dt + b)]
func (c *Core) message(self, other, features, dt *nn.Node) *nn.Node {
	return nn.Concat(self, other, features, nn.TimeEncode(dt, c.TimeW, c.TimeB))
}

// memoryAfter is equation 4 of the TGN paper, s' = mem(m, s). Memories beyond
// the last message get a message of zeros.
func (c *Core) memoryAfter(message, memory *nn.Node) *nn.Node {
	if c.opts.Cell == GRU {
		return nn.GRU(message, memory, c.wi, c.wh, c.bi, c.bh)
	}
	return nn.UnitRows(nn.RNN(message, memory, c.wi, c.wh, c.bi, c.bh))
}

// table is where the memories are.
func (c *Core) table() kernels.Buffer { return c.Net.Buffer(c.Table) }

// commit makes row rows[i] of memories the memory of node nodes[i], and
// updated[i] the time of its last update.
func (c *Core) commit(nodes []int32, memories kernels.Buffer, rows []int32, updated []float64) {
	c.move.Run(c.table(), nodes, memories, rows)
	for i, n := range nodes {
		c.Updated[n] = updated[i]
	}
}

// reset makes all memories and times zero.
func (c *Core) reset() {
	c.device.Zero(c.nodes*c.opts.Size, c.table())
	clear(c.Updated)
	c.rows.Reset()
}

// coreTensors is the number of tensors that hold memories and times.
const coreTensors = 2

// Tensors copies memories and times.
func (c *Core) Tensors() []models.Tensor {
	size, all := c.opts.Size, make([]float32, c.table().Len())
	c.device.Read(all, c.table())
	for n := range c.rows.Second() {
		copy(all[int(n)*size:][:size], all[int(c.rows.Of(n))*size:])
	}
	return []models.Tensor{
		{Name: "memory", Shape: []int{c.nodes, size}, F32: all[:c.nodes*size]},
		{Name: "last_update", Shape: []int{c.nodes}, I64: bitsOf(c.Updated)},
	}
}

// CheckTensors implements models.State.
func (c *Core) CheckTensors(saved []models.Tensor) error {
	if err := models.Check(c.Tensors(), saved); err != nil {
		return err
	}
	return models.CheckTimes(saved[1], nn.Largest)
}

// SetTensors implements models.State.
func (c *Core) SetTensors(saved []models.Tensor) {
	c.device.Write(c.table(), saved[0].F32)
	copy(c.Updated, timesOf(saved[1].I64))
	c.rows.Reset()
}

// bitsOf are the bits of float64 numbers, which a tensor cannot hold.
func bitsOf(x []float64) []int64 {
	out := make([]int64, len(x))
	for i, v := range x {
		out[i] = int64(math.Float64bits(v))
	}
	return out
}

// timesOf are the numbers of bits.
func timesOf(bits []int64) []float64 {
	out := make([]float64, len(bits))
	for i, b := range bits {
		out[i] = math.Float64frombits(uint64(b))
	}
	return out
}
