package memory_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/reference"
	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/models/tgn"
	"dgsbench/protocol"
)

// naive is the memory in loops: lists of messages, a map a role.
type naive struct {
	opts     memory.Options
	params   map[string][]float64
	memories [][]float64
	updated  []float64
	stores   [2]map[int32][]heard
	events   int
}

type heard struct {
	other    int32
	time     float64
	features []float64
	number   int
}

// stored are a node's messages that count, in order.
func (n *naive) stored(node int32) []heard {
	all := append(slices.Clone(n.stores[0][node]), n.stores[1][node]...)
	if len(all) > 0 {
		return []heard{slices.MaxFunc(all, func(a, b heard) int { return a.number - b.number })}
	}
	return all
}

// read is memory and last update of a node with its messages applied.
func (n *naive) read(node int32) ([]float64, float64) {
	q, all, latest := n.memories[node], n.stored(node), 0.0
	a := make([]float64, len(n.params[string(n.opts.Cell)+".weight_ih"])/len(n.params[string(n.opts.Cell)+".bias_ih"]))
	for _, m := range all {
		for i, x := range n.message(node, m) {
			a[i] += x / float64(len(all))
		}
		latest = max(latest, m.time)
	}
	return n.cell(a, q), latest
}

// message is what an event says to a node.
func (n *naive) message(node int32, m heard) []float64 {
	out := append(append(slices.Clone(n.memories[node]), n.memories[m.other]...), m.features...)
	for j, w := range n.params["time_enc.w"] {
		out = append(out, math.Cos(w*(m.time-n.updated[node])+n.params["time_enc.b"][j]))
	}
	return out
}

func (n *naive) cell(a, q []float64) []float64 {
	name, size := string(n.opts.Cell), len(q)
	gi := affine(a, n.params[name+".weight_ih"], n.params[name+".bias_ih"])
	gh := affine(q, n.params[name+".weight_hh"], n.params[name+".bias_hh"])
	out, length := make([]float64, size), 0.0
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for j := range out {
		if n.opts.Cell == memory.RNN {
			out[j] = math.Tanh(gi[j] + gh[j])
		} else {
			r, z := sigmoid(gi[j]+gh[j]), sigmoid(gi[size+j]+gh[size+j])
			out[j] = (1-z)*math.Tanh(gi[2*size+j]+r*gh[2*size+j]) + z*q[j]
		}
		length += out[j] * out[j]
	}
	if n.opts.Cell == memory.RNN {
		for j := range out {
			out[j] /= math.Sqrt(length)
		}
	}
	return out
}

// affine is x w + b, w in x out.
func affine(x, w, b []float64) []float64 {
	out := slices.Clone(b)
	for i, v := range x {
		for j := range out {
			out[j] += v * w[i*len(b)+j]
		}
	}
	return out
}

// apply keeps what is read of the nodes.
func (n *naive) apply(nodes []int32) {
	var memories [][]float64
	var updated []float64
	for _, v := range nodes {
		m, t := n.read(v)
		memories, updated = append(memories, m), append(updated, t)
	}
	for i, v := range nodes {
		n.memories[v], n.updated[v] = memories[i], updated[i]
	}
}

// store replaces the messages of the batch's nodes.
func (n *naive) store(b datasets.Stream) {
	for role, ends := range [][2][]int32{{b.Src, b.Dst}, {b.Dst, b.Src}} {
		fresh := map[int32][]heard{}
		for k, v := range ends[0] {
			h := heard{ends[1][k], b.Time[k], nil, 2*(n.events+k) + role}
			for _, x := range b.Features(k) {
				h.features = append(h.features, float64(x))
			}
			fresh[v] = append(fresh[v], h)
		}
		for v, list := range fresh {
			n.stores[role][v] = list
		}
	}
	n.events += b.Len()
}

// looped is a model beside its loops.
type looped struct {
	rapid.TB
	model interface {
		models.Model
		Memories() kernels.Buffer
		LastUpdates() []float64
	}
	device  reference.Device
	naive   *naive
	waiting bool // messages, since the last evaluation
}

const naiveFeatures = 2

// newLooped predicts links, or classifies with memories whose messages wait.
func newLooped(t rapid.TB, o memory.Options, nc *memory.Classification, nodes, batch int) *looped {
	t.Helper()
	l := &looped{TB: t, device: reference.New(), waiting: true}
	s := models.Setup{Task: protocol.LinkPrediction, NumNodes: nodes, NumFeat: naiveFeatures, MaxBatch: batch, Seed: 3, Threads: 1}
	options := &tgn.Options{Embedding: tgn.Identity, Memory: o} // with steps of length 0
	if nc == nil {
		l.model = memory.NewOn(l.device, s, options.Config())
	} else {
		s.Task, options.Classification = protocol.NodeClassification, *nc
		l.model = memory.NewClassifierOn(l.device, s, options.Config())
	}
	l.naive = newNaive(l.model, o, nodes)
	return l
}

// train and evaluate advance both and compare them.
func (l *looped) train(b datasets.Stream) {
	l.naive.apply(distinct(b))
	l.naive.store(b)
	if _, err := l.model.Train(b, make([]int32, b.Len())); err != nil {
		l.Fatal(err)
	}
	l.waiting = true
	l.compare("training")
}

