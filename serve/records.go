package serve

import (
	"errors"
	"fmt"
	"math"

	"dgsbench/datasets"
	"dgsbench/datasets/own"
	"dgsbench/models"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// records makes events of records of the source: numbers of names, and the model's
// features of fields.
type records struct {
	row      *own.Row
	deriver  *datasets.Deriver
	numbers  *numbers
	together bool // features of a batch do not depend on its own events

	src, dst []string
	window   datasets.Stream // a batch with the features of the row
	feat     []float32       // those of the model
}

// RecordError is the error of a record.
type RecordError struct {
	Record int // its place in the batch
	Err    error
}

func (e *RecordError) Error() string { return fmt.Sprintf("record %d: %v", e.Record, e.Err) }

// Unwrap returns the cause.
func (e *RecordError) Unwrap() error { return e.Err }

// openRecords returns nil for a checkpoint that does not say what makes events of records.
func (s *Scorer) openRecords() (err error) {
	is := s.saved.Input
	if is == nil {
		return nil
	}
	r := &records{together: is.Together, src: make([]string, s.o.Batch), dst: make([]string, s.o.Batch)}
	if r.row, err = own.ParseRow(is.Source); err != nil {
		return err
	}
	if r.deriver, err = datasets.ParseDeriver(is.Features); err != nil {
		return err
	}
	if err := r.deriver.Restore(is.History); err != nil {
		return err
	}
	if w, k := r.row.Width(), len(r.deriver.File()); w != k {
		return fmt.Errorf("records of %d features, expected %d", w, k)
	}
	if w := len(r.deriver.Columns()); w != s.saved.Features {
		return fmt.Errorf("%d features are made of records, the model was trained on %d", w, s.saved.Features)
	}
	if r.numbers, err = newNumbers(is.Nodes, s.o.MaxNodes, s.o.Evict, r.deriver.Forget); err != nil {
		return err
	}
	n, w := s.o.Batch, r.row.Width()
	r.window = datasets.Stream{Src: make([]int32, n), Dst: make([]int32, n), Time: make([]float64, n), Feat: make([]float32, n*w), NumFeat: w}
	s.in, is.History = r, nil
	return nil
}

// Columns returns the names of the fields of a record: source, destination, time, and
// those that become features.
func (s *Scorer) Columns() []string {
	if s.in == nil {
		return nil
	}
	return s.in.row.Columns()
}

// ScoreRecords is Score for a batch of records of the source, with the fields of
// Columns as text. Events of a batch are scored from the states before it, as in the
// test part of a run with evaluation batches of that size.
//
// A RecordError changes nothing. After any other error the Scorer has to be opened
// again.
func (s *Scorer) ScoreRecords(batch [][]string, scores []float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.needs(protocol.NodeClassification); err != nil {
		return err
	}
	if len(scores) != len(batch) {
		return fmt.Errorf("%d scores for %d records", len(scores), len(batch))
	}
	logits := make([]float32, len(batch))
	return s.meet(batch, func(b datasets.Stream) error {
		if err := s.model.Classify(b, logits); err != nil {
			return err
		}
		for k, x := range logits {
			scores[k] = s.score(x)
		}
		return models.CheckScores(b, logits)
	})
}

// ObserveRecords is Observe for a batch of records, with the errors of ScoreRecords.
func (s *Scorer) ObserveRecords(batch [][]string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.meet(batch, func(b datasets.Stream) error { return s.model.Observe(b) })
}

// meet makes events of records, calls do with them, and counts them.
func (s *Scorer) meet(batch [][]string, do func(datasets.Stream) error) error {
	switch {
	case s.broken != nil:
		return s.broken
	case s.in == nil:
		return errors.New("the checkpoint does not say how records become events: it is of an older version; make it again with --checkpoints")
	case len(batch) < 1 || len(batch) > s.o.Batch:
		return fmt.Errorf("a batch of %d records, expected 1 to %d", len(batch), s.o.Batch)
	}
	r := s.in
	w, err := s.encode(batch)
	if err != nil {
		return err
	}
	r.numbers.begin()
	r.deriver.Begin()
	nodes, err := s.number(w)
	if err == nil {
		err = s.derive(w)
	}
	if err == nil {
		err = s.room(nodes - 1)
	}
	r.deriver.End(err == nil)
	if err != nil {
		r.numbers.undo()
		return err
	}
	w.Feat, w.NumFeat, w.NumNodes = r.feat, s.event.NumFeat, s.nodes
	if evicted := r.numbers.evicted(); len(evicted) > 0 {
		err = forget(s.model, evicted...)
	}
	if err == nil {
		err = do(w)
	}
	if s.broken = err; err != nil {
		return err
	}
	for k := range batch {
		r.numbers.met(w.Src[k], w.Dst[k], int64(s.saved.Events+k))
	}
	s.saved.Events += len(batch)
	s.saved.Time = w.Time[len(batch)-1]
	return nil
}

// encode returns a window of the records, without numbers of nodes. It changes nothing
// that lasts.
func (s *Scorer) encode(batch [][]string) (w datasets.Stream, err error) {
	r := s.in
	w = r.window.Slice(0, len(batch)).From(s.saved.Events)
	before := s.saved.Time
	if s.saved.Events == 0 {
		before = math.Inf(-1)
	}
	for k, record := range batch {
		if r.src[k], r.dst[k], w.Time[k], err = r.row.Encode(record, w.Features(k)); err != nil {
			return w, &RecordError{k, err}
		}
		if w.Time[k], err = s.after(w.Time[k], before); err != nil {
			return w, &RecordError{k, fmt.Errorf("column %s: %s: %w", r.row.Columns()[2], record[2], err)}
		}
		before = w.Time[k]
	}
	return w, nil
}

// after returns the time of an event that follows one at the time before.
func (s *Scorer) after(t, before float64) (float64, error) {
	switch {
	case !(math.Abs(t) <= nn.Largest):
		return t, fmt.Errorf("time %v, expected seconds within ±%g", t, nn.Largest)
	case t < before && !s.o.Backwards:
		return t, fmt.Errorf("time %v is before %v, that of the event before (Backwards accepts it)", t, before)
	}
	return max(t, before), nil
}

// number sets the nodes of the window. All numbers are below the one that it returns.
func (s *Scorer) number(w datasets.Stream) (nodes int32, err error) {
	t := s.in.numbers
	for k := range w.Src {
		t.has(s.in.src[k], int8(datasets.Source))
		t.has(s.in.dst[k], int8(datasets.Destination))
	}
	for k := range w.Src {
		for _, end := range []struct {
			name string
			side datasets.Side
			node *int32
		}{{s.in.src[k], datasets.Source, &w.Src[k]}, {s.in.dst[k], datasets.Destination, &w.Dst[k]}} {
			if *end.node, err = t.of(end.name, int8(end.side)); err != nil {
				return 0, &RecordError{k, fmt.Errorf("%s %q: %w", end.side, end.name, err)}
			}
			nodes = max(nodes, *end.node+1)
		}
	}
	return nodes, nil
}

// derive makes the features of the window, and adds its events to what later features
// depend on.
func (s *Scorer) derive(w datasets.Stream) error {
	r, step := s.in, 1
	if r.together {
		step = w.Len()
	}
	r.feat = r.feat[:0]
	for lo := 0; lo < w.Len(); lo += step {
		some := w.Slice(lo, lo+step)
		if err := r.features(some); err != nil {
			for k := range step { // which of them is it?
				if err := r.features(some.Slice(k, k+1)); err != nil {
					return &RecordError{lo + k, err}
				}
			}
			return err
		}
		if err := r.deriver.Add(some); err != nil {
			return err
		}
	}
	return nil
}

// features appends those of some events.
func (r *records) features(of datasets.Stream) (err error) {
	n := len(r.feat)
	if r.feat, err = r.deriver.Append(r.feat, of); err == nil && !nn.Within(r.feat[n:]) {
		err = fmt.Errorf("a feature that is made of it is beyond ±%g", nn.Largest)
	}
	return err
}

// forget clears the states of nodes; without any it returns the error that there would be.
func forget(m models.Model, nodes ...int32) error {
	f, ok := m.(models.Forgetter)
	if !ok {
		return models.ErrRemembered
	}
	return f.Forget(nodes)
}
