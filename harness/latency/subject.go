package latency

import (
	"errors"
	"fmt"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/internal/ram"
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// subject is a model to be measured on a stream.
type subject struct {
	trial   specs.Trial
	kind    models.Kind
	stream  datasets.Stream
	setup   models.Setup
	timings []timing
	from    int             // events before it are in warm
	warm    models.Snapshot // of the model before Deploy
	answers []float32       // of the headline's events, by a model that was never put back
	device  kernels.Device  // of the model that was built last; nil where it needs none

	record  record.Record
	samples record.Samples
	replays record.Replays
}

// newSubject cuts the stream for the model.
func newSubject(t specs.Trial, l *datasets.Loaded, on devices.Target, threads int) (*subject, error) {
	kind, err := models.Lookup(t.Kind)
	if err != nil {
		return nil, err
	}
	s := &subject{trial: t, kind: kind, record: harness.Describe(t, l, on), samples: record.Samples{}, replays: record.Replays{}}
	parts, err := l.Parts(datasets.Cut{Setting: protocol.Transductive, NeedFeatures: kind.Features == models.FeaturesRequired})
	if err != nil {
		s.fail(err)
		parts.Whole = l.Stream // for the timings, which are those of the other models
	}
	s.stream = parts.Whole.WithoutLabels()
	if s.timings, err = timings(t.Protocol, s.stream.Len()); err != nil {
		return nil, fmt.Errorf("dataset %s: %w", t.Dataset, err)
	}
	s.from = s.timings[0].first
	for _, at := range s.timings {
		s.from = min(s.from, at.first)
	}
	s.setup = models.Setup{
		Task: t.Task, NumNodes: parts.Whole.NumNodes, Users: parts.Whole.Users, NumFeat: parts.Whole.NumFeat,
		Events: s.stream.Len(), Inference: true, Train: parts.Train.WithoutLabels(), Seed: t.Seed, Threads: threads,
		Device: func(threads int) (_ kernels.Device, err error) {
			s.device, err = on.New(threads)
			return s.device, err
		},
	}
	s.record.Threads = threads
	if t.Protocol.Latency.Known {
		s.record.PaperName = "" // its times are of streaming
	} else if l.Dataset.PaperName == "" && l.Dataset.SizesOf != "" {
		s.record.PaperName = l.Dataset.SizesOf
		s.record.Footnotes = append(s.record.Footnotes[:len(s.record.Footnotes):len(s.record.Footnotes)],
			fmt.Sprintf("the paper's times are of %s itself, whose numbers of events, nodes and features this stream has", l.Dataset.SizesOf))
	}
	s.record.Footnotes = append(s.record.Footnotes[:len(s.record.Footnotes):len(s.record.Footnotes)],
		"not trained: the time of an answer does not depend on what the parameters are")
	return s, nil
}

// room refuses models that would not fit into the memory together: of each,
// one with the state after the warm-up, the one that is timed and the state
// that is put back before; beside them, those that answers are compared with.
func room(dataset string, subjects []*subject, on devices.Target) error {
	sum, most := int64(0), int64(0)
	for _, s := range subjects {
		if s.kind.Bytes == nil || s.record.Failed() || on.SeparateMemory() {
			continue
		}
		setup := s.setup
		setup.MaxBatch = s.timings[0].fold
		for _, at := range s.timings {
			setup.MaxBatch = max(setup.MaxBatch, at.fold)
		}
		need := s.kind.Bytes(setup, s.trial.Options)
		sum, most = sum+3*need, max(most, need)
	}
	if err := ram.Check(fmt.Sprintf("the %d models on %s together", len(subjects), dataset), sum+2*most); err != nil {
		return fmt.Errorf("%w; leave some out with --models, or take a machine with more", err)
	}
	return nil
}

// prepare warms the model up and answers the headline's events once, untimed.
func (s *subject) prepare() error {
	if s.record.Failed() {
		return nil
	}
	headline := s.timings[0]
	s.setup.MaxBatch = headline.fold
	m, err := s.kind.New(s.setup, s.trial.Options)
	if err != nil {
		return err
	}
	harness.DescribeModel(&s.record, m)
	if err := observe(m, s.stream.Slice(0, s.from), headline.fold); err != nil {
		return err
	}
	s.warm = m.Snapshot(models.Everything)
	if m, err = s.deployed(m); err != nil {
		return err
	}
	if _, ok := m.(models.Ahead); headline.known && !ok {
		return errNotAhead
	}
	s.answers, err = s.untimed(m, headline)
	return err
}

var errNotAhead = errors.New("it answers batches one by one alone (it has no ClassifyAhead): measure it without `known: true`")

// deployed is the form of the model that is measured.
func (s *subject) deployed(m models.Model) (models.Model, error) {
	if !s.trial.Deployed {
		return m, nil
	}
	return m.(models.Deployer).Deploy()
}

// build makes a model of its own with the warm state.
func (s *subject) build(batch int) (models.Model, error) {
	setup := s.setup
	setup.MaxBatch = max(batch, s.timings[0].fold)
	m, err := s.kind.New(setup, s.trial.Options)
	if err != nil {
		return nil, err
	}
	if err := m.Restore(s.warm); err != nil {
		return nil, err
	}
	return s.deployed(m)
}

// untimed answers the events of a timing with a model in the warm state.
func (s *subject) untimed(m models.Model, at timing) ([]float32, error) {
	at = at.streamed()
	if err := s.advance(m, at); err != nil {
		return nil, err
	}
	logits, window := make([]float32, at.batch*at.batches), s.stream.Slice(at.start, at.end())
	if err := classify(m, window, at.batch, logits); err != nil {
		return nil, err
	}
	return logits, models.CheckScores(window, logits)
}

// advance brings a model in the warm state to the first measured event.
func (s *subject) advance(m models.Model, at timing) error {
	if err := observe(m, s.stream.Slice(s.from, at.first), at.batch); err != nil {
		return err
	}
	return observe(m, s.stream.Slice(at.first, at.start), at.batch)
}

func observe(m models.Model, part datasets.Stream, batch int) error {
	for lo := 0; lo < part.Len(); lo += batch {
		if err := m.Observe(part.Slice(lo, min(lo+batch, part.Len()))); err != nil {
			return err
		}
	}
	return nil
}

func classify(m models.Model, part datasets.Stream, batch int, logits []float32) error {
	for lo := 0; lo < part.Len(); lo += batch {
		if err := m.Classify(part.Slice(lo, lo+batch), logits[lo:lo+batch]); err != nil {
			return err
		}
	}
	return nil
}
