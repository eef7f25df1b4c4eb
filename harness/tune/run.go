package tune

import (
	"context"
	"math"
	"runtime"
	"sync"

	"dgsbench/harness"
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

// Hooks tell whoever watches what is going on. Any may be nil; they are
// called one at a time.
type Hooks struct {
	Start    func(pending, found int)
	Progress func(share float64) // of the time of the pending trials, 0 to 1
	Done     func(Study, Line)
}

// Summary counts trials: found, measured now, failed among both, and left
// because the run ended early.
type Summary struct{ Found, Finished, Failed, Left int }

// Run measures the trials that are not over yet and returns the histories, in
// the order of the studies. They and the summary are right even with an error.
// Cancelling ctx stops at the next batch, and the error is ctx.Err(). At the
// end the histories are read back.
func (t *Tuner) Run(ctx context.Context, studies []Study) ([]*History, Summary, error) {
	workers := harness.Workers(t.Workers, t.Device)
	searches, lab, err := t.open(studies, workers)
	if err != nil {
		return nil, Summary{}, err
	}
	var histories []*History
	var sum Summary
	for _, s := range searches {
		histories = append(histories, s.History)
		sum.Found += len(s.Lines)
		sum.Left += s.left()
	}
	w := newWatch(t.Hooks, histories)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b := newBoard(searches, Abreast(workers, len(studies)))
	var wg sync.WaitGroup
	for range min(workers, sum.Left) {
		wg.Go(func() {
			if err := work(ctx, b, lab, w); err != nil {
				cancel(err)
				b.stop()
			}
		})
	}
	wg.Wait()
	sum.Finished, sum.Left = w.finished, sum.Left-w.finished
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
		if err := h.readBack(t.Out); err != nil {
			return histories, sum, &harness.StoreError{Err: err}
		}
	}
	return histories, sum, nil
}

// Abreast is how many trials of one study are measured side by side.
func Abreast(workers, studies int) int { return max(1, workers/studies) }

// open reads the data and the histories.
func (t *Tuner) open(studies []Study, workers int) ([]*search, *harness.Lab, error) {
	var trials []specs.Trial
	for _, s := range studies {
		own, err := s.own()
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
	for _, s := range studies {
		o, err := openSearch(s, t.Out, lab)
		if err != nil {
			return nil, nil, err
		}
		searches = append(searches, o)
	}
	return searches, lab, nil
}

// work measures trials until there are no more.
func work(ctx context.Context, b *board, lab *harness.Lab, w *watch) error {
	for {
		t, ok := b.take()
		if !ok {
			return nil
		}
		l, err := measure(ctx, t, lab, w)
		if err != nil {
			return err
		}
		if err := b.give(t, l); err != nil {
			return err
		}
		w.done(t.Study, l)
	}
}

// measure trains one trial. Options that the model refuses make it a failed
// one.
func measure(ctx context.Context, t todo, lab *harness.Lab, w *watch) (Line, error) {
	trial, err := t.trial()
	if err != nil {
		return lineOf(t.number, t.phase, t.values, record.Record{Error: err.Error()}), nil
	}
	p := w.begin(t.Study)
	defer p.end()
	rec, err := lab.Validate(ctx, trial, p.tell)
	if err != nil {
		return Line{}, err
	}
	return lineOf(t.number, t.phase, t.values, rec), nil
}
