package nn

import (
	"fmt"
	"slices"
	"testing"

	"dgsbench/internal/fixture"
	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// attentionFixture is testdata/tgn_attention.json: one layer of PyTorch
// Geometric's TransformerConv with the time encoder of TGN.
type attentionFixture struct {
	Dims       struct{ N, M, D, Heads, Td, F int }
	Params     map[string]fixture.Array
	Z, R       fixture.Array
	LastUpdate fixture.Array `json:"last_update"`
	EdgeIndex  fixture.Array `json:"edge_index"`
	EdgeT      fixture.Array `json:"edge_t"`
	EdgeMsg    fixture.Array `json:"edge_msg"`
	EdgeAttr   fixture.Array `json:"edge_attr"`
	Attention  fixture.Array
	Out, Loss  fixture.Array
	Grad       map[string]fixture.Array
	GradZ      fixture.Array `json:"grad_z"`
}

// byCentre are the edges in the order of a ragged list.
func (f *attentionFixture) byCentre() []int {
	centres := f.EdgeIndex.Row(1)
	order := make([]int, len(centres))
	for e := range order {
		order[e] = e
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(centres[a] - centres[b]) })
	return order
}

func TestAttentionMatchesPyTorch(t *testing.T) {
	var f attentionFixture
	fixture.Read(t, "tgn_attention.json", &f)
	onEveryDevice(t, func(t *testing.T, d kernels.Device) { f.check(t, d) })
}

func (f *attentionFixture) check(t *testing.T, d kernels.Device) {
	g, order := NewGraph(d), f.byCentre()
	nodes, edges := NewRows(f.Dims.N), NewRows(len(order))
	p := fixtureParams(g, f.Params)
	z, dt, msg := g.Input("z", nodes, f.Dims.M), g.Input("dt", edges, 1), g.Input("msg", edges, f.Dims.F)
	list := Neighbours{Offsets: g.Offsets("offsets", nodes), Index: g.Index("index", edges)}
	weights := g.Input("R", nodes, f.Dims.D)
	d.Write(g.Buffer(z), f.Z.Single())
	d.Write(g.Buffer(msg), f.EdgeMsg.Pick(order).Single())
	d.Write(g.Buffer(weights), f.R.Single())
	f.writeEdges(d, g, order, list, dt)

	attr := Concat(TimeEncode(dt, p["time_enc.w"], p["time_enc.b"]), msg)
	out := NeighbourAttention(z, z, Linear(attr, p["conv.lin_edge.weight"]), list, AttentionParams{
		Heads: f.Dims.Heads,
		Query: p["conv.lin_query.weight"], QueryBias: p["conv.lin_query.bias"],
		Key: p["conv.lin_key.weight"], KeyBias: p["conv.lin_key.bias"],
		Value: p["conv.lin_value.weight"], ValueBias: p["conv.lin_value.bias"],
		Skip: p["conv.lin_skip.weight"], SkipBias: p["conv.lin_skip.bias"],
	})
	loss := inner(out, weights)
	p["z"] = z
	run := newFixtureRun(t, g, loss, p, map[string]*G.Node{"out": out, "edge_attr": attr})
	run.check(t, f.Loss, f.Grad, map[string]fixture.Array{"out": f.Out, "edge_attr": f.EdgeAttr.Pick(order)})
	matches(t, f.GradZ, "gradient of z", d, run.program.Buffer(run.grads["z"]))
	f.checkWeights(t, g, order)
}

// writeEdges writes the ragged list and the time of each edge before its
// neighbour's last update.
func (f *attentionFixture) writeEdges(d kernels.Device, g *Graph, order []int, list Neighbours, dt *G.Node) {
	var index []int32
	var deltas []float32
	offsets := make([]int32, f.Dims.N+1)
	for _, e := range order {
		j, i := int(f.EdgeIndex.Row(0)[e]), int(f.EdgeIndex.Row(1)[e])
		index = append(index, int32(j))
		deltas = append(deltas, float32(f.LastUpdate.Values[j]-f.EdgeT.Values[e]))
		for c := i + 1; c < len(offsets); c++ {
			offsets[c]++
		}
	}
	d.WriteInts(g.Ints(list.Offsets), offsets)
	d.WriteInts(g.Ints(list.Index), index)
	d.Write(g.Buffer(dt), deltas)
}

// checkWeights finds the softmax weights in the packed result.
func (f *attentionFixture) checkWeights(t *testing.T, g *Graph, order []int) {
	t.Helper()
	for _, n := range g.expr.AllNodes() {
		if o, ok := n.Op().(*op); ok && o.name == fmt.Sprintf("attend heads %d dropout false packed", f.Dims.Heads) {
			p := g.Compile(ForInference, n)
			p.Run()
			weights := g.device.View(p.Buffer(n), len(f.Out.Values), len(f.Attention.Values))
			matches(t, f.Attention.Pick(order), "weights", g.device, weights)
			return
		}
	}
	t.Error("no packed attention in the graph")
}
