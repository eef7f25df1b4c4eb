package dgs

import (
	"math"
	"sync/atomic"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/buckets"
	"dgsbench/models/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// network is the graph of one batch. Features and the states of both ends from
// before the batch go in; E(F), alpha, beta, the new states (equation 2) and
// the logits of the head come out.
type network struct {
	*nn.Network
	opts *Options
	size int      // of a state
	rows *nn.Rows // events of the batch
	head *head.Head

	x       *nn.Node // features, a row an event
	w       *nn.Node // features x size; nil for buckets
	z       *nn.Node // W F, a row an event; nil for buckets
	e       *nn.Node // E(F), a row an event
	alpha   factor
	beta    factor
	learned []*nn.Node // W and the parameters of alpha and beta, unless they are fixed

	self, other       *nn.Node // states of source and destination before the batch, a row an event
	newSelf, newOther *nn.Node // states of both after the event
	// pairs is what the head reads in link prediction, [S_u || S_v]: a row for
	// each event and its destination, then one for each event and its negative.
	// In classification the head reads newSelf.
	pairs *nn.Node

	embed   *nn.Program // inference up to E, alpha and beta
	observe *nn.Program // inference up to the new states

	// What inference reads while it runs, and what it reports.
	batch                datasets.Stream
	states               *states
	buckets              *buckets.Buckets // nil unless E is made of them
	badFeature, badState atomic.Bool
}

// factor is alpha or beta.
type factor struct {
	value   *nn.Node // a vector of size; with Input a row an event
	bias    *nn.Node // the parameter: logits, or with Clamp the values themselves
	weights *nn.Node // with Input the matrix U, features x size
}

// newNetwork returns the whole network; its inference reads and writes the
// table of t.
func newNetwork(d kernels.Device, o *Options, size int, s models.Setup, b *buckets.Buckets) *network {
	n := newEmbedding(d, o, size, s, b)
	n.addStates()
	n.addHead(s)
	n.observe = n.Compile(nn.ForInference, n.newSelf, n.newOther)
	return n
}

// newEmbedding returns the part of the network that reads features alone.
func newEmbedding(d kernels.Device, o *Options, size int, s models.Setup, b *buckets.Buckets) *network {
	n := &network{Network: nn.NewNetwork(d, s.Seed), opts: o, size: size, rows: nn.NewRows(s.MaxBatch), buckets: b}
	n.x = n.Input("x", n.rows, s.NumFeat)
	n.Feed(n.x, nn.FromHostWithin(s.NumFeat, func() []float32 { return n.batch.Feat }, &n.badFeature))
	if o.Embedding == Buckets {
		n.e = n.Input("E", n.rows, size)
		n.Feed(n.e, n.feedOneHot)
	} else {
		n.w = n.parameter("W", n.Uniform(s.NumFeat*size, 1/math.Sqrt(float64(s.NumFeat))), s.NumFeat, size)
		n.z = nn.Linear(n.x, n.w)
		n.e = normalisations[o.Embedding].node(n.z, size/o.Blocks, o)
	}
	n.alpha = n.factor("alpha", .1, .9)
	n.beta = n.factor("beta", .1, .99)
	n.embed = n.Compile(nn.ForInference, n.outputs()...)
	return n
}

// parameter adds a parameter below the head.
func (n *network) parameter(name string, values []float32, shape ...int) *nn.Node {
	if n.opts.Gradient == None {
		return n.Fixed(name, values, shape...)
	}
	p := n.Weight(name, values, shape...)
	n.learned = append(n.learned, p)
	return p
}

// factor adds alpha or beta, whose initial values are uniform between low and
// high.
func (n *network) factor(name string, low, high float64) (f factor) {
	count := n.size
	if n.opts.Factors == Scalar {
		count = 1
	}
	initial := n.UniformIn(count, low, high)
	if n.opts.Range == Clamp {
		f.bias = n.parameter(name, initial, count)
		f.value = f.bias
	} else {
		for i, v := range initial {
			initial[i] = float32(math.Log(float64(v) / (1 - float64(v))))
		}
		f.bias = n.parameter(name+"_logit", initial, count)
		logits := f.bias
		if n.opts.Factors == Input {
			features := n.x.Shape()[1]
			f.weights = n.parameter(name+"_weights", make([]float32, features*n.size), features, n.size)
			logits = nn.Dense(n.x, f.weights, f.bias, false)
		}
		f.value = nn.Sigmoid(logits)
	}
	if n.opts.Factors == Scalar {
		f.value = nn.Spread(f.value, n.size)
	}
	return f
}

// addStates adds equation 2 for both ends of an event. Inference reads the rows
// of the table that states lists and writes the new states to it.
func (n *network) addStates() {
	table := func() kernels.Buffer { return n.states.table }
	n.self = n.FromTable("self", n.rows, n.size, table, func() []int32 { return n.states.read[source] })
	n.other = n.FromTable("other", n.rows, n.size, table, func() []int32 { return n.states.read[destination] })
	n.newSelf = nn.Mix(n.self, n.other, n.e, n.alpha.value, n.beta.value)
	n.newOther = nn.Mix(n.other, n.self, n.e, n.alpha.value, n.beta.value)
	n.Drain(n.newSelf, nn.DrainTo(n.size, table, func() []int32 { return n.states.written[source] }, &n.badState))
	n.Drain(n.newOther, nn.DrainTo(n.size, table, func() []int32 { return n.states.written[destination] }, &n.badState))
}

// addHead adds the head, with the gradients of its input states if they are
// to meet stored derivatives.
func (n *network) addHead(s models.Setup) {
	x, rows, inputs := n.newSelf, n.rows, []*nn.Node{n.self, n.other}
	wanted := nn.Wanted{InTraining: n.outputs(), InInference: []*nn.Node{n.newSelf, n.newOther}}
	if s.Task == protocol.LinkPrediction {
		rows = nn.NewRows(2 * s.MaxBatch)
		n.pairs = n.Input("pairs", rows, 2*n.size)
		x, inputs, wanted = n.pairs, []*nn.Node{n.pairs}, nn.Wanted{}
	}
	if n.opts.Gradient == Forward {
		wanted.Inputs = inputs
	}
	n.head = head.On(n.Network, x, rows, n.opts.Head, wanted)
}

// setBatch makes b the batch of the next programs.
func (n *network) setBatch(b datasets.Stream) {
	n.rows.Set(b.Len())
	n.batch = b
	n.badFeature.Store(false)
	n.badState.Store(false)
}

// inferenceError reports what the last program for inference has found.
func (n *network) inferenceError() error {
	switch {
	case n.badFeature.Load():
		return models.BadFeature(n.batch)
	case n.badState.Load():
		return models.BadState(n.batch)
	}
	return nil
}

// outputs lists the nodes of values.
func (n *network) outputs() []*nn.Node {
	out := []*nn.Node{n.e, n.alpha.value, n.beta.value}
	if n.z != nil {
		out = append(out, n.z)
	}
	return out
}

// values are what one program has computed of a batch's features.
type values struct {
	z, e, alpha, beta kernels.Buffer
	factors           kernels.Group // alpha and beta
}

// valuesOf returns the values of a program, which buffer finds.
func (n *network) valuesOf(buffer func(*nn.Node) kernels.Buffer) values {
	v := values{e: buffer(n.e), alpha: buffer(n.alpha.value), beta: buffer(n.beta.value)}
	v.factors = n.Device().NewGroup(v.alpha, v.beta)
	if n.z != nil {
		v.z = buffer(n.z)
	}
	return v
}

// sumEps is added to the magnitude of a block's sum in DGS-sum.
const sumEps = 1e-6

// normalisation makes E of z = W F, block by block of h elements.
type normalisation struct {
	node func(z *nn.Node, h int, o *Options) *nn.Node
	by   kernels.Rescaling
	step func(s *models.Step, blocks string, o *Options) string // in ONNX; nil if that has no operator
	// shiftless normalisations do not change when a constant is added to a
	// block. Then the derivatives by the rows of a block add up to zero, and
	// those by the last row need not be stored.
	shiftless bool
}

// normalisations are those of the embeddings that have a W.
var normalisations = map[Embedding]normalisation{
	Softmax:   withTemperature(nn.Softmax, kernels.Softmax, addSoftmax),
	Sparsemax: withTemperature(nn.Sparsemax, kernels.Sparsemax, nil),
	Entmax:    withTemperature(nn.Entmax, kernels.Entmax, nil),
	Sum: {
		node: func(z *nn.Node, h int, o *Options) *nn.Node { return nn.DivideSum(z, h, sumEps, o.SumFloor) },
		by:   kernels.DivideSum,
		step: addDivision,
	},
}

// withTemperature is a normalisation of z / T by a layer.
func withTemperature(
	layer func(z *nn.Node, h int, temperature float64) *nn.Node, by kernels.Rescaling, step func(s *models.Step, blocks string, o *Options) string,
) normalisation {
	return normalisation{
		node:      func(z *nn.Node, h int, o *Options) *nn.Node { return layer(z, h, o.Temperature) },
		by:        by,
		step:      step,
		shiftless: true,
	}
}

// oneHot computes E for buckets: ones at the buckets of an event's features.
type oneHot struct {
	*buckets.Buckets
	e      []float32 // a row an event
	bucket []int32   // of each feature
}

func newOneHot(b *buckets.Buckets, events int) *oneHot {
	return &oneHot{b, make([]float32, events*b.Size()), make([]int32, len(b.Edges))}
}

// encode returns E of the batch, whose features are finite. The result is
// valid until the next call.
func (o *oneHot) encode(b datasets.Stream) []float32 {
	e := o.e[:b.Len()*o.Size()]
	clear(e)
	for k := range b.Len() {
		o.Row(b.Features(k), o.bucket)
		for _, bucket := range o.bucket {
			e[k*o.Size()+int(bucket)] = 1
		}
	}
	return e
}

// feedOneHot writes E for a block of rows of a program for inference.
func (n *network) feedOneHot(p nn.Part) func() {
	own := newOneHot(n.buckets, p.MaxRows)
	return func() {
		part := n.batch.Slice(p.First, p.First+p.Rows())
		if !nn.Within(part.Feat) {
			n.badFeature.Store(true)
			return
		}
		p.Device.Write(p.At, own.encode(part))
	}
}
