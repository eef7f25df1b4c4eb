package live

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"dgsbench/internal/ram"
	"dgsbench/metrics"
	"dgsbench/nn"
	"dgsbench/results/record"
)

// mostHandOver is how late the machine may be at the 99.9th percentile: it gives an event
// to a model that waits for it when it is due, or the load is not the one asked for.
const mostHandOver = time.Millisecond

// eventBytes is the memory of an event of a point: when it was due, its batch, a delay.
const eventBytes = 8 + 32 + 8

// try measures a point. Of several tries at a rate the best one is kept: what disturbs a machine
// makes response times longer, and never shorter.
func (s *subject) try(ctx context.Context, rate int, searched bool) error {
	l := s.Record.Live
	p, facts, err := s.point(ctx, rate)
	if err != nil {
		return fmt.Errorf("%d events a second: %w", rate, err)
	}
	s.tick(fmt.Sprintf("%d events a second", rate))
	p.Searched, p.Tries = searched, 1
	if i := s.indexOf(rate); i >= 0 {
		before := l.Points[i]
		p.Searched, p.Tries = before.Searched, before.Tries+1
		if !p.Better(before) {
			l.Points[i].Tries = p.Tries
			return nil
		}
		l.Points[i] = p
	} else {
		l.Points = append(l.Points, p)
	}
	s.Facts[s.replay.Part(p.Name())] = facts
	return nil
}

// point has the model answer events that are due at a rate.
func (s *subject) point(ctx context.Context, rate int) (record.LivePoint, metrics.Facts, error) {
	l := s.Record.Live
	preload := min(l.Preload, rate) // of a second at most
	events := s.live.Answers
	if !s.live.Simulated {
		events = max(events, int(math.Ceil(s.live.Seconds*float64(rate))))
	}
	if err := ram.Check(fmt.Sprintf("%d events", events), int64(events)*eventBytes); err != nil {
		return record.LivePoint{}, metrics.Facts{}, err
	}
	q := &s.queue
	q.preload, q.turn = preload, l.Events
	rng := nn.Rand(s.trial.Seed, nn.Purpose(fmt.Sprintf("%s at %d", nn.ForArrivals, rate)))
	var err error
	if q.due, err = arrivals(q.due[:0], s.live.Arrivals, rate, preload+events, s.times[s.first-preload:s.first+l.Events], preload, rng); err != nil {
		return record.LivePoint{}, metrics.Facts{}, err
	}
	if err := s.replay.Rewind(s.before); err != nil {
		return record.LivePoint{}, metrics.Facts{}, err
	}
	if err := s.replay.Observe(ctx, s.first-preload); err != nil {
		return record.LivePoint{}, metrics.Facts{}, err
	}
	seconds := func(x float64) time.Duration { return time.Duration(x * float64(time.Second)) }
	until := end{events: preload + s.live.Answers, time: q.start() + seconds(s.live.Seconds), latest: q.start() + seconds(s.live.MostSeconds)}
	if s.live.Simulated {
		until.time = 0
	}
	load := &load{subject: s, ctx: ctx}
	runtime.GC() // what was made until now is not collected while events are due
	if err := q.serve(s.newClock(), s.live.LargestBatch, until, load); err != nil {
		return record.LivePoint{}, metrics.Facts{}, err
	}
	point := record.LivePoint{Rate: rate, Answers: max(0, q.answered()-preload), Batches: len(q.counting()), Growth: q.growth(), HandOver: q.handOver().Seconds()}
	load.keep(point.Answers)
	point.Turns = (point.Answers + l.Events - 1) / l.Events
	point.Seconds = max(0, q.lastEnd()-q.start()).Seconds()
	responses := record.NewHistogram()
	point.Unanswered = q.each(func(ns int64) { record.AddTo(responses, ns) })
	point.Histogram = record.EncodeHistogram(responses)
	if point.HandOver > mostHandOver.Seconds() {
		point.Invalid = fmt.Sprintf("the machine handed more than a thousandth of the events over later than %v", mostHandOver)
	}
	return point, load.facts, nil
}

// load is the model of a point, with the answers that are kept.
type load struct {
	*subject
	ctx   context.Context
	facts metrics.Facts
}

func (l *load) answer(events int) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	return l.replay.Answer(events)
}

// begin takes the model to the first test event, after the answers of the turn before have
// been kept.
func (l *load) begin(turn int) error {
	l.keep(turn * l.Record.Live.Events)
	return l.replay.Rewind(l.ready)
}

// keep adds the answers of the last turn, if there are that many in all: those of whole turns
// until there are enough, or of a part of the first one.
func (l *load) keep(answers int) {
	turn := l.Record.Live.Events
	if have := l.facts.Len(); have == 0 && answers > 0 || answers == have+turn && have < l.live.Answers {
		l.replay.AppendFacts(&l.facts, l.first, l.first+min(turn, answers))
	}
}
