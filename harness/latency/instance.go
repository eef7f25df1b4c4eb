package latency

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/results/record"
)

// instance is a model at work on one timing.
type instance struct {
	*subject
	timing
	model        models.Model
	before       models.Snapshot // the state at the start of the lead-in
	lead, window datasets.Stream
	want         []float32 // the answers of an untimed run
	now          func() time.Duration

	// Made before anything is timed.
	size    int // events of an answer
	logits  []float32
	samples []int64
	inside  []int64 // of samples what the model measured itself, if it is a models.Inside
	memory  [2]runtime.MemStats

	firstCall time.Duration // its very first answer
	observed  []observation // of the timed iterations
}

// observation is what one iteration gave.
type observation struct {
	samples     []int64       // nanoseconds of every batch
	inside      []int64       // of these what the model measured itself
	wall        time.Duration // of all of them, by a clock of its own
	objects     uint64        // allocated meanwhile
	bytes       uint64
	collections uint32 // of garbage
	first       time.Duration
}

// setUp brings the model to the start of the lead-in. Another one gives the answers.
func (in *instance) setUp() (err error) {
	s, at := in.subject, in.timing
	in.lead, in.window, in.want = s.stream.Slice(at.first, at.start), s.stream.Slice(at.start, at.end()), s.answers
	answers, events := at.answers()
	in.size, in.samples, in.logits = events, make([]int64, answers), make([]float32, answers*events)
	start := time.Now()
	in.now = func() time.Duration { return time.Since(start) }
	if at.batch != s.timings[0].batch {
		other, err := s.warmModel(at.batch)
		if err != nil {
			return err
		}
		defer models.Close(other)
		if in.want, err = s.untimed(other, at); err != nil {
			return err
		}
	}
	if in.model, err = s.warmModel(at.batch); err != nil {
		return err
	}
	if err := observe(in.model, s.stream.Slice(s.from, at.first), at.batch); err != nil {
		return err
	}
	in.before = in.model.Snapshot(models.Everything)
	if m, ok := in.model.(models.Inside); ok && !math.IsNaN(m.Inside()) {
		in.inside = make([]int64, answers)
	}
	return nil
}

// turn makes one iteration; those that warm up are not kept.
func (in *instance) turn(round int) error {
	o, err := in.iterate()
	if round == 0 {
		in.firstCall = o.first
	}
	if err == nil && round >= in.warmups {
		in.observed = append(in.observed, o)
	}
	return err
}

// finish adds the timing to the record, or why there is none.
func (in *instance) finish(err error) {
	models.Close(in.model)
	if err != nil {
		in.fail(err)
		return
	}
	var ns, inside []int64
	for _, o := range in.observed {
		ns, inside = append(ns, o.samples...), append(inside, o.inside...)
		in.Record.Durations.Test += total(o)
	}
	in.Record.Durations.Total = in.Record.Durations.Test
	timing := record.Timing{
		Batch: in.size, Batches: len(in.samples), Iterations: in.iterations, Histogram: histogram(ns),
		FirstCall: in.firstCall.Seconds(), Warnings: warnings(in.observed, in.firstCall),
	}
	in.Times[timing.Array()] = ns
	if timing.Inside = len(inside) == len(ns); timing.Inside {
		in.Times[timing.InsideArray()] = inside
	}
	in.Record.Latency.Timings = append(in.Record.Latency.Timings, timing)
}

// iterate restores the state, leads in and times the batches.
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
		samples: slices.Clone(in.samples), inside: slices.Clone(in.inside), wall: wall, first: first,
		objects: after.Mallocs - before.Mallocs, bytes: after.TotalAlloc - before.TotalAlloc,
		collections: after.NumGC - before.NumGC,
	}, compare(fmt.Sprintf("batches of %d", in.size), in.window, in.logits, in.want)
}

// leadIn answers the batches before the measured ones, so that caches hold
// what they hold in the middle of a stream, and returns the time of the first.
func (in *instance) leadIn() (first time.Duration, err error) {
	step := min(in.size, in.lead.Len())
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
		lo, hi := k*in.size, (k+1)*in.size
		if err := in.answer(in.window.Slice(lo, hi), in.logits[lo:hi]); err != nil {
			return err
		}
		at := in.now()
		in.samples[k] = int64(at - last)
		last = at
		if in.inside != nil {
			seconds := in.model.(models.Inside).Inside()
			if in.inside[k] = min(int64(seconds*1e9), in.samples[k]); math.IsNaN(seconds) { // min: of two clocks
				in.inside = nil
			}
		}
	}
	return nil
}

// answer calls the model.
func (in *instance) answer(b datasets.Stream, logits []float32) error {
	if in.known {
		return in.model.(models.Ahead).ClassifyAhead(b, in.batch, logits)
	}
	return in.model.Classify(b, logits)
}

// compare returns an error unless the timed and the untimed answers have the same bits.
func compare(what string, window datasets.Stream, timed, untimed []float32) error {
	for k, want := range untimed {
		if got := timed[k]; got != want {
			return fmt.Errorf("%s: the timed run answers event %d with %v, an untimed one with %v", what, window.EventID(k), got, want)
		}
	}
	return nil
}

// histogram returns the HdrHistogram of nanoseconds.
func histogram(ns []int64) string {
	h := record.NewHistogram()
	record.AddTo(h, ns...)
	return record.EncodeHistogram(h)
}
