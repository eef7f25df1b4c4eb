package tune

import (
	"fmt"
	"path/filepath"
	"sync"

	"dgsbench/harness"
	"dgsbench/harness/tune/tpe"
	"dgsbench/specs"
)

// search is a study in progress. Its trials are numbered from -1, the model's
// own options, on.
type search struct {
	*History
	sampler *tpe.Sampler
	running int
	next    int // the lowest number that has not been begun
}

// openSearch goes on with what the history holds.
func openSearch(s Study, out string, lab *harness.Lab) (*search, error) {
	h, err := openHistory(s, out, lab.DataSHA256(s.At.Dataset), lab.DeviceName())
	if err != nil {
		return nil, err
	}
	if err := harness.Writable(filepath.Dir(h.file)); err != nil {
		return nil, err
	}
	sampler, err := openSampler(h)
	if err != nil {
		return nil, err
	}
	o := &search{History: h, sampler: sampler, next: -1}
	o.skip()
	return o, nil
}

// openSampler tells a new sampler what the history holds.
func openSampler(h *History) (*tpe.Sampler, error) {
	sampler := tpe.New(h.Study.space(), h.Study.Seed, h.Study.Random)
	for _, l := range h.trials() {
		t, err := h.told(l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.file, err)
		}
		sampler.Tell(t)
	}
	return sampler, nil
}

// skip goes to the next number that is not over.
func (o *search) skip() {
	for o.next < o.Study.Trials && o.has(o.next) {
		o.next++
	}
}

// todo is a trial to be measured.
type todo struct {
	*search
	number int
	phase  Phase
	values map[string]any // nil for the model's own options
}

// begin takes the next trial, with what is known now.
func (o *search) begin() todo {
	t := todo{search: o, number: o.next, phase: Own}
	if t.number >= 0 {
		t.values = o.Study.values(o.sampler.Ask(t.number))
		t.phase = TPE
		if t.number < o.Study.Random {
			t.phase = Random
		}
	}
	o.running++
	o.next++
	o.skip()
	return t
}

// trial is what is measured. The error is that of options that the model
// refuses.
func (t todo) trial() (specs.Trial, error) {
	r, err := t.Study.resolve(t.values)
	return t.Study.trial(r), err
}

// end takes the result in.
func (t todo) end(l Line) error {
	t.running--
	if err := t.add(l); err != nil {
		return &harness.StoreError{Err: err}
	}
	if l.Trial < 0 {
		return nil
	}
	told, err := t.told(l)
	t.sampler.Tell(told)
	return err
}

// board hands the trials of all studies out. The study that has begun the
// fewest goes first, so that all of them end at about the same time.
type board struct {
	mu       sync.Mutex
	change   sync.Cond
	searches []*search
	abreast  int // trials of one study side by side
	stopped  bool
}

func newBoard(searches []*search, abreast int) *board {
	b := &board{searches: searches, abreast: abreast}
	b.change.L = &b.mu
	return b
}

// take waits for a trial; false when there will be no more.
func (b *board) take() (todo, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.stopped {
		var first *search
		waiting := false
		for _, s := range b.searches {
			if s.next >= s.Study.Trials {
				continue
			}
			waiting = true
			if s.running < b.abreast && (first == nil || s.next < first.next) {
				first = s
			}
		}
		if first != nil {
			return first.begin(), true
		}
		if !waiting {
			return todo{}, false
		}
		b.change.Wait()
	}
	return todo{}, false
}

// give returns a trial that is over.
func (b *board) give(t todo, l Line) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.change.Broadcast()
	return t.end(l)
}

// stop sends everybody home who waits.
func (b *board) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	b.change.Broadcast()
}
