package latency

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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

// timing is one batch size: which events are answered, how often.
type timing struct {
	batch, batches      int
	warmups, iterations int
	start               int  // the first measured event
	first               int  // the first event of the lead-in, in whole batches
	known               bool // in advance: one answer is to all batches
}

// end returns the index behind the last measured event.
func (t timing) end() int { return t.start + t.batch*t.batches }

// answers returns the number of answers, and of the events of each.
func (t timing) answers() (n, events int) {
	if t.known {
		return 1, t.batch * t.batches
	}
	return t.batches, t.batch
}

// batchSizes returns the sizes that are measured: the headline's, and those of the
// sweep that differ from it.
func batchSizes(p specs.Protocol) []int {
	sweep := slices.DeleteFunc(slices.Clone(p.Latency.Sweep), func(size int) bool { return size == p.Batch })
	return append([]int{p.Batch}, sweep...)
}

// timings returns the headline's and those of the sweep, for a stream of n
// events. All of them start at the same event.
func timings(p specs.Protocol, n int) ([]timing, error) {
	l, events := p.Latency, p.Batch*p.Latency.Batches
	out := []timing{{batch: p.Batch, batches: l.Batches, iterations: l.Iterations, known: l.Known}}
	for _, size := range batchSizes(p)[1:] {
		if size > events {
			return nil, fmt.Errorf("sweep: batches of %d events, and only %d events are measured", size, events)
		}
		out = append(out, timing{batch: size, batches: min(events/size, l.SweepBatches), iterations: l.SweepIterations})
	}
	for i := range out {
		t := &out[i]
		lead := (l.Lead + t.batch - 1) / t.batch
		t.warmups, t.start = l.Warmups, n-events
		t.first = t.start - lead*t.batch
		if t.first <= 0 {
			return nil, fmt.Errorf("%d events, expected more than %d: %d that are measured in batches of %d, and %d before them",
				n, events+lead*t.batch, events, t.batch, lead*t.batch)
		}
	}
	return out, nil
}

// subject is a model to be measured on a stream.
type subject struct {
	*harness.Blueprint
	Measured
	trial   specs.Trial
	stream  datasets.Stream
	timings []timing
	from    int             // events before it are in warm
	warm    models.Snapshot // of the model before Deploy
	answers []float32       // to the headline's events, by a model that was never restored
}

// newSubject cuts the stream for the model.
func newSubject(t specs.Trial, l *datasets.Loaded, on devices.Target, threads int) (*subject, error) {
	s := &subject{trial: t, Measured: Measured{harness.Describe(t, l, on), record.Times{}}}
	parts, err := l.Parts(datasets.Cut{Setting: protocol.Transductive, NeedFeatures: t.Kind.Features == models.FeaturesRequired, Velocity: t.Velocity})
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
	s.Blueprint = harness.TrialBlueprint(t, parts, on, threads)
	s.Setup.Inference = true
	s.describe(l.Dataset, threads)
	return s, nil
}

// describe completes the record.
func (s *subject) describe(d datasets.Dataset, threads int) {
	r := &s.Record
	r.Threads = threads
	r.Footnotes = slices.Clone(r.Footnotes)
	if s.timings[0].known {
		r.PaperName = "" // its times are of streaming
	} else if d.PaperName == "" && d.SizesOf != "" {
		r.PaperName = d.SizesOf
		r.Footnotes = append(r.Footnotes, fmt.Sprintf("the paper's times are of %s itself, whose numbers of events, nodes and features this stream has", d.SizesOf))
	}
	r.Footnotes = append(r.Footnotes, "not trained: the time of an answer does not depend on what the parameters are")
}

// fail records the error, if there is one, unless the model has failed before.
func (s *subject) fail(err error) {
	if err != nil && !s.Record.Failed() {
		s.Record.Error = fmt.Sprintf("%s: %v", s.trial.Ref(), err)
	}
}

