package memory

import (
	"dgsbench/datasets"
	"dgsbench/nn"
)

// late is the features of those events of a batch that are the last ones of
// their destinations.
type late struct {
	rows     *nn.Rows
	node     *nn.Node
	fed      *nn.Fed // nil where the stream has no features
	features []float32
	events   int
}

func newLate(b *base) *late {
	l := &late{rows: nn.NewRows(b.setup.MaxBatch)}
	const name = "event.late"
	if b.setup.NumFeat == 0 {
		l.node = b.core.Net.Input(name, l.rows, b.core.width)
		return l
	}
	l.fed = b.core.Net.FromHost(name, l.rows, b.core.width, func() []float32 { return l.features })
	l.node = l.fed.Node
	return l
}

// start empties the list.
func (l *late) start() {
	l.features, l.events = l.features[:0], 0
	l.rows.Set(0)
}

// add lists event k and says as number what.
func (l *late) add(b datasets.Stream, k int) (number int) {
	l.features = append(l.features, b.Features(k)...)
	number = l.events
	l.events++
	l.rows.Set(l.events)
	return number
}

// write is for programs that train.
func (l *late) write() {
	if l.fed != nil {
		l.fed.Write()
	}
}
