// Package memory is what TGN (Rossi et al., Temporal Graph Networks, 2020) and
// Jodie share, with the semantics of PyTorch Geometric's TGNMemory: a memory and
// a time of last update for every node, the messages that are still to be
// applied to it, a cell that applies them, and a decoder for pairs, or a
// classifier. The models differ by their embedding. Equations are those of the
// TGN paper.
//
// # Training and evaluation
//
// In training a batch's messages wait until their nodes are read again: the
// read applies them, with a gradient one application of the cell deep, and the
// batch's own nodes keep the result. So the memory of a node lags behind by
// the node's last batch, and a partner's memory within a message is whatever
// is kept when the message is applied.
//
// The first call that evaluates after training, or after Reset, flushes:
// messages are applied to all nodes, and those without one pass the cell with
// zeros. From then on every batch is applied at once. A model that trains on
// after an evaluation, without Reset, applies the messages of its last
// evaluated batches a second time, as PyTorch Geometric does. A flush stays, even
// if the batch behind it is refused.
//
// # Classification
//
// An event is classified after it is folded in, by a memory of its own that
// is made of those from before its batch; no message waits (PerEvent). The
// ways of PyTorch Geometric's module are options (Classification).
package memory

import (
	"math"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/models/nodelist"
	"dgsbench/nn"
)

// Model predicts links from memories.
type Model struct {
	*base
	decoder  nn.DecoderParams
	training *training // nil until the first training batch
	adam     *nn.Adam
	ranking  *ranking
}

func newModel(d kernels.Device, s models.Setup, c Config) *Model {
	m := &Model{base: newBase(d, s, c), adam: nn.NewAdam(d, c.Optimiser.LR, c.Optimiser.WeightDecay)}
	m.decoder = newDecoder(m.core.Net, m.embedding.width)
	m.ranking = newRanking(m)
	return m
}

// training is the graph of a training batch, from the kept memories to the
// loss.
type training struct {
	nodes       *nodelist.List // of the batch: its own, and after these its negatives
	own         int
	update      *update
	site        *site
	pairs       *nn.Rows // positive ones, then as many negative ones
	left, right *lookup  // embeddings of their ends
	logits      *nn.Node
	y, w        kernels.Buffer // targets and weights of the loss
	events      int            // for which y and w are written
	program     *nn.Training
}

// newTraining builds the graph of the batch that Train describes.
func (m *Model) newTraining() *training {
	net, batch := m.core.Net, m.setup.MaxBatch
	centres := min(3*batch, m.setup.NumNodes)
	t := &training{nodes: nodelist.New(m.setup.NumNodes), pairs: nn.NewRows(2 * batch)}
	t.update = newTrainedUpdate(m.core, m.messages, "training", m.core.kept(), m.embedding.maxMemories(centres))
	t.site = m.embedding.site("training", t.update.out, place{centres: centres, training: true})
	t.left = newLookup(m.embedding, net, "training.left", t.site.out, t.pairs)
	t.right = newLookup(m.embedding, net, "training.right", t.site.out, t.pairs)
	t.logits = nn.PairDecoder(t.left.out, t.right.out, m.decoder)
	y, w := net.Input("training.y", t.pairs, 1), net.Input("training.w", t.pairs, 1)
	t.y, t.w = net.Buffer(y), net.Buffer(w)
	t.program = net.NewTraining(nn.BCE(t.logits, y, w), nn.Wanted{InTraining: []*nn.Node{t.update.out, t.logits}})
	return t
}

