package memory

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
)

// waiting is memories with messages that wait to be applied, as PyTorch
// Geometric has them.
type waiting struct {
	*base
	store     *store
	applying  *applying
	own       *nodeList // of a batch
	blank     bool      // all memories without messages are zero
	evaluated bool      // no message waits
}

func newWaiting(b *base) (*waiting, error) {
	w := &waiting{
		base: b, own: newNodeList(b.setup.NumNodes), blank: true,
		store: newStore(b.device, b.core.opts.Aggregator, b.setup.NumNodes, b.setup.NumFeat, b.setup.MaxBatch),
	}
	var err error
	w.applying, err = newApplying(b.core, w.store, b.setup.MaxBatch)
	return w, err
}

// ends lists the nodes of a batch.
func (w *waiting) ends(b datasets.Stream) []int32 {
	w.own.start()
	w.own.add(b.Src)
	w.own.add(b.Dst)
	return w.own.nodes
}

// advance applies the batch's messages at once. It is for evaluation.
func (w *waiting) advance(b datasets.Stream) {
	w.list(b)
	w.apply()
}

// insert does so, and inserts the batch. What it writes goes to the device
// before anything else happens there. It returns the batch's nodes.
func (w *waiting) insert(b datasets.Stream) []int32 {
	w.list(b)
	w.embedding.Insert(b, w.x)
	w.apply()
	return w.own.nodes
}

// list makes the batch's events messages, and lists these.
func (w *waiting) list(b datasets.Stream) {
	w.store.list(b)
	w.applying.start(w.ends(b))
}

// apply applies them.
func (w *waiting) apply() {
	w.store.keepFeatures(w.x)
	w.applying.finish()
}

// flush is the switch to evaluation: messages are applied to all nodes, the
// others pass the GRU with zeros, and no message is left. It reports whether
// there was anything to do.
func (w *waiting) flush() bool {
	if w.evaluated {
		return false
	}
	all := make([]int32, w.setup.NumNodes)
	for n := range all {
		all[n] = int32(n)
	}
	w.settle(all)
	w.store.clear()
	w.evaluated, w.blank = true, false
	return true
}

// settle applies the messages of nodes; those without any pass the GRU with
// zeros.
func (w *waiting) settle(nodes []int32) {
	var heard, silent []int32
	for _, n := range nodes {
		if w.store.heard(n) {
			heard = append(heard, n)
		} else {
			silent = append(silent, n)
		}
	}
	w.applying.renew(heard) // first: messages read memories from before
	for part := range slices.Chunk(silent, w.applying.capacity) {
		w.applying.renew(part) // reads no memories but its own
	}
}

// reset forgets all memories, messages and neighbours.
func (w *waiting) reset() {
	w.core.forget()
	w.store.clear()
	w.embedding.Reset()
	w.blank, w.evaluated = true, false
}

// tensors copies memories, waiting messages and what the embedding knows of
// events.
func (w *waiting) tensors() []models.Tensor {
	out := append(append(w.core.tensors(), w.store.tensors()...), w.phase())
	return append(out, w.embedding.Tensors()...)
}
