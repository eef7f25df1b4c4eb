package memory

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models/nodelist"
	"dgsbench/nn"
)

// perNode classifies by one memory a node, that after its last event of the
// batch, as PyTorch Geometric's module gives it when it is updated before it is
// read. In training the read applies the batch's messages with a gradient; in
// evaluation they are applied before.
type perNode struct {
	*base
	backup   *backup
	sources  *nodelist.List  // of a batch
	applied  *appliedInBatch // in training
	update   *update         // in training
	kept     *nn.Rows        // in inference: of kept memories
	listed   []int32         // in inference: what embeddings are made of
	site     *site
	embedded *lookup

	updated []float64
}

func newPerNode(m *base) *perNode {
	net, batch, nodes := m.core.Net, m.setup.MaxBatch, m.setup.NumNodes
	maxMemories := m.embedding.maxMemories(min(batch, nodes))
	p := &perNode{base: m, sources: nodelist.New(nodes), backup: newBackup(m.core, 2*batch), kept: nn.NewRows(maxMemories)}
	p.applied = newAppliedInBatch(m.core, m.messages, m.own, 2*batch, 2*maxMemories)
	p.update = newTrainedUpdate(m.core, m.messages, "read", table{p.applied.table.out, p.applied.rowOf}, maxMemories)
	keptID := net.ListFromHost("kept.id", p.kept, func() []int32 { return p.listed })
	vectors := nn.TrainingOr(p.update.out, nn.Gather(m.core.Table, keptID))
	p.site = m.embedding.site("source", vectors, place{centres: min(batch, nodes), training: true})
	p.embedded = newLookup(m.embedding, net, "source", p.site.out, nn.NewRows(batch))
	return p
}

func (p *perNode) wanted() nn.Wanted {
	return nn.Wanted{InTraining: []*nn.Node{p.applied.update.out}}
}

// prepare folds the batch in, so that it can be rolled back, and sets it up for
// its sources to be classified.
func (p *perNode) prepare(b datasets.Stream, training bool) error {
	if err := p.upload(b); err != nil {
		return err
	}
	var rows []int32
	var updated []float64
	if training {
		rows, updated = p.prepareTraining(b)
	} else {
		rows, updated = p.prepareInference(b)
	}
	embedded := p.site.write(rows, updated)
	p.embedded.reset()
	for k, u := range b.Src {
		i := p.sources.At(u)
		p.embedded.add(embedded[i], Source, b.Time[k]-updated[i])
	}
	return nil
}

// memories lists the nodes whose memories the sources' embeddings are made of.
func (p *perNode) memories(b datasets.Stream) []int32 {
	p.sources.Reset()
	p.sources.Add(b.Src...)
	return p.site.list(p.sources.Nodes)
}

// prepareTraining reads memories with a gradient, after the messages of the
// batch's nodes have been applied and its events are stored.
func (p *perNode) prepareTraining(b datasets.Stream) (rows []int32, updated []float64) {
	p.kept.Set(0) // all are read by update
	p.backup.copy(p.nodesOf(b))
	p.applied.setNodes(p.messages.blank)
	p.store(b)
	p.update.setNodes(p.memories(b), p.messages.blank)
	p.applied.list()
	return p.update.row, p.update.updated
}

// prepareInference takes memories as they are kept, after the batch has updated them.
func (p *perNode) prepareInference(b datasets.Stream) (rows []int32, updated []float64) {
	p.flush()
	p.backup.copy(p.nodesOf(b))
	p.advance(b, false)
	p.listed = p.memories(b)
	p.kept.Set(len(p.listed))
	p.updated = p.core.appendUpdated(p.updated[:0], p.listed)
	return p.core.upTo(len(p.listed)), p.updated
}

// commit keeps what the read made of the batch's nodes, and the events.
func (p *perNode) commit(b datasets.Stream, trained *nn.Training) {
	p.messages.evaluated = trained == nil
	if trained != nil {
		u := p.applied.update
		p.core.commit(p.own.Nodes, trained.Buffer(u.out), u.row, u.updated)
	}
	p.embedding.insert(b, p.x)
}

func (p *perNode) rollback() {
	p.messages.rollback()
	p.backup.restore()
}

func (p *perNode) observe(b datasets.Stream, training bool) error {
	if err := p.upload(b); err != nil {
		return err
	}
	if !training {
		p.flush()
		p.advance(b, true)
		return nil
	}
	p.messages.evaluated = false
	p.updater.applyAll(p.nodesOf(b))
	p.store(b)
	p.embedding.insert(b, p.x)
	return nil
}

// backup is what the nodes of a batch had before it, to be restored if the batch
// is rolled back.
type backup struct {
	core     *Core
	nodes    []int32
	updated  []float64
	memories kernels.Buffer
}

// newBackup is for at most maxNodes nodes.
func newBackup(c *Core, maxNodes int) *backup {
	return &backup{core: c, memories: c.device.NewBuffer(maxNodes * c.opts.Size)}
}

// copy copies memories and times of the nodes.
func (a *backup) copy(nodes []int32) {
	a.nodes, a.updated = append(a.nodes[:0], nodes...), a.core.appendUpdated(a.updated[:0], nodes)
	a.core.move.Run(a.memories, a.core.upTo(len(nodes)), a.core.table, nodes)
}

// restore puts them back.
func (a *backup) restore() { a.core.commit(a.nodes, a.memories, a.core.upTo(len(a.nodes)), a.updated) }

// appliedInBatch is the memories that a batch leaves behind before its own events
// are applied: those of its nodes as they are read, with a gradient, and
// others as they are kept.
type appliedInBatch struct {
	core   *Core
	update *update
	own    *nodelist.List // of the batch
	others *nodelist.List // that were asked for
	table  *stacked       // the updated memories above the others
}

// newAppliedInBatch is for batches of at most nodes nodes, own, and at most others
// others.
func newAppliedInBatch(c *Core, m *messages, own *nodelist.List, nodes, others int) *appliedInBatch {
	s := &appliedInBatch{core: c, own: own, others: nodelist.New(c.nodes)}
	s.update = newUpdate(c, m, "applied", c.kept(), nn.NewRows(nodes), nn.NewRows(nodes))
	s.table = newStacked(c, "applied.others", s.update.out, s.update.rows, others)
	return s
}

// setNodes lists the batch's nodes and puts their times forward.
func (s *appliedInBatch) setNodes(blank bool) {
	s.update.setNodes(s.own.Nodes, blank)
	s.others.Reset()
	for i, n := range s.own.Nodes {
		s.core.Updated[n] = s.update.updated[i]
	}
}

// rowOf is the row of a node's memory. It lists nodes that are not the batch's
// own.
func (s *appliedInBatch) rowOf(node int32) int32 {
	if i := s.own.At(node); i >= 0 {
		return s.update.row[i]
	}
	s.others.Add(node)
	return int32(len(s.update.ids)) + s.others.At(node)
}

// list is for when all rows have been asked for.
func (s *appliedInBatch) list() { s.table.write(len(s.update.ids), s.others.Nodes) }