// checkMemory returns an error if the models do not fit into the machine's memory
// together: of each, the state after the warm-up, the model that is timed and the
// state that is restored before; beside them, those that give the answers.
func checkMemory(dataset string, subjects []*subject) error {
	sum, largest := int64(0), int64(0)
	for _, s := range subjects {
		if s.Record.Failed() {
			continue
		}
		s.Setup.MaxBatch = 0
		for _, at := range s.timings {
			s.Setup.MaxBatch = max(s.Setup.MaxBatch, at.batch)
		}
		need := s.HostBytes()
		sum, largest = sum+3*need, max(largest, need)
	}
	if err := ram.Check(fmt.Sprintf("the %d models on %s together", len(subjects), dataset), sum+2*largest); err != nil {
		return fmt.Errorf("%w; leave some out with --models, or take a machine with more", err)
	}
	return nil
}

// newModel builds the model for batches of at most that size.
func (s *subject) newModel(batch int) (models.Model, error) {
	s.Setup.MaxBatch = batch
	return s.Build()
}

// prepare warms the model up and answers the headline's events once, untimed.
func (s *subject) prepare() error {
	if s.Record.Failed() {
		return nil
	}
	headline := s.timings[0]
	m, err := s.newModel(headline.batch)
	if err != nil {
		return err
	}
	defer models.Close(m)
	harness.DescribeModel(&s.Record, m)
	if err := observe(m, s.stream.Slice(0, s.from), headline.batch); err != nil {
		return err
	}
	s.warm = m.Snapshot(models.Everything)
	if m, err = s.deployed(m); err != nil {
		return err
	}
	if _, ok := m.(models.Ahead); headline.known && !ok {
		return errors.New("it answers batches one by one alone (it has no ClassifyAhead): measure it without `known: true`")
	}
	s.answers, err = s.untimed(m, headline)
	return err
}

// deployed returns the form of the model that is measured.
func (s *subject) deployed(m models.Model) (models.Model, error) {
	if !s.trial.Deployed {
		return m, nil
	}
	return m.(models.Deployer).Deploy()
}

// warmModel builds the form of the model that is measured, in the warm state.
func (s *subject) warmModel(batch int) (models.Model, error) {
	m, err := s.newModel(max(batch, s.timings[0].batch))
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

// Expect returns about how many seconds a latency test takes: warming up and all
// iterations, estimated from answers of each batch size in about the time budget.
func Expect(t specs.Trial, l *datasets.Loaded, on devices.Target, threads int, budget time.Duration) (seconds float64, err error) {
	defer kernels.CatchFailure(&err)
	s, err := newSubject(t, l, on, threads)
	if err != nil {
		return 0, err
	}
	if s.Record.Failed() {
		return 0, errors.New(s.Record.Error)
	}
	sum := 0.0
	for i, at := range s.timings {
		answer, err := s.answerTime(at, budget/time.Duration(len(s.timings)))
		if err != nil {
			return 0, err
		}
		before, measured := float64(at.start)/float64(at.batch), float64(at.batches)
		lead := float64(at.start-at.first) / float64(at.batch)
		answers := before + 2*measured + float64(at.warmups+at.iterations)*(lead+measured)
		if i == 0 {
			answers += before // of the model that is never restored
		}
		sum += answers * answer
		if _, ok := s.Device().(kernels.Recorder); i == 0 && ok && !at.known {
			sum += graphSeconds(at.iterations, measured*answer)
		}
	}
	return sum, nil
}

// answerTime returns the seconds of an answer on an idle machine, with little state.
func (s *subject) answerTime(at timing, budget time.Duration) (float64, error) {
	m, err := s.newModel(max(at.batch, s.timings[0].batch))
	if err != nil {
		return 0, err
	}
	defer models.Close(m)
	if m, err = s.deployed(m); err != nil {
		return 0, err
	}
	logits := make([]float32, at.batch)
	return harness.TypicalTime(context.Background(), s.stream.Len()/at.batch, budget, func(i int) error {
		return m.Classify(s.stream.Slice(i*at.batch, (i+1)*at.batch), logits)
	})
}
