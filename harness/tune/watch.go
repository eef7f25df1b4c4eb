package tune

import "sync"

// watch turns what workers do into calls of the hooks, one at a time.
type watch struct {
	mu       sync.Mutex
	hooks    Hooks
	pending  int
	finished int
	running  float64 // shares of the trials in progress, summed
}

func newWatch(h Hooks, pending, found int) *watch {
	if h.Start != nil {
		h.Start(pending, found)
	}
	return &watch{hooks: h, pending: pending}
}

// progress is the part of the watch that one trial holds.
type progress struct {
	*watch
	share float64
}

func (w *watch) begin() *progress { return &progress{watch: w} }

// tell says how much of the trial is done.
func (p *progress) tell(share float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running += share - p.share
	p.share = share
	p.show()
}

// end takes the trial out of those in progress.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running -= p.share
}

// show tells the share of all; the lock is held.
func (w *watch) show() {
	if w.hooks.Progress != nil {
		w.hooks.Progress((float64(w.finished) + w.running) / float64(w.pending))
	}
}

// done says that a trial is over.
func (w *watch) done(s Study, l Line) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished++
	w.show()
	if w.hooks.Done != nil {
		w.hooks.Done(s, l)
	}
}
