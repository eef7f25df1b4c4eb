package tune

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"

	"dgsbench/harness"
	"dgsbench/harness/tune/tpe"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"

	"golang.org/x/sync/errgroup"
)

// Tuner runs studies.
type Tuner struct {
	Out     string // folder of the results
	DataDir string
	// Workers is the number of trials side by side; 0 takes one a core. With as
	// many studies, each has one trial at a time and its seed decides the result;
	// a study with several at a time goes by which of them ends first.
	Workers int
	Device  devices.Target
	// Proposals has the trials measured by other processes, instead of in this one.
	Proposals *Proposals
	Hooks     Hooks
}

// Hooks report what is going on; all must be set. They are called one at a time.
type Hooks struct {
	Start    func(pending, found int)
	Progress func(share float64) // of the time of the pending trials, 0 to 1
	Done     func(Study, Line)
}

// TrialsAtOnce returns how many trials of one study are measured side by side.
func TrialsAtOnce(workers, studies int) int { return max(1, workers/studies) }

// Run measures the trials that are not over yet, reads the histories back, writes
// what follows from them, and returns them in the order of the studies. They and
// the summary, which counts failed trials as found or finished too, are right even
// with an error. Cancelling ctx stops at the next batch; the error is ctx.Err().
func (t *Tuner) Run(ctx context.Context, studies []Study) (histories []*History, sum harness.Summary, err error) {
	workers := cmp.Or(t.Workers, t.Device.Workers())
	lab, searches, err := t.open(studies, workers)
	if err != nil {
		return nil, sum, err
	}
	for _, s := range searches {
		histories = append(histories, s.History)
		sum.Found += len(s.Lines)
		sum.Left += s.left()
	}
	t.Hooks.Start(sum.Left, sum.Found)
	q := &queue{hooks: t.Hooks, searches: searches, atOnce: TrialsAtOnce(workers, len(studies))}
	group, inner := errgroup.WithContext(ctx)
	for range min(workers, sum.Left) {
		group.Go(func() error { return q.work(inner, lab, t.Proposals) })
	}
	if err = group.Wait(); err != nil {
		err = context.Cause(inner)
	}
	sum.Finished, sum.Left = q.finished, sum.Left-q.finished
	for _, h := range histories {
		sum.Failed += failed(h.Lines)
	}
	if err = cmp.Or(err, context.Cause(ctx)); err != nil {
		return histories, sum, err
	}
	for _, h := range histories {
		if err := h.readBack(); err != nil {
			return histories, sum, &harness.StoreError{Err: err}
		}
	}
	return histories, sum, t.write(histories)
}

// ownTrials returns the trials of the models' own options.
func ownTrials(studies []Study) (trials []specs.Trial, err error) {
	for _, s := range studies {
		own, err := s.trial(nil)
		if err != nil {
			return nil, err
		}
		trials = append(trials, own)
	}
	return trials, nil
}

