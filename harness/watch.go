package harness

import (
	"sync"

	"dgsbench/results/record"
)

// watch turns what workers do into calls of the hooks, one at a time.
type watch struct {
	mu       sync.Mutex
	hooks    Hooks
	total    int // batches of all jobs
	batches  int // of them done, or saved by early stopping
	sum      Summary
	measured map[record.Key]bool // of the trials of sum that were measured now
}

// newWatch goes on from what sum counts.
func newWatch(h Hooks, jobs []job, sum Summary, measured map[record.Key]bool) *watch {
	w := &watch{hooks: h, sum: sum, measured: measured}
	w.sum.Left = len(jobs)
	for _, j := range jobs {
		w.total += j.batches
	}
	if h.Start != nil {
		h.Start(len(jobs), sum.Found)
	}
	return w
}

// progress is the part of the watch that one trial holds.
type progress struct {
	*watch
	all, left int // batches of the trial
}

func (w *watch) begin(j job) *progress { return &progress{w, j.batches, j.batches} }

// tick says that one more batch is done.
func (p *progress) tick() { p.advance(1) }

func (p *progress) advance(batches int) {
	p.left -= batches
	p.mu.Lock()
	defer p.mu.Unlock()
	p.batches += batches
	if p.hooks.Progress != nil && p.total > 0 {
		p.hooks.Progress(float64(p.batches) / float64(p.total))
	}
}

// restart says that the trial begins, perhaps not for the first time.
func (p *progress) restart() {
	if undone := p.left - p.all; undone != 0 {
		p.advance(undone)
	}
}

// done says that the trial is over, however many batches were left.
func (p *progress) done(rec record.Record) {
	p.advance(p.left)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sum.Left--
	p.sum.add(rec, true)
	p.measured[rec.Key] = true
	if p.hooks.Done != nil {
		p.hooks.Done(rec)
	}
}

// found says that another run has measured the trial.
func (p *progress) found(rec record.Record) {
	p.advance(p.left)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sum.Left--
	p.sum.add(rec, false)
}
