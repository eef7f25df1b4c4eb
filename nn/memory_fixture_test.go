package nn

import (
	"testing"

	"dgsbench/internal/fixture"
	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// memoryFixture is testdata/tgn_memory.json: what TGN's memory reads in
// training, one GRU application from the pending messages.
type memoryFixture struct {
	Dims   struct{ N, M, Td, F int }
	Params map[string]fixture.Array
	R      fixture.Array
	Train  []memoryBatch
}

type memoryBatch struct {
	Src, Dst, T, Msg fixture.Array
	NodeID           fixture.Array `json:"n_id"`
	Z, Loss          fixture.Array
	Grad             map[string]fixture.Array
	AfterMemory      fixture.Array `json:"after_memory"`
	AfterLastUpdate  fixture.Array `json:"after_last_update"`
}

// message is what a node has heard last.
type message struct {
	other    int32
	t        float64
	features []float64
}

// memoryGraph reads the nodes of a batch: messages are assembled for those
// that have one, the others get zeros.
type memoryGraph struct {
	graph                  *Graph
	nodes, messages        *Rows
	memory, features, dt   *G.Node
	id, self, other, place *G.Node
	run                    *fixtureRun
}

func newMemoryGraph(t *testing.T, d kernels.Device, f *memoryFixture) *memoryGraph {
	g := NewGraph(d)
	m := &memoryGraph{graph: g, nodes: NewRows(f.Dims.N), messages: NewRows(f.Dims.N)}
	p := fixtureParams(g, f.Params)
	m.memory = g.Input("memory", NewRows(f.Dims.N), f.Dims.M)
	m.features, m.dt = g.Input("features", m.messages, f.Dims.F), g.Input("dt", m.messages, 1)
	m.id = g.Index("id", m.nodes)
	m.self, m.other, m.place = g.Index("self", m.messages), g.Index("other", m.messages), g.Index("place", m.messages)
	weights := g.Input("R", NewRows(f.Dims.N), f.Dims.M)
	d.Write(g.Buffer(weights), f.R.Single())

	phi := TimeEncode(m.dt, p["time_enc.w"], p["time_enc.b"])
	msg := Concat(Gather(m.memory, m.self), Gather(m.memory, m.other), m.features, phi)
	q := Gather(m.memory, m.id)
	a := Scatter(msg, m.place, q)
	z := GRU(a, q, p["gru.weight_ih"], p["gru.weight_hh"], p["gru.bias_ih"], p["gru.bias_hh"])
	loss := inner(z, Gather(weights, m.id))
	m.run = newFixtureRun(t, g, loss, p, map[string]*G.Node{"z": z})
	return m
}

// write prepares the read of the nodes.
func (m *memoryGraph) write(nodes []int32, memory, updated []float64, pending map[int32]message) {
	var self, other, place []int32
	var features, dt []float32
	for i, n := range nodes {
		msg, ok := pending[n]
		if !ok {
			continue
		}
		self, other, place = append(self, n), append(other, msg.other), append(place, int32(i))
		dt = append(dt, float32(msg.t-updated[n]))
		for _, x := range msg.features {
			features = append(features, float32(x))
		}
	}
	g := m.graph
	m.nodes.Set(len(nodes))
	m.messages.Set(len(self))
	write(g.device, g.Buffer(m.memory), memory)
	g.device.Write(g.Buffer(m.features), features)
	g.device.Write(g.Buffer(m.dt), dt)
	g.device.WriteInts(g.Ints(m.id), nodes)
	g.device.WriteInts(g.Ints(m.self), self)
	g.device.WriteInts(g.Ints(m.other), other)
	g.device.WriteInts(g.Ints(m.place), place)
}

// TestMemoryMatchesPyTorch: one program reads all batches, each with nodes
// and messages of its own number.
func TestMemoryMatchesPyTorch(t *testing.T) {
	var f memoryFixture
	fixture.Read(t, "tgn_memory.json", &f)
	if len(f.Train) < 2 {
		t.Fatalf("%d batches: nothing is ever read from a message", len(f.Train))
	}
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		m := newMemoryGraph(t, d, &f)
		memory, updated := make([]float64, f.Dims.N*f.Dims.M), make([]float64, f.Dims.N)
		stores := newMessageStores()
		for _, b := range f.Train {
			m.write(b.NodeID.Ints(), memory, updated, stores.latest())
			m.run.check(t, b.Loss, b.Grad, map[string]fixture.Array{"z": b.Z})
			stores.fold(b)
			memory, updated = b.AfterMemory.Values, b.AfterLastUpdate.Values
		}
	})
}

// messageStores keep the last message of each node's last batch, as source
// and as destination, with its number in the stream.
type messageStores struct {
	events int
	sides  [2]map[int32]numbered
}

type numbered struct {
	message
	number int
}

func newMessageStores() *messageStores {
	return &messageStores{sides: [2]map[int32]numbered{{}, {}}}
}

// fold replaces what is stored of the batch's nodes. Among equal times the
// latest in stream order counts.
func (s *messageStores) fold(b memoryBatch) {
	src, dst := b.Src.Ints(), b.Dst.Ints()
	for side, ends := range [][2][]int32{{src, dst}, {dst, src}} {
		fresh := map[int32]numbered{}
		for k, n := range ends[0] {
			next := numbered{message{ends[1][k], b.T.Values[k], b.Msg.Row(k)}, s.events + k}
			if old, ok := fresh[n]; !ok || next.after(old) {
				fresh[n] = next
			}
		}
		for n, m := range fresh {
			s.sides[side][n] = m
		}
	}
	s.events += len(src)
}

func (m numbered) after(old numbered) bool {
	return m.t > old.t || m.t == old.t && m.number >= old.number
}

// latest are the messages that count, by node.
func (s *messageStores) latest() map[int32]message {
	out := map[int32]message{}
	for n, m := range s.sides[0] {
		out[n] = m.message
	}
	for n, m := range s.sides[1] {
		if other, ok := s.sides[0][n]; !ok || m.after(other) {
			out[n] = m.message
		}
	}
	return out
}
