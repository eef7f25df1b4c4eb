package tpnet

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/nn"
)

// encoder embeds both nodes of a pair by their last neighbours: the embedding module
// of the paper (section 4.2). Neighbours are tokens, which a two-layer perceptron and
// an MLP-Mixer (Tolstikhin et al. 2021) work on.
type encoder struct {
	opts Encoder
	net  *nn.Network
	// A pair has two sides, each of Neighbours tokens, and of a row for each channel where
	// these are transposed.
	sides, tokens, channels *nn.Rows
	channel                 *nn.Node // with a row for each channel; its numbers are not read
}

// normEps is PyTorch's default.
const normEps = 1e-5

// newEncoder adds an encoder of the rows of t to net, for up to most pairs. It returns
// the encoder and its result, which has a row for each pair: the embedding of the source,
// then that of the destination.
func newEncoder(net *nn.Network, o Encoder, t *tokens, pairs *nn.Rows, most int) (*encoder, *nn.Node) {
	e := &encoder{
		opts: o, net: net,
		sides: nn.NewRows(2 * most), tokens: nn.NewRows(2 * o.Neighbours * most), channels: nn.NewRows(2 * o.Channels * most),
	}
	e.channel = net.Input("channels", e.channels, 1)
	side, sides := net.Input("sides", e.sides, 1), make([]int32, 2*o.Neighbours*most)
	for i := range sides {
		sides[i] = int32(i / o.Neighbours)
	}
	of := net.Index("tokens.sides", e.tokens)
	net.Device().WriteInts(net.Ints(of), sides)
	mean := func(x *nn.Node) *nn.Node { return nn.Scale(nn.Scatter(x, of, side), 1/float64(o.Neighbours)) }
	dt := net.FromHost("tokens.dt", e.tokens, 1, func() []float32 { return t.dt })
	w := make([]float32, o.Time)
	for i := range w {
		w[i] = float32(math.Pow(10, -9*float64(i)/float64(max(1, o.Time-1))))
	}
	in := []*nn.Node{
		net.FromHost("tokens.x", e.tokens, t.width(), func() []float32 { return t.x }),
		nn.TimeEncode(dt, net.Weight("encoder.time.w", w, o.Time), net.Weight("encoder.time.b", make([]float32, o.Time), o.Time)),
	}
	if t.eventFeatures > 0 {
		in = append(in, net.FromTable("tokens.features", e.tokens, t.eventFeatures, t.ring.Features, func() []int32 { return t.places }))
	}
	h := net.Linear("encoder.W1", "encoder.b1", nn.Concat(in...), 2*o.Channels, true)
	h = net.Linear("encoder.W2", "encoder.b2", h, o.Channels, false)
	for i := range o.Layers {
		h = nn.Add(h, nn.Transpose(e.tokenPart(fmt.Sprintf("encoder.tokens%d.", i+1), h), h))
		name := fmt.Sprintf("encoder.channels%d.", i+1)
		hidden := e.hidden(name, h, e.tokens, 4*o.Channels)
		out := e.out(name, 4*o.Channels, o.Channels)
		full := nn.Add(h, e.drop(name+"mask2", out(hidden), e.tokens))
		switch {
		case i < o.Layers-1:
			h = full
		case o.Dropout == 0: // what follows is linear: it is the same of the means
			h = nn.Add(mean(h), out(mean(hidden)))
		default: // in inference there is no dropout, so the same holds
			h = nn.TrainingOr(mean(full), nn.Add(mean(h), out(mean(hidden))))
		}
	}
	ends := [2]*nn.Node{}
	for i := range ends {
		list := make([]int32, most)
		for pair := range list {
			list[pair] = int32(2*pair + i)
		}
		ends[i] = nn.Gather(h, net.ListFromHost(fmt.Sprintf("sides%d", i), pairs, func() []int32 { return list }))
	}
	return e, nn.Concat(ends[0], ends[1])
}

// tokenPart is the half of a mixer that mixes tokens, with a row for each channel.
func (e *encoder) tokenPart(name string, x *nn.Node) *nn.Node {
	h := e.hidden(name, nn.Transpose(x, e.channel), e.channels, max(1, e.opts.Neighbours/2))
	return e.drop(name+"mask2", e.out(name, h.Shape()[1], e.opts.Neighbours)(h), e.channels)
}

// hidden and out are the perceptron of one half of a mixer, on the normalised columns
// of x.
func (e *encoder) hidden(name string, x *nn.Node, rows *nn.Rows, units int) *nn.Node {
	cols := x.Shape()[1]
	scale := e.net.Weight(name+"scale", slices.Repeat([]float32{1}, cols), cols)
	x = nn.LayerNorm(x, scale, e.net.Weight(name+"shift", make([]float32, cols), cols), normEps)
	return e.drop(name+"mask1", nn.GELU(e.net.Linear(name+"W1", name+"b1", x, units, false)), rows)
}

func (e *encoder) out(name string, inputs, units int) func(hidden *nn.Node) *nn.Node {
	return e.net.Layer(name+"W2", name+"b2", inputs, units, false)
}

func (e *encoder) drop(site string, h *nn.Node, rows *nn.Rows) *nn.Node {
	if e.opts.Dropout == 0 {
		return h
	}
	return e.net.Drop(site, h, rows, e.opts.Dropout)
}

// activate makes the first pairs the active ones.
func (e *encoder) activate(pairs int) {
	e.sides.Set(2 * pairs)
	e.tokens.Set(2 * e.opts.Neighbours * pairs)
	e.channels.Set(2 * e.opts.Channels * pairs)
}