func (t *Tuner) open(studies []Study, workers int) (*harness.Lab, []*search, error) {
	lab, err := OpenLab(t.Out, t.DataDir, t.Device, max(1, runtime.GOMAXPROCS(0)/workers), studies)
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

// search is a study in progress. Trial -1 has the model's own options.
type search struct {
	*History
	sampler *tpe.Sampler
	pending []int // trials that have not begun, in order
	running int
	over    int     // trials, of earlier runs too, without the model's own options
	each    float64 // seconds that a trial is expected to take; 0 where nothing is known
	shares  float64 // of the running trials that are done, summed
}

// newSearch continues with what the history holds.
func newSearch(h *History) (*search, error) {
	s := &search{History: h, sampler: tpe.New(h.Study.space(), h.Study.Seed, h.Study.Random)}
	for _, l := range h.Lines {
		if err := s.tell(l); err != nil {
			return nil, fmt.Errorf("%s: %w", h.file, err)
		}
	}
	for number := -1; number < h.Study.Trials; number++ {
		if !h.has(number) {
			s.pending = append(s.pending, number)
		}
	}
	return s, nil
}

// tell tells the sampler about a trial that is over. A trial is expected to take
// the mean of those, or before there is one, what the model's own options took,
// whose sizes may be others.
func (s *search) tell(l Line) error {
	if l.Trial < 0 {
		if s.over == 0 {
			s.each = l.Seconds
		}
		return nil
	}
	s.over++
	s.each += (l.Seconds - s.each) / float64(s.over)
	t, err := s.samplerTrial(l)
	if err == nil {
		s.sampler.Tell(t)
	}
	return err
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
	t := &task{search: s, number: s.pending[0], phase: Own}
	if t.number >= 0 {
		t.values = s.Study.values(s.sampler.Ask(t.number))
		t.phase = TPE
		if t.number < s.Study.Random {
			t.phase = Random
		}
	}
	s.running++
	s.pending = s.pending[1:]
	return t
}

// end adds the result to the history and tells the sampler.
func (t *task) end(l Line) error {
	t.running--
	t.shares -= t.share
	if err := t.add(l); err != nil {
		return &harness.StoreError{Err: err}
	}
	return t.tell(l)
}

// queue distributes the trials of all studies and calls the hooks.
type queue struct {
	mu       sync.Mutex
	hooks    Hooks
	searches []*search
	atOnce   int // trials of one study side by side
	finished int
	spent    float64 // seconds of the finished trials
}

// work measures trials. One whose options the model rejects fails.
func (q *queue) work(ctx context.Context, lab *harness.Lab, elsewhere *Proposals) error {
	for t := q.take(); t != nil && ctx.Err() == nil; t = q.take() {
		rec := record.Record{}
		trial, err := t.Study.trial(t.values)
		switch {
		case err != nil:
			rec.Error, err = err.Error(), nil
		case elsewhere != nil:
			rec, err = elsewhere.Validate(ctx, lab, t.Study, t.values, trial)
		default:
			rec, err = lab.Validate(ctx, trial, func(share float64) { q.progress(t, share) })
		}
		if err != nil {
			return err
		}
		if err := q.end(t, lineOf(t.number, t.phase, t.values, rec)); err != nil {
			return err
		}
	}
	return nil
}

// take begins a trial of the study that has begun the fewest, so that all of them
// end at about the same time. It returns nil if every study with pending trials
// has as many workers as it may have, who continue it.
func (q *queue) take() *task {
	q.mu.Lock()
	defer q.mu.Unlock()
	var first *search
	for _, s := range q.searches {
		if len(s.pending) > 0 && s.running < q.atOnce && (first == nil || s.pending[0] < first.pending[0]) {
			first = s
		}
	}
	if first == nil {
		return nil
	}
	return first.begin()
}

// progress says which share of a trial is done.
func (q *queue) progress(t *task, share float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t.shares += share - t.share
	t.share = share
	q.hooks.Progress(q.share())
}

// end keeps the result of a trial.
func (q *queue) end(t *task, l Line) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := t.end(l); err != nil {
		return err
	}
	q.finished++
	q.spent += l.Seconds
	q.hooks.Progress(q.share())
	q.hooks.Done(t.Study, l)
	return nil
}

// share estimates how much of the time that all trials take is over, from 0 to 1, by
// what the running and the remaining trials are expected to take. A study of
// which nothing is known yet is like the others.
func (q *queue) share() float64 {
	sum, known := 0.0, 0.0
	for _, s := range q.searches {
		if s.each > 0 {
			sum, known = sum+s.each, known+1
		}
	}
	usual := 1.0
	if known > 0 {
		usual = sum / known
	}
	spent, all := q.spent, q.spent
	for _, s := range q.searches {
		each := cmp.Or(s.each, usual)
		spent += s.shares * each
		all += float64(s.left()) * each
	}
	if all == 0 {
		return 1
	}
	return spent / all
}
