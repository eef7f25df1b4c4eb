package memory

import (
	"math"

	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/internal/halves"
	"dgsbench/nn"
)

// Core is the memory of all nodes and the parameters that update it.
type Core struct {
	Net *nn.Network
	// Table is the leaf of the memories that are kept, a row a node; or two,
	// where occurrences have memories of their own (perEvent).
	Table *nn.Node
	// Updated is the time of the last update of each of them.
	Updated []float64

	opts   Options
	device kernels.Device
	nodes  int
	width  int // columns of an event's features within a message
	rows   halves.Rows

	wi, wh, bi, bh *nn.Node // of the cell
	TimeW, TimeB   *nn.Node // of the time encoding
}

// NewCore draws the parameters: the cell's uniform in +-1/sqrt(M). The table
// has one row for each node, or two.
func NewCore(net *nn.Network, o Options, s models.Setup, rows int) *Core {
	c := &Core{
		Net: net, opts: o, device: net.Device(), nodes: s.NumNodes, width: MessageWidth(s.NumFeat),
		Updated: make([]float64, s.NumNodes), Table: net.Input("memory", nn.NewRows(rows*s.NumNodes), o.Size),
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
	if o.TimeInit == TGN {
		w, b = frequencies(o.Time), make([]float32, o.Time)
	}
	c.TimeW, c.TimeB = net.Weight("time_enc.w", w, o.Time), net.Weight("time_enc.b", b, o.Time)
	return c
}

// MessageWidth is how many columns features take in a message: one of zeros
// where a stream has none, as PyTorch Geometric has it.
func MessageWidth(features int) int { return max(1, features) }

// frequencies are 10^(-9k/(d-1)) for k = 0 to d-1.
func frequencies(d int) []float32 {
	out := make([]float32, d)
	for k := range out {
		out[k] = float32(math.Pow(10, -9*float64(k)/float64(max(1, d-1))))
	}
	return out
}

// Message is [self || other || features || cos(w dt + b)], a row each.
func (c *Core) Message(self, other, features, dt *nn.Node) (*nn.Node, error) {
	phi, err := nn.TimeEncode(dt, c.TimeW, c.TimeB)
	if err != nil {
		return nil, err
	}
	return nn.Concat(self, other, features, phi)
}

// Apply is the memory after a message. Memories beyond the last message see
// zeros.
func (c *Core) Apply(message, memory *nn.Node) (*nn.Node, error) {
	if c.opts.Cell == GRU {
		return nn.GRU(message, memory, c.wi, c.wh, c.bi, c.bh)
	}
	h, err := nn.RNN(message, memory, c.wi, c.wh, c.bi, c.bh)
	if err != nil {
		return nil, err
	}
	return nn.UnitRows(h)
}

// forget makes all memories and times zero.
func (c *Core) forget() {
	c.device.Zero(c.nodes*c.opts.Size, c.Net.Buffer(c.Table))
	clear(c.Updated)
	c.rows.Reset()
}

// tensors copies memories and times.
func (c *Core) tensors() []models.Tensor {
	m := models.Tensor{Name: "memory", Shape: []int{c.nodes, c.opts.Size}, F32: c.copied()}
	return []models.Tensor{m, {Name: "last_update", Shape: []int{c.nodes}, I64: bitsOf(c.Updated)}}
}

// coreTensors is how many tensors gives.
const coreTensors = 2

// check refuses what tensors cannot have given: the first ones of a state.
func (c *Core) check(saved []models.Tensor) error {
	own := c.tensors()
	if err := models.Check(own, saved[:min(len(own), len(saved))]); err != nil {
		return err
	}
	return models.CheckTimes(saved[1], nn.Largest)
}

// restore puts back what tensors gave.
func (c *Core) restore(saved []models.Tensor) {
	c.device.Write(c.Net.Buffer(c.Table), saved[0].F32)
	copy(c.Updated, timesOf(saved[1].I64))
	c.rows.Reset()
}

// copied are the memories of all nodes.
func (c *Core) copied() []float32 {
	size, all := c.opts.Size, make([]float32, c.Net.Buffer(c.Table).Len())
	c.device.Read(all, c.Net.Buffer(c.Table))
	for n := range c.rows.Second() {
		copy(all[int(n)*size:][:size], all[int(c.rows.Of(n))*size:])
	}
	return all[:c.nodes*size]
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
