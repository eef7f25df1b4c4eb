// Package external holds models that are processes of their own, in any
// language. The harness starts one a model, and talks over its standard input and
// output (docs/external.md is the protocol). Serve is the other side of it, for
// models of this program.
//
// All that comes from a process is untrusted: a fault ends it and is an error of
// the call, or where a method returns none, a panic with a models.Fault.
package external

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// piece is the most events of a training part or of labels that travel at once.
const piece = 1 << 16

// slack is how many more bytes an answer may have than its numbers.
const slack = 64 << 10

// Model is a process that takes part.
type Model struct {
	process       *process
	greeting      Greeting
	task          protocol.Task
	noFeatures    bool      // none are sent
	params, state int       // state is -1 where the process does not say
	lists         [][]int32 // candidates that the process has, by number - 1
	next          int       // the list that is replaced next
	seconds       float64   // of the last call, by the process

	payload, read bytes.Buffer
}

// New starts a process and has it build its model.
func New(s models.Setup, o *Options) (models.Model, error) {
	text, err := o.options()
	if err != nil {
		return nil, err
	}
	p, g, err := start(o.Command, s.Threads, time.Duration(o.Limit*float64(time.Second)), s.Log)
	if err != nil {
		return nil, err
	}
	m := &Model{process: p, greeting: g, task: s.Task, state: -1, noFeatures: g.Features == featureWords[models.FeaturesIgnored]}
	err = g.fits(o.declared, s)
	if err == nil && g.Features == featureWords[models.FeaturesRequired] && s.NumFeat == 0 {
		err = errors.New("it requires features, and the events have none")
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("%s: %w", p.command, err)
	}
	if err := m.build(s, text); err != nil {
		p.close()
		return nil, err
	}
	if m.state < 0 {
		return m, nil
	}
	return factual{m}, nil
}

// factual is a Model whose process says what it keeps of a node.
type factual struct{ *Model }

// Facts are what the process says.
func (m factual) Facts() models.Facts {
	return models.Facts{Parameters: []nn.PartSize{{Part: "all", Params: m.params}}, State: m.state}
}

func (m *Model) build(s models.Setup, options []byte) error {
	features := s.NumFeat
	if m.noFeatures {
		features, s.Columns = 0, nil
	}
	if m.greeting.Training {
		for b := range s.Train.Batches(piece) {
			if err := m.send(question{request: request{Verb: verbTraining, Features: &features}}, b); err != nil {
				return err
			}
		}
	}
	b := build{
		Task: string(s.Task), Nodes: s.NumNodes, Users: s.Users, Columns: s.Columns,
		MaxBatch: s.MaxBatch, Events: s.Events, Seed: s.Seed, Threads: s.Threads, Options: options,
	}
	return m.ask(question{request: request{Verb: verbBuild, build: &b, Features: &features}, what: verbBuild, events: s.Train.Len(), each: func(a answer, _ []byte) (bool, error) {
		for into, n := range map[*int]*int64{&m.params: a.Parameters, &m.state: a.State} {
			if n != nil && (*n < 0 || *n > math.MaxInt32) {
				return true, fmt.Errorf("%d as a number of parameters or of a state, expected at least 0", *n)
			} else if n != nil {
				*into = int(*n)
			}
		}
		return true, nil
	}})
}

// ask sends a request and keeps the seconds that the process says it took.
func (m *Model) ask(q question) (err error) {
	if q.each == nil {
		q.each = func(answer, []byte) (bool, error) { return true, nil }
	}
	m.seconds, err = m.process.ask(q, &m.read)
	return err
}

// about returns the words for a verb with a batch in messages.
func about(verb string, b datasets.Stream) string {
	if b.Len() == 0 {
		return verb
	}
	return fmt.Sprintf("%s of %d events from number %d on", verb, b.Len(), b.EventID(0))
}

