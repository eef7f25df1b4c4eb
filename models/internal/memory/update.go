package memory

import (
	"slices"

	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/nn"
)

// update computes the memories of a list of nodes with their messages applied
// (equations 1 and 4 of the TGN paper): those with a message first, then,
// behind any padding, those without.
type update struct {
	core     *Core
	messages *messages
	from     table

	rows, applied             *nn.Rows // of all memories, and of those with a message
	out                       *nn.Node
	ids, others, featuresRows []int32 // rows of from: of all memories, and of the other ends of messages; rows of the messages' features
	deltas                    []float32

	// Of the listed nodes.
	row     []int32   // of out
	updated []float64 // after the messages
}

// table is the memories that an update starts from.
type table struct {
	node  *nn.Node
	rowOf func(node int32) int32
}

// kept are the memories that are kept: of a node, the row of its number.
func (c *Core) kept() table { return table{c.Table, func(node int32) int32 { return node }} }

// newUpdate adds an update to the network. applied are rows of memories with a
// message; where they are all rows, programs for inference divide the work row
// by row.
func newUpdate(c *Core, m *messages, name string, from table, rows, applied *nn.Rows) *update {
	u := &update{core: c, messages: m, from: from, rows: rows, applied: applied}
	net := c.Net
	id := net.ListFromHost(name+".id", rows, func() []int32 { return u.ids })
	self := net.ListFromHost(name+".self", applied, func() []int32 { return u.ids })
	other := net.ListFromHost(name+".other", applied, func() []int32 { return u.others })
	dt := net.FromHost(name+".dt", applied, 1, func() []float32 { return u.deltas })
	features := c.features(name+".features", applied, func() kernels.Buffer { return m.features }, func() []int32 { return u.featuresRows })
	message := c.message(nn.Gather(from.node, self), nn.Gather(from.node, other), features, dt)
	u.out = c.memoryAfter(message, nn.Gather(from.node, id))
	return u
}

// newTrainedUpdate is an update for programs that train, with padded rows.
func newTrainedUpdate(c *Core, m *messages, name string, from table, nodes int) *update {
	applied := c.Net.PaddedRows(nodes)
	return newUpdate(c, m, name, from, c.Net.PaddedRows(applied.MaxPadding()+nodes), applied)
}

// setNodes makes nodes those that are updated. Nodes without a message share one
// row where blank says that their memories are zero.
func (u *update) setNodes(nodes []int32, blank bool) {
	m := u.messages
	u.ids, u.others, u.featuresRows, u.deltas = u.ids[:0], u.others[:0], u.featuresRows[:0], u.deltas[:0]
	u.row, u.updated = u.row[:0], u.updated[:0]
	for _, n := range nodes {
		if !m.waits(n) {
			u.row, u.updated = append(u.row, -1), append(u.updated, 0)
			continue
		}
		u.row, u.updated = append(u.row, int32(len(u.ids))), append(u.updated, m.time[n])
		u.ids, u.others = append(u.ids, u.from.rowOf(n)), append(u.others, u.from.rowOf(m.other[n]))
		u.featuresRows = append(u.featuresRows, m.rows.Of(n))
		u.deltas = append(u.deltas, float32(m.time[n]-u.core.Updated[n]))
	}
	u.applied.Set(len(u.ids))
	for len(u.ids) < u.applied.Padded() {
		u.ids = append(u.ids, 0) // any row
	}
	u.listWithout(nodes, blank)
	u.rows.Set(len(u.ids))
}

// listWithout gives rows to the nodes without a message.
func (u *update) listWithout(nodes []int32, blank bool) {
	shared := int32(-1)
	for i, n := range nodes {
		switch {
		case u.row[i] >= 0:
		case blank && shared >= 0:
			u.row[i] = shared
		default:
			shared = int32(len(u.ids))
			u.row[i] = shared
			u.ids = append(u.ids, u.from.rowOf(n))
		}
	}
}

// updater applies messages for good, chunk by chunk: those of all nodes are
// never there at once.
type updater struct {
	*Core
	capacity int       // nodes of a chunk
	without  compiled  // for nodes without messages, and with
	with     compiled  // for nodes with messages
	now      *compiled // for the nodes that are listed
	nodes    []int32   // that are listed
}

// compiled is an update with its program.
type compiled struct {
	update  *update
	program *nn.Program
}

// chunkOf is how many nodes are updated at once, at most: those of a batch
// always fit.
func chunkOf(s models.Setup) int { return max(512, 2*s.MaxBatch) }

func newUpdater(c *Core, m *messages, s models.Setup) *updater {
	u := &updater{Core: c, capacity: min(chunkOf(s), c.nodes)}
	compile := func(name string, rows, applied *nn.Rows) compiled {
		update := newUpdate(c, m, name, c.kept(), rows, applied)
		return compiled{update, c.Net.Compile(nn.ForInference, update.out)}
	}
	u.without = compile("apply.without", nn.NewRows(u.capacity), nn.NewRows(u.capacity))
	all := nn.NewRows(u.capacity)
	u.with = compile("apply.with", all, all)
	return u
}

// setNodes lists nodes that either all have messages or all have none, at most
// capacity of them. It launches nothing.
func (u *updater) setNodes(nodes []int32) {
	u.nodes, u.now = nodes, &u.without
	if len(nodes) > 0 && u.with.update.messages.waits(nodes[0]) {
		u.now = &u.with
	}
	u.now.update.setNodes(nodes, false)
}

// run updates the memories of the listed nodes.
func (u *updater) run() {
	u.commit(u.nodes, u.compute(), u.upTo(len(u.nodes)), u.now.update.updated)
}

// compute returns the new memories of the listed nodes, a row each.
func (u *updater) compute() kernels.Buffer {
	u.now.program.Run()
	return u.now.program.Buffer(u.now.update.out)
}

// applyAll updates the memories of any nodes; those without a message pass the
// cell with zeros. Messages are made of memories from before all updates.
func (u *updater) applyAll(nodes []int32) {
	var with, without []int32
	for _, n := range nodes {
		if u.with.update.messages.waits(n) {
			with = append(with, n)
		} else {
			without = append(without, n)
		}
	}
	u.applyMessages(with)
	for part := range slices.Chunk(without, u.capacity) { // they read no memories but their own
		u.setNodes(part)
		u.run()
	}
}

// applyMessages updates nodes with messages.
func (u *updater) applyMessages(nodes []int32) {
	if len(nodes) <= u.capacity {
		u.setNodes(nodes)
		u.run()
		return
	}
	size, done := u.opts.Size, 0
	memories, updated := u.device.NewBuffer(len(nodes)*size), make([]float64, 0, len(nodes))
	for part := range slices.Chunk(nodes, u.capacity) {
		u.setNodes(part)
		u.device.CopyRows(len(part), size, u.device.View(memories, done*size, len(part)*size), size, u.compute(), size)
		updated = append(updated, u.now.update.updated...)
		done += len(part)
	}
	done = 0
	for part := range slices.Chunk(nodes, u.capacity) {
		u.commit(part, u.device.View(memories, done*size, len(part)*size), u.upTo(len(part)), updated[done:])
		done += len(part)
	}
}
