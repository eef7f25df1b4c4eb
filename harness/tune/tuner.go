package tune

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"sync"

	"dgsbench/harness"
	"dgsbench/harness/tune/tpe"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"
)

var nan = math.NaN()

// Tuner runs studies.
type Tuner struct {
	Out     string // folder of the results
	DataDir string
	// Workers is the number of trials side by side; 0 takes one a core. As
	// long as there are as many studies, each has one trial at a time and its
	// result is decided by its seed; a study with several at a time goes by
	// which of them ends first.
	Workers int
	Device  devices.Target
	Hooks   Hooks
}

// Hooks report what is going on. Any may be nil; they are called one at a time.
type Hooks struct {
	Start    func(pending, found int)
	Progress func(share float64) // of the time of the pending trials, 0 to 1
	Done     func(Study, Line)
}

// Summary counts trials: found, measured now, failed among both, and left
// because the run ended early.
type Summary struct{ Found, Finished, Failed, Left int }

// TrialsAtOnce returns how many trials of one study are measured side by side.
func TrialsAtOnce(workers, studies int) int { return max(1, workers/studies) }

// Run measures the trials that are not over yet and returns the histories, in
// the order of the studies. They and the summary are right even with an error.
// Cancelling ctx stops at the next batch, and the error is ctx.Err(). At the
// end the histories are read back.
func (t *Tuner) Run(ctx context.Context, studies []Study) (histories []*History, sum Summary, err error) {
	workers := cmp.Or(t.Workers, t.Device.Workers())
	lab, searches, err := t.open(studies, workers)
	if err != nil {
		return nil, Summary{}, err
	}
	for _, s := range searches {
		histories = append(histories, s.History)
		sum.Found += len(s.Lines)
		sum.Left += s.left()
	}
	q := newQueue(t.Hooks, searches, TrialsAtOnce(workers, len(studies)))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range min(workers, sum.Left) {
		wg.Go(func() {
			if err := q.work(ctx, lab); err != nil {
				cancel(err)
				q.stop()
			}
		})
	}
	wg.Wait()
	sum.Finished, sum.Left = q.finished, sum.Left-q.finished
	for _, h := range histories {
		for _, l := range h.Lines {
			if l.Failed() {
				sum.Failed++
			}
		}
	}
	if err := context.Cause(ctx); err != nil {
		return histories, sum, err
	}
	for _, h := range histories {
		if err := h.readBack(); err != nil {
			return histories, sum, &harness.StoreError{Err: err}
		}
	}
	return histories, sum, nil
}

// open reads the data and the histories.
func (t *Tuner) open(studies []Study, workers int) (*harness.Lab, []*search, error) {
	var trials []specs.Trial
	for _, s := range studies {
		own, err := s.trial(nil)
		if err != nil {
			return nil, nil, err
		}
		trials = append(trials, own)
	}
	lab, err := harness.NewLab(record.Store{Dir: t.Out}, t.DataDir, t.Device, max(1, runtime.NumCPU()/workers), trials)
	if err != nil {
		return nil, nil, err
	}
	var searches []*search
	for _, study := range studies {
		h, err := openHistory(study, t.Out, lab.DataSHA256(study.At.Dataset), t.Device.Name())
		if err == nil {
			err = harness.Writable(filepath.Dir(h.file))
		}
		if err != nil {
			return nil, nil, err
		}
		s, err := newSearch(h)
		if err != nil {
			return nil, nil, err
		}
		searches = append(searches, s)
	}
	return lab, searches, nil
}

// search is a study in progress. Its trials are numbered from -1, the model's
// own options, on.
type search struct {
	*History
	sampler *tpe.Sampler
	next    int // the lowest number that has not been begun
	running int
	// What is known of the time that trials take, from those that are over, of
	// earlier runs too.
	shares  float64 // of the running trials that are done, summed
	over    int     // trials without the model's own options
	seconds float64 // of those
	own     float64 // seconds of the model's own options; 0 before
}

// newSearch goes on with what the history holds.
func newSearch(h *History) (*search, error) {
	s := &search{History: h, sampler: tpe.New(h.Study.space(), h.Study.Seed, h.Study.Random), next: -1}
	for _, l := range h.Lines {
		s.time(l)
		if err := s.tell(l); err != nil {
			return nil, fmt.Errorf("%s: %w", h.file, err)
		}
	}
	s.skip()
	return s, nil
}

// tell tells the sampler about a trial that is over.
func (s *search) tell(l Line) error {
	if l.Trial < 0 {
		return nil
	}
	t, err := s.samplerTrial(l)
	if err == nil {
		s.sampler.Tell(t)
	}
	return err
}

// time counts the seconds of a trial that is over.
func (s *search) time(l Line) {
	if l.Trial < 0 {
		s.own = l.Seconds
		return
	}
	s.over++
	s.seconds += l.Seconds
}

