package live

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/metrics"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// mostPreload is the most events that are due before those that count.
const mostPreload = 2000

// subject is a trained model under load.
type subject struct {
	Measured
	trial  specs.Trial
	live   specs.Live
	replay *harness.Replay
	times  []float64    // of the stream's events
	first  int          // the first test event
	before harness.Mark // before the preloaded events
	ready  harness.Mark // before the first test event
	queue  queue
	tick   func(what string)
	// newClock returns the clock of a point, which begins now.
	newClock func() clock
}

// Measured is a model's record with its answers; none where it failed.
type Measured struct {
	Record record.Record
	Facts  record.Observed
}

// train trains the model, or takes the parameters of a checkpoint, and brings it to the
// test part.
func (s *subject) train(ctx context.Context, p Plan, l *datasets.Loaded, cut *harness.Cutter) error {
	start := time.Now()
	parts, err := cut.Parts(s.trial)
	if err != nil {
		return err
	}
	checkpoint, err := harness.Checkpoint(p.Store, s.trial, l, p.Device)
	if err != nil {
		return err
	}
	if s.replay, err = harness.NewReplay(ctx, s.trial, parts, p.Device, p.Threads, checkpoint); err != nil {
		return err
	}
	harness.DescribeModel(&s.Record, s.replay.Model())
	s.times, s.first = parts.Whole.Time, l.Split.ValEnd
	if len(s.times) == s.first {
		return errors.New("there is no test part to answer")
	}
	preload := min(mostPreload, s.first-l.Split.TrainEnd)
	events := min(len(s.times)-s.first, s.live.Answers)
	s.Record.Live.Events, s.Record.Live.Preload = events, preload
	for _, to := range []struct {
		event int
		mark  *harness.Mark
	}{{l.Split.TrainEnd, nil}, {s.first - preload, &s.before}, {s.first, &s.ready}} {
		if err := s.replay.Observe(ctx, to.event); err != nil {
			return err
		}
		if to.mark != nil {
			*to.mark = s.replay.Mark()
		}
	}
	s.replay.Keep(s.first-preload, preload+events)
	s.Facts = record.Observed{}
	s.Record.Durations.Train = time.Since(start).Seconds()
	s.tick("trained")
	return nil
}

// oneByOne has the model answer each event from the state after all before it, without
// a queue, and keeps the answers. It returns the mean time of an answer.
func (s *subject) oneByOne(ctx context.Context) (record.ServiceTime, error) {
	l := s.Record.Live
	events, most := l.Events, s.live.MostSeconds
	if s.live.Simulated { // those of the measured test, however long it takes
		events, most = min(events, l.Service[0].Batches), math.Inf(1)
	}
	service, err := s.closed(ctx, 1, events, most)
	if err != nil {
		return service, err
	}
	var facts metrics.Facts
	s.replay.AppendFacts(&facts, s.first, s.first+service.Batches)
	s.Facts[s.replay.Part(record.OneByOne)] = facts
	s.tick("one by one")
	return service, nil
}

// fewestBatches are timed of each size, however long they take.
const fewestBatches = 3

// leadIn is how many batches come before those that are timed, at most.
const leadIn = 5

// closed times answers to batches of a size, each of which comes when the one before has
// been answered: to that many test events, or as many as there are seconds for.
func (s *subject) closed(ctx context.Context, size, events int, most float64) (record.ServiceTime, error) {
	out := record.ServiceTime{Batch: size}
	lead := min(s.Record.Live.Preload, leadIn*size)
	if err := s.replay.Rewind(s.before); err != nil {
		return out, err
	}
	if err := s.replay.Observe(ctx, s.first-lead); err != nil {
		return out, err
	}
	for s.replay.At() < s.first {
		if err := s.replay.Answer(min(size, s.first-s.replay.At())); err != nil {
			return out, err
		}
	}
	if err := s.replay.Rewind(s.ready); err != nil {
		return out, err
	}
	runtime.GC() // what was made until now is not collected while batches are timed
	for start := time.Now(); (out.Batches+1)*size <= events && (out.Batches < fewestBatches || out.Seconds < most); {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if err := s.replay.Answer(size); err != nil {
			return out, err
		}
		out.Batches++
		out.Seconds = time.Since(start).Seconds()
	}
	out.Seconds /= float64(out.Batches)
	return out, nil
}

// serviceTime is how many seconds batches of a size are timed at most.
const serviceTime = .5

// serviceTable measures the time of batches of more than one event.
func (s *subject) serviceTable(ctx context.Context, first record.ServiceTime) error {
	l := s.Record.Live
	l.Service = []record.ServiceTime{first}
	for _, size := range sizes(min(s.live.LargestBatch, l.Events)) {
		at, err := s.closed(ctx, size, l.Events, serviceTime)
		if err != nil {
			return err
		}
		l.Service = append(l.Service, at)
	}
	s.tick("batches of all sizes")
	return nil
}

// sizes returns those above 1 and up to the largest, which is among them: 1, 2 and 5
// times powers of 10.
func sizes(largest int) (out []int) {
	for decade := 1; decade <= largest; decade *= 10 {
		for _, by := range []int{1, 2, 5} {
			if n := by * decade; n > 1 && n < largest {
				out = append(out, n)
			}
		}
	}
	if largest > 1 {
		out = append(out, largest)
	}
	return out
}

// measure measures service times and all points.
func (s *subject) measure(ctx context.Context) error {
	start := time.Now()
	l := s.Record.Live
	first, err := s.oneByOne(ctx)
	if err == nil && !s.live.Simulated {
		err = s.serviceTable(ctx, first)
	}
	if err != nil {
		return err
	}
	for _, rate := range s.live.Rates {
		if err := s.try(ctx, rate, false); err != nil {
			return err
		}
	}
	if s.live.Searches() {
		for _, limit := range s.live.LimitTimes() {
			if err := s.search(ctx, limit); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(l.Points, func(a, b record.LivePoint) int { return a.Rate - b.Rate })
	s.Record.FirstEvaluation, s.Record.Evaluations = record.OneByOne, nil
	for _, p := range l.Points {
		s.Record.Evaluations = append(s.Record.Evaluations, p.Name())
	}
	s.Record.Durations.Test = time.Since(start).Seconds()
	s.Record.Durations.Total = s.Record.Durations.Train + s.Record.Durations.Test
	return nil
}
