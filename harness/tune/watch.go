package tune

import "sync"

// watch turns what workers do into calls of the hooks, one at a time.
type watch struct {
	mu       sync.Mutex
	hooks    Hooks
	finished int
	spent    float64 // seconds of the finished trials
	paces    []*pace // of the studies, in their order
	byStudy  map[string]*pace
}

// newWatch tells what there is to do.
func newWatch(h Hooks, histories []*History) *watch {
	w := &watch{hooks: h, byStudy: map[string]*pace{}}
	pending, found := 0, 0
	for _, study := range histories {
		p := &pace{left: study.left()}
		for _, l := range study.Lines {
			p.saw(l)
		}
		pending, found = pending+p.left, found+len(study.Lines)
		w.paces, w.byStudy[study.Study.HistoryFile()] = append(w.paces, p), p
	}
	if h.Start != nil {
		h.Start(pending, found)
	}
	return w
}

func (w *watch) of(s Study) *pace { return w.byStudy[s.HistoryFile()] }

// progress is the part of the watch that one trial holds.
type progress struct {
	*watch
	pace  *pace
	share float64
}

func (w *watch) begin(s Study) *progress { return &progress{watch: w, pace: w.of(s)} }

// tell says how much of the trial is done.
func (p *progress) tell(share float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pace.running += share - p.share
	p.share = share
	p.show()
}

// end takes the trial out of those in progress.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pace.running -= p.share
}

// show tells the share of all; the lock is held.
func (w *watch) show() {
	if w.hooks.Progress != nil {
		w.hooks.Progress(share(w.spent, w.paces))
	}
}

// done says that a trial is over.
func (w *watch) done(s Study, l Line) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished++
	w.spent += l.Seconds
	p := w.of(s)
	p.left--
	p.saw(l)
	w.show()
	if w.hooks.Done != nil {
		w.hooks.Done(s, l)
	}
}
