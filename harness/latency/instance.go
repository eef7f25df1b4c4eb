package latency

import (
	"fmt"
	"runtime"
	"time"

	"dgsbench/datasets"
	"dgsbench/models"
)

// instance is a model at work on one timing.
type instance struct {
	timing
	model        models.Model
	before       models.Snapshot // the state at the start of the lead-in
	lead, window datasets.Stream
	want         []float32 // the answers of an untimed run
	now          func() time.Duration

	// Made before anything is timed.
	logits  []float32
	samples []int64
	memory  [2]runtime.MemStats
}

// observation is what one iteration gave.
type observation struct {
	samples     []int64       // nanoseconds of every batch
	wall        time.Duration // of all of them, by a clock of its own
	objects     uint64        // allocated meanwhile
	bytes       uint64
	collections uint32 // of garbage
	first       time.Duration
}

// newInstance brings a model to the start of the lead-in. The answers to
// compare with come from another one.
func newInstance(s *subject, at timing) (*instance, error) {
	in := &instance{
		timing: at, lead: s.stream.Slice(at.first, at.start), window: s.stream.Slice(at.start, at.end()), want: s.answers,
		logits: make([]float32, at.batch*at.batches), samples: make([]int64, at.batches),
	}
	start := time.Now()
	in.now = func() time.Duration { return time.Since(start) }
	if at.batch != s.timings[0].batch {
		other, err := s.build(at.fold)
		if err != nil {
			return nil, err
		}
		if in.want, err = s.untimed(other, at); err != nil {
			return nil, err
		}
	}
	var err error
	if in.model, err = s.build(at.fold); err != nil {
		return nil, err
	}
	if err := observe(in.model, s.stream.Slice(s.from, at.first), at.fold); err != nil {
		return nil, err
	}
	in.before = in.model.Snapshot(models.Everything)
	return in, nil
}

// iterate puts the state back, leads in and times the batches.
func (in *instance) iterate() (observation, error) {
	if err := in.model.Restore(in.before); err != nil {
		return observation{}, err
	}
	runtime.GC() // what was made until now is not collected while the clock runs
	first, err := in.leadIn()
	if err != nil {
		return observation{}, err
	}
	clear(in.logits)
	runtime.ReadMemStats(&in.memory[0])
	start := time.Now()
	err = in.timed()
	wall := time.Since(start)
	runtime.ReadMemStats(&in.memory[1])
	if err != nil {
		return observation{}, err
	}
	before, after := &in.memory[0], &in.memory[1]
	return observation{
		samples: append([]int64(nil), in.samples...), wall: wall, first: first,
		objects: after.Mallocs - before.Mallocs, bytes: after.TotalAlloc - before.TotalAlloc,
		collections: after.NumGC - before.NumGC,
	}, in.compare()
}

// leadIn answers the batches before the measured ones, so that caches hold
// what they hold in the middle of a stream, and says what the first one took.
func (in *instance) leadIn() (first time.Duration, err error) {
	step := min(in.batch, in.lead.Len())
	for lo := 0; lo < in.lead.Len() && err == nil; lo += step {
		part := in.lead.Slice(lo, min(lo+step, in.lead.Len()))
		start := time.Now()
		if err = in.answer(part, in.logits[:part.Len()]); lo == 0 {
			first = time.Since(start)
		}
	}
	return first, err
}

// timed answers batch after batch. A batch's time ends where the next one's
// begins, so that no moment is left out.
func (in *instance) timed() error {
	last := in.now()
	for k := range in.samples {
		lo, hi := k*in.batch, (k+1)*in.batch
		if err := in.answer(in.window.Slice(lo, hi), in.logits[lo:hi]); err != nil {
			return err
		}
		at := in.now()
		in.samples[k] = int64(at - last)
		last = at
	}
	return nil
}

// answer is a call of the model.
func (in *instance) answer(b datasets.Stream, logits []float32) error {
	if in.known {
		return in.model.(models.Ahead).ClassifyAhead(b, in.fold, logits)
	}
	return in.model.Classify(b, logits)
}

// compare holds the answers of the timed run against those of the untimed
// one: the same bits.
func (in *instance) compare() error {
	return compare(fmt.Sprintf("batches of %d", in.batch), in.window, in.logits, in.want)
}

func compare(what string, window datasets.Stream, timed, untimed []float32) error {
	for k, want := range untimed {
		if got := timed[k]; got != want {
			return fmt.Errorf("%s: the timed run answers event %d with %v, an untimed one with %v", what, window.EventID(k), got, want)
		}
	}
	return nil
}
