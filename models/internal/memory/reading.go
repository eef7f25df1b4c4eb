package memory

import (
	"dgsbench/kernels"
	"dgsbench/nn"
)

// reading is the memories of a list of nodes with their messages applied:
// those with a message first, then, behind any padding, those without.
type reading struct {
	core  *Core
	store *store
	from  memories

	rows, heard, messages       *nn.Rows
	id, self, other             *nn.Fed  // memories, then two a message
	place                       *nn.Node // the row that a message is for
	features, dt                *nn.Fed  // of messages; features are nil where the stream has none
	share                       *nn.Node // 1/number of messages, a row a memory
	out                         *nn.Node
	ids, selves, others, places []int32
	idRows, selfRows, otherRows []int32 // of the first three
	slots                       []int32
	deltas                      []float32
	shares                      []float64

	// Of the listed nodes.
	row     []int32   // of out
	updated []float64 // after the messages
}

// memories are what a reading starts from: rows of a table.
type memories interface {
	node() *nn.Node
	// rowsOf are the rows of nodes. They are valid until the next call.
	rowsOf(nodes []int32) []int32
}

// kept are the memories that are kept: of a node, the row of its number.
type kept struct{ *Core }

func (k kept) node() *nn.Node { return k.Table }

func (k kept) rowsOf(nodes []int32) []int32 { return nodes }

// newReading puts a reading of so many nodes and messages into the network.
func newReading(c *Core, s *store, name string, from memories, nodes, messages int) (*reading, error) {
	r := &reading{core: c, store: s, from: from, rows: nn.NewRows(nodes), heard: nn.NewRows(nodes)}
	return r, r.build(name, messages)
}

// newTrained is a reading of kept memories for programs that train. Its rows
// are padded.
func newTrained(c *Core, s *store, name string, nodes, messages int) (*reading, error) {
	heard := c.Net.PaddedRows(nodes)
	r := &reading{core: c, store: s, from: kept{c}, rows: c.Net.PaddedRows(heard.MostPadding() + nodes), heard: heard}
	return r, r.build(name, messages)
}

// newHearing is a reading of nodes that all have messages: in inference they
// are worked off row by row.
func newHearing(c *Core, s *store, name string, nodes, messages int) (*reading, error) {
	rows := nn.NewRows(nodes)
	r := &reading{core: c, store: s, from: kept{c}, rows: rows, heard: rows}
	return r, r.build(name, messages)
}

func (r *reading) build(name string, messages int) error {
	c, s, from := r.core, r.store, r.from
	r.messages = r.heard
	if s.all {
		r.messages = nn.NewRows(messages)
	}
	net := c.Net
	r.id = net.ListFromHost(name+".id", r.rows, func() []int32 { return r.idRows })
	r.self = net.ListFromHost(name+".self", r.messages, func() []int32 { return r.selfRows })
	r.other = net.ListFromHost(name+".other", r.messages, func() []int32 { return r.otherRows })
	r.dt = net.FromHost(name+".dt", r.messages, 1, func() []float32 { return r.deltas })
	features := r.fromStore(name + ".features")
	self, err := nn.Gather(from.node(), r.self.Node)
	if err != nil {
		return err
	}
	other, err := nn.Gather(from.node(), r.other.Node)
	if err != nil {
		return err
	}
	message, err := c.Message(self, other, features, r.dt.Node)
	if err != nil {
		return err
	}
	if s.all {
		if message, err = r.mean(name, message); err != nil {
			return err
		}
	}
	q, err := nn.Gather(from.node(), r.id.Node)
	if err != nil {
		return err
	}
	r.out, err = c.Apply(message, q)
	return err
}

// fromStore is the features of the messages.
func (r *reading) fromStore(name string) *nn.Node {
	net := r.core.Net
	if r.store.bare {
		return net.Input(name, r.messages, r.core.width)
	}
	table, slots := func() kernels.Buffer { return r.store.features }, func() []int32 { return r.slots }
	r.features = net.FromTable(name, r.messages, r.core.width, table, slots)
	return r.features.Node
}

// mean is that of each memory's messages.
func (r *reading) mean(name string, messages *nn.Node) (*nn.Node, error) {
	r.place, r.share = r.core.Net.Index(name+".place", r.messages), r.core.Net.Input(name+".share", r.heard, 1)
	sum, err := nn.Scatter(messages, r.place, r.share)
	if err != nil {
		return nil, err
	}
	return nn.ScaleRows(sum, r.share)
}

// list sets the reading up for nodes. Nodes without messages share one row
// if they are blank: their memories are zero.
func (r *reading) list(nodes []int32, blank bool) {
	r.ids, r.selves, r.others, r.places = r.ids[:0], r.selves[:0], r.others[:0], r.places[:0]
	r.slots, r.deltas, r.shares = r.slots[:0], r.deltas[:0], r.shares[:0]
	r.row, r.updated = r.row[:0], r.updated[:0]
	silent := 0
	for _, n := range nodes {
		if r.store.heard(n) {
			r.row, r.updated = append(r.row, int32(len(r.ids))), append(r.updated, r.listen(n))
			r.ids = append(r.ids, n)
		} else {
			r.row, r.updated = append(r.row, -1), append(r.updated, 0)
			silent++
		}
	}
	r.heard.Set(len(r.ids))
	r.messages.Set(len(r.slots))
	for len(r.ids) < r.heard.Padded() {
		r.ids = append(r.ids, 0) // any node
	}
	if silent > 0 {
		r.listSilent(nodes, blank)
	}
	r.rows.Set(len(r.ids))
	r.write()
}

// listSilent gives rows to the nodes that have none yet.
func (r *reading) listSilent(nodes []int32, blank bool) {
	shared := int32(-1)
	for i, n := range nodes {
		switch {
		case r.row[i] >= 0:
		case blank && shared >= 0:
			r.row[i] = shared
		default:
			shared = int32(len(r.ids))
			r.row[i] = shared
			r.ids = append(r.ids, n)
		}
	}
}

// listen lists the messages of a node, for the next row, and returns the
// time of the last one.
func (r *reading) listen(node int32) float64 {
	s, place, latest := r.store, int32(len(r.ids)), 0.0
	count := 0
	for role := range s.first {
		for at := s.first[role][node]; at > 0; at = s.next[role][at-1] {
			slot := at - 1
			r.slots, r.places = append(r.slots, slot), append(r.places, place)
			r.selves, r.others = append(r.selves, node), append(r.others, s.other(slot, node))
			r.deltas = append(r.deltas, float32(s.time[slot]-r.core.Updated[node]))
			if count == 0 || s.time[slot] > latest {
				latest = s.time[slot]
			}
			count++
		}
	}
	r.shares = append(r.shares, 1/float64(count))
	return latest
}

// write finds the rows that are read. Those of a mean go to the device.
func (r *reading) write() {
	r.idRows = append(r.idRows[:0], r.from.rowsOf(r.ids)...)
	r.selfRows = append(r.selfRows[:0], r.from.rowsOf(r.selves)...)
	r.otherRows = append(r.otherRows[:0], r.from.rowsOf(r.others)...)
	if d, net := r.core.device, r.core.Net; r.place != nil {
		d.WriteInts(net.Ints(r.place), r.places)
		d.WriteFloat64(net.Buffer(r.share), r.shares)
	}
}

// fill writes for programs that train what others fetch by themselves.
func (r *reading) fill() {
	for _, f := range []*nn.Fed{r.id, r.self, r.other, r.dt, r.features} {
		if f != nil {
			f.Write()
		}
	}
}
