package memory

import (
	"fmt"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/halves"
	"dgsbench/models/lastwrite"
	"dgsbench/nn"
)

// messages are the raw messages of equation 1 that wait to be applied. The
// aggregator of equation 3 takes the last one of a batch, so a node has one: its
// last event.
type messages struct {
	device kernels.Device
	// Of a node: the other end of its event, or noMessage, and its time.
	other []int32
	time  []float64
	// features has cols numbers of the event in row rows.Of(node). Those of a
	// new event go to the node's other row, so that they can be rolled back.
	features kernels.Buffer
	cols     int
	rows     halves.Rows
	move     *nn.Move

	finder   *lastwrite.Finder
	writes   []lastwrite.Write // of the batch that was stored last: the last event of each of its nodes
	replaced []waiting         // what these nodes had before it
	to, from []int32           // rows of features, and of the batch

	blank     bool // the memories of all nodes without a message are zero
	evaluated bool // no message waits: those that there are have been applied
}

// waiting is a message but for its features.
type waiting struct {
	other int32
	time  float64
}

const noMessage = -1

func newMessages(d kernels.Device, s models.Setup) *messages {
	m := &messages{
		device: d, other: make([]int32, s.NumNodes), time: make([]float64, s.NumNodes), cols: s.NumFeat, rows: halves.New(s.NumNodes),
		features: d.NewBuffer(2 * s.NumNodes * s.NumFeat), move: nn.NewMove(d, 2*s.MaxBatch, s.NumFeat), finder: lastwrite.NewFinder(s.NumNodes),
	}
	m.reset()
	return m
}

// reset removes all messages, as before the first event.
func (m *messages) reset() {
	m.blank, m.evaluated = true, false
	for n := range m.other {
		m.other[n], m.time[n] = noMessage, 0
	}
	m.writes, m.replaced = nil, m.replaced[:0]
}

func (m *messages) waits(node int32) bool { return m.other[node] != noMessage }

// store makes the batch's events the messages of their nodes, but for their
// features.
func (m *messages) store(b datasets.Stream) {
	m.writes, m.replaced, m.to, m.from = m.finder.Writes(b), m.replaced[:0], m.to[:0], m.from[:0]
	for _, w := range m.writes {
		m.replaced = append(m.replaced, waiting{m.other[w.Self], m.time[w.Self]})
		m.other[w.Self], m.time[w.Self] = w.Other, b.Time[w.Event]
		m.rows.Swap(w.Self)
		m.to, m.from = append(m.to, m.rows.Of(w.Self)), append(m.from, w.Event)
	}
}

// storeFeatures stores the features of the events, of which x has a row each.
func (m *messages) storeFeatures(x kernels.Buffer) { m.move.Run(m.features, m.to, x, m.from) }

func (m *messages) rollback() {
	for i, w := range m.writes {
		m.other[w.Self], m.time[w.Self] = m.replaced[i].other, m.replaced[i].time
		m.rows.Swap(w.Self)
	}
	m.writes, m.replaced = nil, m.replaced[:0]
}

// fields are the messages in snapshots: other ends and times of nodes, the
// features of those that have a message, in the order of their numbers, and
// blank and evaluated.
func (m *messages) fields() models.Fields {
	nodes := waitingNodes(m.other)
	others := models.Integers("messages.others", m.other, noMessage, int64(len(m.other)-1))
	inRange := others.Check
	others.Check = func(saved []models.Tensor) error {
		if err := inRange(saved); err != nil {
			return err
		}
		if rows, messages := saved[2].Shape[0], len(waitingNodes(saved[0].I64)); rows != messages {
			return fmt.Errorf("snapshot tensor %s does not fit the %d messages of %s", saved[2], messages, saved[0])
		}
		return nil
	}
	features := models.Field{
		Name: "messages.features", Shape: []int{len(nodes), m.cols}, AnyRows: true, Check: models.Within,
		Floats: func() []float32 {
			out := make([]float32, len(nodes)*m.cols)
			if len(out) > 0 {
				table := make([]float32, m.features.Len())
				m.device.Read(table, m.features)
				for i, n := range nodes {
					copy(out[i*m.cols:][:m.cols], table[int(m.rows.Of(n))*m.cols:])
				}
			}
			return out
		},
		Set: func(saved models.Tensor) { // behind the others
			m.writes, m.replaced = nil, m.replaced[:0]
			m.rows.Reset()
			table := make([]float32, len(m.other)*m.cols)
			for i, n := range waitingNodes(m.other) {
				copy(table[int(n)*m.cols:][:m.cols], saved.F32[i*m.cols:])
			}
			m.device.Write(m.features, table)
		},
	}
	phase := []int64{0, 0}
	for i, on := range []bool{m.blank, m.evaluated} {
		if on {
			phase[i] = 1
		}
	}
	flags := models.Integers("phase", phase, 0, 1)
	flags.Set = func(saved models.Tensor) { m.blank, m.evaluated = saved.I64[0] != 0, saved.I64[1] != 0 }
	return models.Fields{others, models.Times("messages.times", m.time, nn.Largest), features, flags}
}

// waitingNodes returns the nodes with a message.
func waitingNodes[N int32 | int64](other []N) (nodes []int32) {
	for n, o := range other {
		if o != noMessage {
			nodes = append(nodes, int32(n))
		}
	}
	return nodes
}
