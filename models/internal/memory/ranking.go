package memory

import (
	"dgsbench/kernels"
	"dgsbench/models/internal/pairrank"
	"dgsbench/nn"
)

// ranking ranks destinations by kept memories.
type ranking struct {
	*pairrank.Ranker
	core      *Core
	embedding Embedding
	nodes     *nodeList
	rows      *nn.Rows // memories that are read
	id        *nn.Node
	site      Site
	lookup    *lookup
	timeless  *nn.Program // the lookup's rows
	timed     *nn.Program // and those at their times
	identity  []int32
	updated   []float64
	moving    *moving // nil where embeddings do not change with time
}

// newRanking serves chunks of nodes, and the sources of a batch.
func newRanking(m *Model) (*ranking, error) {
	most := max(chunk, m.setup.MaxBatch)
	memories := m.embedding.Most(most)
	r := &ranking{
		core: m.core, embedding: m.embedding, nodes: newNodeList(m.setup.NumNodes), rows: nn.NewRows(memories),
		identity: upTo(memories), updated: make([]float64, memories),
	}
	if err := r.build(most); err != nil {
		return nil, err
	}
	layers := pairLayers(m.core.Net, m.decoder, m.embedding.Width())
	if linear, ok := m.embedding.(Linear); ok {
		r.moving = newMoving(r, linear, &layers)
		r.Ranker = pairrank.New(m.device, layers, r.moving, m.setup)
	} else {
		r.Ranker = pairrank.New(m.device, layers, r, m.setup)
	}
	return r, nil
}

func (r *ranking) build(most int) error {
	const name = "ranking"
	net := r.core.Net
	r.id = net.Index(name+".id", r.rows)
	memories, err := nn.Gather(r.core.Table, r.id)
	if err != nil {
		return err
	}
	if r.site, err = r.embedding.Site(name, memories, Place{Centres: most}); err != nil {
		return err
	}
	if r.lookup, err = newLookup(r.embedding, net, name, r.site.Out(), nn.NewRows(most)); err != nil {
		return err
	}
	if r.timeless, err = net.Compile(nn.ForInference, r.lookup.plain); err != nil {
		return err
	}
	r.timed, err = net.Compile(nn.ForInference, r.lookup.out)
	return err
}

// prepare lists the memories that the embeddings of the nodes are made of
// and returns the rows of the centres.
func (r *ranking) prepare(nodes []int32) []int32 {
	r.nodes.start()
	r.nodes.add(nodes)
	listed := r.site.List(r.nodes.nodes)
	r.rows.Set(len(listed))
	r.core.device.WriteInts(r.core.Net.Ints(r.id), listed)
	for i, n := range listed {
		r.updated[i] = r.core.Updated[n]
	}
	return r.site.Write(r.identity[:len(listed)], r.updated[:len(listed)])
}

// Gather writes the nodes' embeddings, without time, to dst.
func (r *ranking) Gather(d kernels.Device, nodes []int32, dst kernels.Buffer) {
	at := r.prepare(nodes)
	r.lookup.start()
	for _, n := range nodes {
		r.lookup.add(at[r.nodes.at(n)], Destination, 0)
	}
	r.run(d, r.timeless, r.lookup.plain, len(nodes), dst)
}

// run copies the result of a program.
func (r *ranking) run(d kernels.Device, p *nn.Program, out *nn.Node, rows int, dst kernels.Buffer) {
	r.lookup.set()
	p.Run()
	width := r.embedding.Width()
	d.CopyRows(rows, width, dst, width, p.Buffer(out), width)
}

// everythingChanged says that parameters or all memories are new.
func (r *ranking) everythingChanged() {
	r.EverythingChanged()
	if r.moving != nil {
		r.moving.fresh = false
	}
}

// changed says that these nodes have new memories and took part in events.
func (r *ranking) changed(nodes []int32) { r.Changed(r.embedding.Affected(nodes)) }

// ready brings what comes from the parameters up to date.
func (r *ranking) ready() {
	if r.moving != nil {
		r.moving.refresh()
	}
}

var _ pairrank.Embeddings = (*ranking)(nil)
