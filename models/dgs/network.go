package dgs

import (
	"math"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// network is the graph of one batch: features and the states before it go
// in, the embedding of every event, alpha, beta and the loss come out.
type network struct {
	*nn.Network
	opts *Options
	size int      // numbers of a state
	rows *nn.Rows // events
	x    *nn.Node // features, a row an event

	// The parameters below the head; nil where a variant has none.
	w, alphaBias, betaBias, alphaWeights, betaWeights *nn.Node

	// Values. alpha and beta are vectors, or with Input a row an event.
	z, e, alpha, beta *nn.Node

	// States of source and destination before the batch, a row an event, and
	// what becomes of them.
	self, other *nn.Node
	after       ends[*nn.Node]
	// What the head reads in link prediction: pairs of states, positive ones,
	// then negative ones. In classification it reads after.source.
	pairs *nn.Node

	head    *head.Head
	feeds   *feeds      // of programs for inference
	observe *nn.Program // after
	embed   *nn.Program // values
}

// ends are something of the sources of events, and of their destinations.
type ends[T any] struct{ source, destination T }

// values are those of one program.
type values struct {
	z, e, alpha, beta kernels.Buffer
	factors           kernels.Group // alpha and beta
}

func newNetwork(d kernels.Device, o *Options, size int, s models.Setup, f *feeds) *network {
	n := newEmbedding(d, o, size, s, f)
	n.mix()
	n.classifier(s)
	n.observe = n.Compile(nn.ForInference, n.after.source, n.after.destination)
	return n
}

// newEmbedding is a network up to what it computes of the features alone.
func newEmbedding(d kernels.Device, o *Options, size int, s models.Setup, f *feeds) *network {
	n := &network{Network: nn.NewNetwork(d, s.Seed), opts: o, size: size, rows: nn.NewRows(s.MaxBatch), feeds: f}
	n.x = n.Input("x", n.rows, s.NumFeat)
	n.Feed(n.x, nn.FromHostWithin(s.NumFeat, func() []float32 { return f.batch.Feat }, &f.bad))
	n.embedding()
	n.factors()
	n.embed = n.Compile(nn.ForInference, n.outputs()...)
	return n
}

// embedding is E(F). That of buckets is written by the host.
func (n *network) embedding() {
	if n.opts.Embedding == Buckets {
		n.e = n.Input("E", n.rows, n.size)
		n.Feed(n.e, n.feeds.encoded)
		return
	}
	features := n.x.Shape()[1]
	n.w = n.parameter("W", n.Uniform(features*n.size, 1/math.Sqrt(float64(features))), features, n.size)
	n.z = nn.Linear(n.x, n.w)
	n.e = normalisations[n.opts.Embedding].node(n.z, n.size/n.opts.Blocks, n.opts)
}

// parameter is one below the head.
func (n *network) parameter(name string, values []float32, shape ...int) *nn.Node {
	if n.opts.Gradient == None {
		return n.Fixed(name, values, shape...)
	}
	return n.Weight(name, values, shape...)
}

// factors are alpha and beta.
func (n *network) factors() {
	n.alpha, n.alphaBias, n.alphaWeights = n.factor("alpha", .1, .9)
	n.beta, n.betaBias, n.betaWeights = n.factor("beta", .1, .99)
}

// factor is one of them, drawn between low and high.
func (n *network) factor(name string, low, high float64) (value, bias, weights *nn.Node) {
	count := n.size
	if n.opts.Factors == Scalar {
		count = 1
	}
	drawn := n.UniformIn(count, low, high)
	if n.opts.Range == Clamp {
		bias = n.parameter(name, drawn, count)
		value = bias
	} else {
		for i, v := range drawn {
			drawn[i] = float32(math.Log(float64(v) / (1 - float64(v))))
		}
		bias = n.parameter(name+"_logit", drawn, count)
		logits := bias
		if n.opts.Factors == Input {
			features := n.x.Shape()[1]
			weights = n.parameter(name+"_weights", make([]float32, features*n.size), features, n.size)
			logits = nn.Dense(n.x, weights, bias, false)
		}
		value = nn.Sigmoid(logits)
	}
	if n.opts.Factors == Scalar {
		value = nn.Spread(value, n.size)
	}
	return value, bias, weights
}

// mix is what becomes of both ends of an event.
func (n *network) mix() {
	f, table := n.feeds, func() kernels.Buffer { return n.feeds.states.table }
	n.self = n.FromTable("self", n.rows, n.size, table, func() []int32 { return f.states.batch.from.source }).Node
	n.other = n.FromTable("other", n.rows, n.size, table, func() []int32 { return f.states.batch.from.destination }).Node
	n.after.source = nn.Mix(n.self, n.other, n.e, n.alpha, n.beta)
	n.after.destination = nn.Mix(n.other, n.self, n.e, n.alpha, n.beta)
	n.Drain(n.after.source, nn.DrainTo(n.size, table, func() []int32 { return f.states.batch.to.source }, &f.badState))
	n.Drain(n.after.destination, nn.DrainTo(n.size, table, func() []int32 { return f.states.batch.to.destination }, &f.badState))
}

// classifier is the head.
func (n *network) classifier(s models.Setup) {
	if s.Task == protocol.LinkPrediction {
		rows := nn.NewRows(2 * s.MaxBatch)
		n.pairs = n.Input("pairs", rows, 2*n.size)
		n.head = head.On(n.Network, n.pairs, rows, n.opts.Head, 2*s.MaxBatch, nn.Wanted{Inputs: n.owing(n.pairs)})
		return
	}
	n.head = head.On(n.Network, n.after.source, n.rows, n.opts.Head, s.MaxBatch, nn.Wanted{
		InTraining: n.outputs(), InInference: []*nn.Node{n.after.source, n.after.destination}, Inputs: n.owing(n.self, n.other),
	})
}

// owing are states from before the batch, where their gradients are wanted:
// to meet their derivatives.
func (n *network) owing(states ...*nn.Node) []*nn.Node {
	if n.opts.Gradient != Forward {
		return nil
	}
	return states
}

// feed makes b the batch of the next programs.
func (n *network) feed(b datasets.Stream) {
	n.rows.Set(b.Len())
	n.feeds.batch = b
	n.feeds.bad.Store(false)
	n.feeds.badState.Store(false)
}

// outputs are the nodes of values.
func (n *network) outputs() []*nn.Node {
	out := []*nn.Node{n.e, n.alpha, n.beta}
	if n.z != nil {
		out = append(out, n.z)
	}
	return out
}

// valuesOf finds the values of a program.
func (n *network) valuesOf(buffer func(*nn.Node) kernels.Buffer) values {
	v := values{e: buffer(n.e), alpha: buffer(n.alpha), beta: buffer(n.beta)}
	v.factors = n.Device().NewGroup(v.alpha, v.beta)
	if n.z != nil {
		v.z = buffer(n.z)
	}
	return v
}

// recurrent are the parameters below the head, in the order of the network's.
func (n *network) recurrent() []*nn.Node {
	var out []*nn.Node
	for _, p := range []*nn.Node{n.w, n.alphaBias, n.alphaWeights, n.betaBias, n.betaWeights} {
		if p != nil {
			out = append(out, p)
		}
	}
	return out
}
