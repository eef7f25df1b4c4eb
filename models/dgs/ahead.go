package dgs

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// ahead classifies batches that are known in advance. Neither embedding nor
// head feeds back into the states: so the events of many batches are embedded
// in one product, then the states advance batch by batch, and the new states of
// all sources are classified in one product.
type ahead struct {
	batch    int              // events
	capacity int              // events: a multiple of batch
	net      *network         // embedding, and a head that reads after
	values   values           // of the embedding
	after    []kernels.Buffer // new states of the sources, a buffer a batch
}

// aheadEvents are embedded at once, or one batch if that is more.
const aheadEvents = 4096

var _ models.Ahead = (*Model)(nil)

// ClassifyAhead is Classify on batches of the part, one after the other.
func (m *Model) ClassifyAhead(part datasets.Stream, batch int, logits []float32) error {
	if m.setup.Task != protocol.NodeClassification {
		return models.ErrTask
	}
	if m.ahead == nil || m.ahead.batch != batch {
		m.ahead = m.newAhead(batch)
	}
	if err := models.CheckFeatures(part); err != nil {
		return err
	}
	m.states.compact()
	for lo := 0; lo < part.Len(); lo += m.ahead.capacity {
		hi := min(lo+m.ahead.capacity, part.Len())
		if err := m.classifyAhead(part.Slice(lo, hi), logits[lo:hi]); err != nil {
			m.states.rowOf.Reset() // the first half is as compact has left it
			return err
		}
	}
	return nil
}

func (m *Model) newAhead(batch int) *ahead {
	a := &ahead{batch: batch, capacity: max(1, aheadEvents/batch) * batch}
	s := m.setup
	s.MaxBatch = a.capacity
	a.net = newEmbedding(m.device, m.opts, m.net.size, s, m.net.buckets)
	a.values = a.net.valuesOf(a.net.embed.Buffer)
	x := a.net.Input("after", a.net.rows, m.net.size)
	a.net.head = head.On(a.net.Network, x, a.net.rows, m.opts.Head, nn.Wanted{})
	for first := 0; first < a.capacity; first += batch {
		a.after = append(a.after, m.device.View(a.net.Buffer(x), first*m.net.size, batch*m.net.size))
	}
	a.copyParams(m.net)
	return a
}

// copyParams copies the parameters of n.
func (a *ahead) copyParams(n *network) {
	models.ParamsOf(a.net.Network).Set(models.ParamsOf(n.Network).Tensors())
}

// classifyAhead classifies at most capacity events.
func (m *Model) classifyAhead(part datasets.Stream, logits []float32) error {
	a, t := m.ahead, m.states
	a.net.setBatch(part)
	a.net.embed.Run()
	for lo := 0; lo < part.Len(); lo += a.batch {
		b := part.Slice(lo, min(lo+a.batch, part.Len()))
		// The new states of the sources, for the head.
		for k, u := range b.Src {
			t.self.host[k], t.other.host[k], t.event.host[k] = t.rowOf.Of(u), t.rowOf.Of(b.Dst[k]), int32(lo+k)
		}
		t.upload(t.event)
		t.mix(b.Len(), a.values, a.after[lo/a.batch])
		// Those of all nodes, for the second half of the table.
		t.listWrites(b, lo)
		t.upload(t.event)
		t.mix(len(t.writes), a.values, t.after)
		for i, w := range t.writes {
			if t.self.host[i] == w.Self {
				t.rowOf.Swap(w.Self)
				t.self.host[i] = t.rowOf.Of(w.Self)
			}
		}
		t.upload(t.self)
		t.device.ScatterRows(len(t.writes), t.size, t.table, t.after, t.self.onDevice)
		m.forgetWrites()
	}
	return a.net.head.Classify(part, logits)
}