// Train makes one step (algorithm 2 of the TGN paper). Memories, messages and
// neighbours advance with the parameters that scored.
func (m *Model) Train(b datasets.Stream, negatives []int32) (float64, error) {
	if err := m.upload(b); err != nil {
		return 0, err
	}
	if m.training == nil {
		m.training = m.newTraining()
	}
	t := m.training
	t.nodes.Reset()
	t.nodes.Add(b.Src...)
	t.nodes.Add(b.Dst...)
	t.own = len(t.nodes.Nodes)
	t.nodes.Add(negatives...)

	// Waiting messages (1, 3) update the memories (4) that the embeddings (5)
	// of these nodes are made of.
	t.update.setNodes(t.site.list(t.nodes.Nodes), m.messages.blank)
	embedded := t.site.write(t.update.row, t.update.updated)

	// The decoder scores the events, and each source with a negative.
	t.left.reset()
	t.right.reset()
	for _, destinations := range [][]int32{b.Dst, negatives} {
		for k, n := range destinations {
			u, v := t.nodes.At(b.Src[k]), t.nodes.At(n)
			t.left.add(embedded[u], Source, b.Time[k]-t.update.updated[u])
			t.right.add(embedded[v], Destination, b.Time[k]-t.update.updated[v])
		}
	}
	t.writeTargets(m.device, b.Len())
	m.core.Net.Defer(m.device.ResetChecks)

	// Loss and backward pass.
	loss, err := head.Loss(t.program, b)
	if err != nil {
		return 0, err
	}

	// The batch's own nodes keep their memories (4), its events become the
	// messages that wait (1) and the last events of their ends. All that is
	// written comes first: it goes to the device as one.
	m.messages.evaluated = false // the next evaluation flushes
	m.messages.store(b)
	m.embedding.insert(b, m.x)
	m.core.commit(t.nodes.Nodes[:t.own], t.program.Buffer(t.update.out), t.update.row[:t.own], t.update.updated)
	m.messages.storeFeatures(m.x)
	m.adam.Step(t.program.Params, t.program.Gradients)
	return loss, nil
}

// writeTargets writes targets and weights of the loss. Batches of one size have
// the same.
func (t *training) writeTargets(d kernels.Device, events int) {
	if t.events == events {
		return
	}
	targets, weights := head.PairTargets(events)
	d.Write(t.y, targets)
	d.WriteFloat64(t.w, weights)
	t.events = events
}

func (m *Model) Observe(b datasets.Stream) error {
	if err := m.upload(b); err != nil {
		return err
	}
	m.evaluate()
	m.advance(b, true)
	m.ranking.Invalidate(m.embedding.affected(m.own.Nodes))
	return nil
}

func (m *Model) evaluate() {
	if m.flush() {
		m.ranking.InvalidateAll()
	}
}

func (m *Model) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	m.evaluate()
	return m.ranking.Rank(b, c, out)
}

// Score writes the logits of all pairs of a source of the batch with a
// candidate.
func (m *Model) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	m.evaluate()
	return m.ranking.Score(b, candidates, logits)
}

func (m *Model) Classify(datasets.Stream, []float32) error { return models.ErrTask }

// Reset clears all memories, messages and neighbours.
func (m *Model) Reset() {
	m.base.Reset()
	m.ranking.InvalidateAll()
}

func (m *Model) Restore(s models.Snapshot) error {
	if err := m.base.Restore(s); err != nil {
		return err
	}
	m.ranking.InvalidateAll()
	return nil
}

// newDecoder draws the link predictor w relu(Wa z_u + ba + Wb z_v + bb) + c
// for embeddings of width columns. It has width hidden units, and parameters
// uniform in +-1/sqrt(width).
func newDecoder(net *nn.Network, width int) nn.DecoderParams {
	bound := 1 / math.Sqrt(float64(width))
	matrix := func(name string, out int) *nn.Node {
		return net.Weight(name+".weight", net.Uniform(width*out, bound), width, out)
	}
	bias := func(name string, out int) *nn.Node { return net.Weight(name+".bias", net.Uniform(out, bound), out) }
	return nn.DecoderParams{
		Left: matrix("pred.lin_src", width), LeftBias: bias("pred.lin_src", width),
		Right: matrix("pred.lin_dst", width), RightBias: bias("pred.lin_dst", width),
		Out: matrix("pred.lin_final", 1), OutBias: bias("pred.lin_final", 1),
	}
}
