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

// waits reports whether the node has a message.
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

// rollback undoes store.
func (m *messages) rollback() {
	for i, w := range m.writes {
		m.other[w.Self], m.time[w.Self] = m.replaced[i].other, m.replaced[i].time
		m.rows.Swap(w.Self)
	}
	m.writes, m.replaced = nil, m.replaced[:0]
}

// messageTensors is the number of tensors that hold messages.
const messageTensors = 4

// tensors are zeros for rows waiting messages: other ends and times of nodes,
// the features of those that have a message, in the order of their numbers, and
// blank and evaluated.
func (m *messages) tensors(rows int) []models.Tensor {
	nodes := len(m.other)
	return []models.Tensor{
		{Name: "messages.others", Shape: []int{nodes}, I64: make([]int64, nodes)},
		{Name: "messages.times", Shape: []int{nodes}, I64: make([]int64, nodes)},
		{Name: "messages.features", Shape: []int{rows, m.cols}, F32: make([]float32, rows*m.cols)},
		{Name: "phase", Shape: []int{2}, I64: make([]int64, 2)},
	}
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

// Tensors implements models.State.
func (m *messages) Tensors() []models.Tensor {
	nodes := waitingNodes(m.other)
	out := m.tensors(len(nodes))
	for n, o := range m.other {
		out[0].I64[n] = int64(o)
	}
	out[1].I64 = bitsOf(m.time)
	if len(nodes) > 0 {
		table := make([]float32, m.features.Len())
		m.device.Read(table, m.features)
		for i, n := range nodes {
			copy(out[2].F32[i*m.cols:][:m.cols], table[int(m.rows.Of(n))*m.cols:])
		}
	}
	for i, on := range []bool{m.blank, m.evaluated} {
		if on {
			out[3].I64[i] = 1
		}
	}
	return out
}

// CheckTensors implements models.State.
func (m *messages) CheckTensors(saved []models.Tensor) error {
	rows := 0
	if len(saved) > 0 && len(saved[0].I64) == len(m.other) {
		rows = len(waitingNodes(saved[0].I64))
	}
	if err := models.Check(m.tensors(rows), saved); err != nil {
		return err
	}
	for n, o := range saved[0].I64 {
		if o < noMessage || o >= int64(len(m.other)) {
			return fmt.Errorf("snapshot tensor %s has %d for node %d, expected %d to %d", saved[0], o, n, noMessage, len(m.other)-1)
		}
	}
	if !nn.Within(saved[2].F32) {
		return fmt.Errorf("snapshot tensor %s has a number beyond ±%g", saved[2], nn.Largest)
	}
	for _, on := range saved[3].I64 {
		if on != 0 && on != 1 {
			return fmt.Errorf("snapshot tensor %s has %d, expected 0 or 1", saved[3], on)
		}
	}
	return models.CheckTimes(saved[1], nn.Largest)
}

// SetTensors implements models.State.
func (m *messages) SetTensors(saved []models.Tensor) {
	m.reset()
	m.blank, m.evaluated = saved[3].I64[0] != 0, saved[3].I64[1] != 0
	for n, o := range saved[0].I64 {
		m.other[n] = int32(o)
	}
	copy(m.time, timesOf(saved[1].I64))
	m.rows.Reset()
	if nodes := waitingNodes(m.other); len(nodes) > 0 {
		table := make([]float32, len(m.other)*m.cols)
		for i, n := range nodes {
			copy(table[int(n)*m.cols:][:m.cols], saved[2].F32[i*m.cols:])
		}
		m.device.Write(m.features, table)
	}
}