// evaluate first applies messages to all nodes, once.
func (l *looped) evaluate(b datasets.Stream) {
	if l.waiting {
		var everyone []int32
		for v := range l.naive.memories {
			everyone = append(everyone, int32(v))
		}
		l.naive.apply(everyone)
		l.naive.stores = [2]map[int32][]heard{{}, {}}
	}
	l.waiting = false
	l.naive.store(b)
	l.naive.apply(distinct(b))
	if err := l.model.Observe(b); err != nil {
		l.Fatal(err)
	}
	l.compare("evaluation")
}

func (l *looped) compare(what string) {
	l.Helper()
	got := l.device.Exact(l.model.Memories())
	for i, want := range slices.Concat(l.naive.memories...) {
		if !(math.Abs(got[i]-want) < 1e-6) {
			size := len(l.naive.memories[0])
			l.Fatalf("%s: memory of node %d is %v at %d, expected %v", what, i/size, got[i], i%size, want)
		}
	}
	if !slices.Equal(l.naive.updated, l.model.LastUpdates()) {
		l.Fatalf("%s: last updates %v, expected %v", what, l.model.LastUpdates(), l.naive.updated)
	}
}

// TestMemoryMatchesLoops: any graph, both tasks and cells, in
// training and in evaluation, one after the other without Reset.
func TestMemoryMatchesLoops(t *testing.T) {
	const nodes, batch = 7, 9
	last := memory.ClassificationDefaults()
	last.NCMemory, last.Head.Hidden = memory.PyGLast, []int{3}
	rapid.Check(t, func(t *rapid.T) {
		o := memory.Options{
			Size: 4, Time: 3,
			Cell: rapid.SampledFrom([]memory.Cell{memory.GRU, memory.RNN}).Draw(t, "cell"),
		}
		var nc *memory.Classification
		if rapid.Bool().Draw(t, "classified") {
			nc = &last
		}
		l, now := newLooped(t, o, nc, nodes, batch), 0.0
		for range rapid.IntRange(2, 3).Draw(t, "epochs") {
			for range rapid.IntRange(0, 4).Draw(t, "training batches") {
				b := drawBatch(t, nodes, naiveFeatures, batch, &now)
				if rapid.Bool().Draw(t, "unlabelled") {
					b.Label = slices.Repeat([]int8{datasets.Unlabelled}, b.Len())
				}
				l.train(b)
			}
			for range rapid.IntRange(1, 3).Draw(t, "evaluated batches") {
				l.evaluate(drawBatch(t, nodes, naiveFeatures, batch, &now))
			}
		}
	})
}

// TestManyMessagesMatchLoops: more nodes have messages than are worked off at
// once, and each message reads memories from before all of them.
func TestManyMessagesMatchLoops(t *testing.T) {
	const nodes, batch = 1100, 200
	o := memory.Options{Size: 4, Time: 3, Cell: memory.GRU}
	l, rng := newLooped(t, o, nil, nodes, batch), rand.New(rand.NewPCG(1, 1))
	for i := range 6 {
		b := datasets.Stream{NumNodes: nodes, NumFeat: naiveFeatures}
		for k := range batch {
			b.Src, b.Dst = append(b.Src, rng.Int32N(nodes)), append(b.Dst, rng.Int32N(nodes))
			b.Time, b.Feat = append(b.Time, float64(i*batch+k)/100), append(b.Feat, rng.Float32(), rng.Float32())
		}
		if i < 5 {
			l.train(b)
		} else {
			l.evaluate(b)
		}
	}
}

func newNaive(m models.Model, o memory.Options, nodes int) *naive {
	n := &naive{opts: o, params: map[string][]float64{}, updated: make([]float64, nodes), stores: [2]map[int32][]heard{{}, {}}}
	for _, p := range m.Snapshot(models.Parameters).Params {
		for _, x := range p.F32 {
			n.params[p.Name] = append(n.params[p.Name], float64(x))
		}
	}
	for range nodes {
		n.memories = append(n.memories, make([]float64, o.Size))
	}
	return n
}

func distinct(b datasets.Stream) []int32 {
	out := append(slices.Clone(b.Src), b.Dst...)
	slices.Sort(out)
	return slices.Compact(out)
}

// drawBatch has self-loops, repeated pairs and equal times.
func drawBatch(t *rapid.T, nodes, features, most int, now *float64) datasets.Stream {
	b := datasets.Stream{NumNodes: nodes, NumFeat: features}
	node := rapid.Int32Range(0, int32(nodes-1))
	for range rapid.IntRange(1, most).Draw(t, "events") {
		*now += float64(rapid.IntRange(0, 2).Draw(t, "pause"))
		b.Src, b.Dst = append(b.Src, node.Draw(t, "src")), append(b.Dst, node.Draw(t, "dst"))
		b.Time, b.Label = append(b.Time, *now), append(b.Label, 0)
		for range features {
			b.Feat = append(b.Feat, float32(rapid.IntRange(-4, 4).Draw(t, "feature"))/4)
		}
	}
	return b
}
