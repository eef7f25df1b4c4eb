package dgs

import (
	"math"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/internal/head"
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

func newNetwork(d kernels.Device, o *Options, size int, s models.Setup, f *feeds) (*network, error) {
	n, err := newEmbedding(d, o, size, s, f)
	if err != nil {
		return nil, err
	}
	if err := n.mix(); err != nil {
		return nil, err
	}
	if err := n.classifier(s); err != nil {
		return nil, err
	}
	n.observe, err = n.Compile(nn.ForInference, n.after.source, n.after.destination)
	return n, err
}

// newEmbedding is a network up to what it computes of the features alone.
func newEmbedding(d kernels.Device, o *Options, size int, s models.Setup, f *feeds) (*network, error) {
	n := &network{Network: nn.NewNetwork(d, s.Seed), opts: o, size: size, rows: nn.NewRows(s.MaxBatch), feeds: f}
	n.x = n.Input("x", n.rows, s.NumFeat)
	n.Feed(n.x, nn.FromHostWithin(s.NumFeat, func() []float32 { return f.batch.Feat }, &f.bad))
	if err := n.embedding(); err != nil {
		return nil, err
	}
	if err := n.factors(); err != nil {
		return nil, err
	}
	var err error
	n.embed, err = n.Compile(nn.ForInference, n.outputs()...)
	return n, err
}

// embedding is E(F). That of buckets is written by the host.
func (n *network) embedding() (err error) {
	if n.opts.Embedding == Buckets {
		n.e = n.Input("E", n.rows, n.size)
		n.Feed(n.e, n.feeds.encoded)
		return nil
	}
	features := n.x.Shape()[1]
	n.w = n.parameter("W", n.Uniform(features*n.size, 1/math.Sqrt(float64(features))), features, n.size)
	if n.z, err = nn.Linear(n.x, n.w); err != nil {
		return err
	}
	n.e, err = normalisations[n.opts.Embedding].node(n.z, n.size/n.opts.Blocks, n.opts)
	return err
}

// parameter is one below the head.
func (n *network) parameter(name string, values []float32, shape ...int) *nn.Node {
	if n.opts.Gradient == None {
		return n.Fixed(name, values, shape...)
	}
	return n.Weight(name, values, shape...)
}

// factors are alpha and beta.
func (n *network) factors() (err error) {
	if n.alpha, n.alphaBias, n.alphaWeights, err = n.factor("alpha", .1, .9); err != nil {
		return err
	}
	n.beta, n.betaBias, n.betaWeights, err = n.factor("beta", .1, .99)
	return err
}

// factor is one of them, drawn between low and high.
func (n *network) factor(name string, low, high float64) (value, bias, weights *nn.Node, err error) {
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
			if logits, err = nn.Dense(n.x, weights, bias, false); err != nil {
				return nil, nil, nil, err
			}
		}
		if value, err = nn.Sigmoid(logits); err != nil {
			return nil, nil, nil, err
		}
	}
	if n.opts.Factors == Scalar {
		value, err = nn.Spread(value, n.size)
	}
	return value, bias, weights, err
}

// mix is what becomes of both ends of an event.
func (n *network) mix() (err error) {
	f, table := n.feeds, func() kernels.Buffer { return n.feeds.states.table }
	n.self = n.FromTable("self", n.rows, n.size, table, func() []int32 { return f.states.batch.from.source }).Node
	n.other = n.FromTable("other", n.rows, n.size, table, func() []int32 { return f.states.batch.from.destination }).Node
	if n.after.source, err = nn.Mix(n.self, n.other, n.e, n.alpha, n.beta); err != nil {
		return err
	}
	if n.after.destination, err = nn.Mix(n.other, n.self, n.e, n.alpha, n.beta); err != nil {
		return err
	}
	bad := &f.badState
	if n.Device().Wide() { // looking takes a call of its own
		bad = nil
	}
	n.Drain(n.after.source, nn.DrainTo(n.size, table, func() []int32 { return f.states.batch.to.source }, bad))
	n.Drain(n.after.destination, nn.DrainTo(n.size, table, func() []int32 { return f.states.batch.to.destination }, bad))
	return nil
}

// classifier is the head.
func (n *network) classifier(s models.Setup) (err error) {
	if s.Task == protocol.LinkPrediction {
		rows := nn.NewRows(2 * s.MaxBatch)
		n.pairs = n.Input("pairs", rows, 2*n.size)
		n.head, err = head.On(n.Network, n.pairs, rows, n.opts.Head, 2*s.MaxBatch, nn.Wanted{Inputs: n.owing(n.pairs)})
		return err
	}
	n.head, err = head.On(n.Network, n.after.source, n.rows, n.opts.Head, s.MaxBatch, nn.Wanted{
		InTraining: n.outputs(), InInference: []*nn.Node{n.after.source, n.after.destination}, Inputs: n.owing(n.self, n.other),
	})
	return err
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