// send asks a verb about the events of a batch, without features where none are sent.
func (m *Model) send(q question, b datasets.Stream, more ...column) error {
	if m.noFeatures {
		b = b.WithFeatures(nil, 0)
	}
	if err := models.CheckFeatures(b); err != nil {
		return err
	}
	if err := models.CheckClock(b); err != nil {
		return err
	}
	if err := encode(&m.payload, b.Len(), append(eventColumns(b), more...)...); err != nil {
		return err
	}
	q.what, q.events, q.payload = about(q.Verb, b), b.Len(), m.payload.Bytes()
	return m.ask(q)
}

// events asks a verb whose answer says nothing more.
func (m *Model) events(verb string, b datasets.Stream, labels []int8) error {
	var more []column
	if labels != nil {
		more = []column{{"label", labels, 0}}
	}
	return m.send(question{request: request{Verb: verb}}, b, more...)
}

// Train makes one step.
func (m *Model) Train(b datasets.Stream, negatives []int32) (loss float64, err error) {
	more := column{"label", b.Label, 0}
	if m.task == protocol.LinkPrediction {
		more = column{"negative", negatives, 0}
	}
	err = m.send(question{request: request{Verb: verbTrain}, each: func(a answer, _ []byte) (bool, error) {
		if a.Loss == nil {
			return true, errors.New("an answer without loss")
		}
		loss = *a.Loss
		return true, nil
	}}, b, more)
	return loss, err
}

// Classify writes the scores of the process.
func (m *Model) Classify(b datasets.Stream, logits []float32) error {
	if m.task != protocol.NodeClassification {
		return models.ErrTask
	}
	return m.send(question{request: request{Verb: verbClassify}, limit: slack + 4*int64(b.Len()), each: func(a answer, payload []byte) (bool, error) {
		column := []column{{"score", []float32(nil), 0}}
		if err := rows(payload, column, b.Len()); err != nil {
			return true, err
		}
		copy(logits, column[0].values.([]float32))
		return true, models.CheckScores(b, logits[:b.Len()])
	}}, b)
}

// rows decodes a payload of so many rows.
func rows(payload []byte, columns []column, want int) error {
	found, err := decode(payload, columns)
	if err == nil && found != want {
		err = fmt.Errorf("%d rows of %s, expected %d", found, columns[0].name, want)
	}
	return err
}

// Observe folds the batch in.
func (m *Model) Observe(b datasets.Stream) error { return m.events(verbObserve, b, nil) }

// Learn gives the labels to a process that wants them.
func (m *Model) Learn(events datasets.Stream, labels []int8) error {
	if !m.greeting.offers(verbLearn) {
		return nil
	}
	for lo := 0; lo < len(labels); lo += piece {
		hi := min(lo+piece, len(labels))
		if err := m.events(verbLearn, events.Slice(lo, hi), labels[lo:hi]); err != nil {
			return err
		}
	}
	return nil
}

// Reset clears the state of all nodes.
func (m *Model) Reset() {
	if err := m.ask(question{request: request{Verb: verbReset}, what: verbReset}); err != nil {
		panic(models.Fault{Err: err})
	}
}

// Close ends the process.
func (m *Model) Close() error {
	m.process.close()
	return nil
}

// Inside returns the seconds that the process itself has measured around the last
// call, NaN if it does not say.
func (m *Model) Inside() float64 { return m.seconds }

// NumParams is what the process says.
func (m *Model) NumParams() int { return m.params }

// list returns the number under which the process has the candidates, to which they
// are sent if it has not.
func (m *Model) list(nodes []int32) (number int, err error) {
	const most = 16
	if i := slices.IndexFunc(m.lists, func(known []int32) bool { return slices.Equal(known, nodes) }); i >= 0 {
		return i + 1, nil
	}
	if len(m.lists) < most {
		m.lists = append(m.lists, nil)
	}
	at := m.next % most
	m.next++
	m.lists[at] = nil
	if err := encode(&m.payload, len(nodes), column{"node", nodes, 0}); err != nil {
		return 0, err
	}
	err = m.ask(question{
		request: request{Verb: verbCandidates, Candidates: at + 1}, what: fmt.Sprintf("%s of %d nodes", verbCandidates, len(nodes)),
		payload: m.payload.Bytes(),
	})
	if err == nil {
		m.lists[at] = slices.Clone(nodes)
	}
	return at + 1, err
}