// each returns what a trial is expected to take in seconds: the mean of those
// that are over, or before there is one, what the model's own options took,
// whose sizes may be others. It is 0 when nothing is known.
func (s *search) each() float64 {
	if s.over > 0 {
		return s.seconds / float64(s.over)
	}
	return s.own
}

// skip goes to the next number that is not over.
func (s *search) skip() {
	for s.next < s.Study.Trials && s.has(s.next) {
		s.next++
	}
}

// task is a trial to be measured.
type task struct {
	*search
	number int
	phase  Phase
	values map[string]any // nil for the model's own options
	share  float64        // that is done
}

// begin returns the next trial, chosen with what is known now.
func (s *search) begin() *task {
	t := &task{search: s, number: s.next, phase: Own}
	if t.number >= 0 {
		t.values = s.Study.values(s.sampler.Ask(t.number))
		t.phase = TPE
		if t.number < s.Study.Random {
			t.phase = Random
		}
	}
	s.running++
	s.next++
	s.skip()
	return t
}

// end adds the result to the history and tells the sampler.
func (t *task) end(l Line) error {
	t.running--
	if err := t.add(l); err != nil {
		return &harness.StoreError{Err: err}
	}
	return t.tell(l)
}

// line returns what the history says of the trial if its record is r.
func (t *task) line(r record.Record) Line { return lineOf(t.number, t.phase, t.values, r) }

// queue distributes the trials of all studies and calls the hooks. The study that
// has begun the fewest goes first, so that all of them end at about the same
// time.
type queue struct {
	mu       sync.Mutex
	change   sync.Cond
	hooks    Hooks
	searches []*search
	atOnce   int // trials of one study side by side
	stopped  bool
	finished int
	spent    float64 // seconds of the finished trials
}

func newQueue(h Hooks, searches []*search, atOnce int) *queue {
	q := &queue{hooks: h, searches: searches, atOnce: atOnce}
	q.change.L = &q.mu
	pending, found := 0, 0
	for _, s := range searches {
		pending, found = pending+s.left(), found+len(s.Lines)
	}
	if h.Start != nil {
		h.Start(pending, found)
	}
	return q
}

// work measures trials until there are no more. A trial whose options the model
// rejects fails.
func (q *queue) work(ctx context.Context, lab *harness.Lab) error {
	for {
		t, ok := q.take()
		if !ok {
			return nil
		}
		rec := record.Record{}
		trial, err := t.Study.trial(t.values)
		if err != nil {
			rec.Error = err.Error()
		} else if rec, err = lab.Validate(ctx, trial, func(share float64) { q.progress(t, share) }); err != nil {
			return err
		}
		if err := q.end(t, t.line(rec)); err != nil {
			return err
		}
	}
}

// take waits for a trial; false when there will be no more.
func (q *queue) take() (*task, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stopped {
		var first *search
		waiting := false
		for _, s := range q.searches {
			if s.next >= s.Study.Trials {
				continue
			}
			waiting = true
			if s.running < q.atOnce && (first == nil || s.next < first.next) {
				first = s
			}
		}
		if first != nil {
			return first.begin(), true
		}
		if !waiting {
			break
		}
		q.change.Wait()
	}
	return nil, false
}

// stop ends every take.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
	q.change.Broadcast()
}

// progress says which share of a trial is done.
func (q *queue) progress(t *task, share float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t.shares += share - t.share
	t.share = share
	q.report()
}

// end keeps the result of a trial.
func (q *queue) end(t *task, l Line) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.change.Broadcast()
	t.shares -= t.share
	if err := t.end(l); err != nil {
		return err
	}
	t.time(l)
	q.finished++
	q.spent += l.Seconds
	q.report()
	if q.hooks.Done != nil {
		q.hooks.Done(t.Study, l)
	}
	return nil
}

// report calls the hook for progress.
func (q *queue) report() {
	if q.hooks.Progress != nil {
		q.hooks.Progress(q.share())
	}
}

// share estimates how much of the time that all trials take is over, from 0 to 1, by
// what the running and the remaining trials are expected to take. A study of
// which nothing is known yet is like the others.
func (q *queue) share() float64 {
	sum, known := 0.0, 0.0
	for _, s := range q.searches {
		if each := s.each(); each > 0 {
			sum, known = sum+each, known+1
		}
	}
	usual := 1.0
	if known > 0 {
		usual = sum / known
	}
	spent, all := q.spent, q.spent
	for _, s := range q.searches {
		each := s.each()
		if each == 0 {
			each = usual
		}
		spent += s.shares * each
		all += float64(s.left()) * each
	}
	if all == 0 {
		return 1
	}
	return spent / all
}
