package graphsprints

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models/lastwrite"
)

// read finds out what every event of the batch brings; sourcesAfter and fold
// use it.
func (t *states) read(b datasets.Stream) (err error) {
	t.sources = nil
	if t.found, err = t.finder.Find(b); err != nil {
		return err
	}
	if t.projection != nil {
		t.projection.sum(t.device, b, t.found)
	}
	return nil
}

// sourcesAfter writes one row an event: the state of its source with this
// event folded in, from the states that are in the table. dst must keep its
// rows until fold.
func (t *states) sourcesAfter(b datasets.Stream, dst kernels.Buffer) {
	t.rows.clear()
	for k := range b.Len() {
		t.add(b, lastwrite.Write{Event: int32(k), Self: b.Src[k], Other: b.Dst[k]})
	}
	t.compute(b, dst)
	t.sources = dst
}

// fold advances the table by the batch and returns the writes made. All
// reads come before the first write. Rows of sourcesAfter are not computed
// again.
func (t *states) fold(b datasets.Stream) []lastwrite.Write {
	writes := t.writes.Writes(b)
	t.rows.clear()
	for _, w := range writes {
		if !t.hasRow(b, w) {
			t.add(b, w)
		}
	}
	t.compute(b, t.after)
	for i, node := range t.rows.self {
		t.move.add(node, int32(i))
	}
	t.move.run(t.table, t.after)
	for _, w := range writes {
		if t.hasRow(b, w) {
			t.move.add(w.Self, w.Event)
		}
		t.forget.seen(w.Self, b.Time[w.Event])
	}
	t.move.run(t.table, t.sources)
	return writes
}

// hasRow reports whether sourcesAfter has computed what w writes.
func (t *states) hasRow(b datasets.Stream, w lastwrite.Write) bool {
	return t.sources != nil && w.Self == b.Src[w.Event]
}

// add makes the state that w writes the next row to be computed.
func (t *states) add(b datasets.Stream, w lastwrite.Write) {
	beta := t.forget.beta(w.Self, b.Time[w.Event])
	t.rows.add(w, beta, (1-beta)*t.alpha, (1-beta)*(1-t.alpha))
}

// compute writes the added rows to dst.
func (t *states) compute(b datasets.Stream, dst kernels.Buffer) {
	f := t.rows.fold(t.device)
	f.Cols, f.Nodes, f.Table, f.Events = t.cols, t.nodes, t.table, b.Len()
	if t.projection != nil {
		t.device.FoldRows(f, dst, t.projection.sums)
	} else {
		t.device.FoldBuckets(f, dst, t.found, b.NumFeat)
	}
}
