package live

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dgsbench/metrics"
	"dgsbench/nn"
	"dgsbench/results/record"

	"gonum.org/v1/gonum/stat"
)

// mostHandOver is how late the machine may be at the 99.9th percentile: it gives an event
// to a model that waits for it when it is due, or the load is not the one asked for.
const mostHandOver = time.Millisecond

// try measures a point and replaces what was measured of the rate before.
func (s *subject) try(ctx context.Context, rate int, searched bool) (record.LivePoint, error) {
	l := s.Record.Live
	i := slices.IndexFunc(l.Points, func(p record.LivePoint) bool { return p.Rate == rate })
	if i < 0 {
		i = len(l.Points)
		l.Points = append(l.Points, record.LivePoint{Rate: rate, Searched: searched})
	}
	p, facts, err := s.point(ctx, rate)
	if err != nil {
		return p, fmt.Errorf("%d events a second: %w", rate, err)
	}
	p.Searched, p.Tries = l.Points[i].Searched, l.Points[i].Tries+1
	l.Points[i] = p
	s.Facts[s.replay.Part(p.Name())] = facts
	s.tick(fmt.Sprintf("%d events a second", rate))
	return p, nil
}

// point has the model answer events that are due at a rate, in passes over the test events
// from the same state.
func (s *subject) point(ctx context.Context, rate int) (record.LivePoint, metrics.Facts, error) {
	l := s.Record.Live
	point, facts := record.LivePoint{Rate: rate}, metrics.Facts{}
	preload := min(l.Preload, int(float64(rate)*preloadTime.Seconds()))
	times := s.times[s.first-preload : s.first+l.Events]
	rng := nn.Rand(s.trial.Seed, nn.Purpose(fmt.Sprintf("%s at %d", nn.ForArrivals, rate)))
	responses, handOvers := record.NewHistogram(), record.NewHistogram()
	var growths []float64
	for most := s.live.MostSeconds; ; point.Passes++ {
		left := time.Duration((most - point.Seconds) * float64(time.Second))
		if point.Answers >= s.live.Answers && (s.live.Simulated || point.Seconds >= s.live.Seconds) || left <= 0 {
			break
		}
		if err := s.start(ctx, preload); err != nil {
			return point, facts, err
		}
		p := s.pass
		var err error
		if p.due, err = arrivals(p.due[:0], s.live.Arrivals, rate, times, rng); err != nil {
			return point, facts, err
		}
		var start time.Duration // of what counts
		if preload > 0 {
			start = p.due[preload-1]
		}
		until := start + left
		err = p.serve(s.newClock(), s.live.LargestBatch, until, func(n int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return s.replay.Answer(n)
		})
		if err != nil {
			return point, facts, err
		}
		record.AddTo(handOvers, p.late...)
		growths = append(growths, p.growth(until))
		answers := p.answered - preload
		if answers <= 0 {
			break // it has not even answered those that do not count
		}
		record.AddTo(responses, p.responses[preload:p.answered]...)
		point.Answers, point.Batches = point.Answers+answers, point.Batches+p.batchesFrom(preload)
		point.Seconds += (p.end - start).Seconds()
		if facts.Len() == 0 || facts.Len() < s.live.Answers && answers == l.Events {
			s.replay.AppendFacts(&facts, s.first, s.first+answers)
		}
	}
	slices.Sort(growths)
	point.Growth = stat.Quantile(.5, stat.Empirical, growths, nil)
	point.Histogram = record.EncodeHistogram(responses)
	point.HandOver = float64(handOvers.ValueAtQuantile(99.9)) / 1e9
	if point.HandOver > mostHandOver.Seconds() {
		point.Invalid = fmt.Sprintf("the machine handed events over late: 99.9th percentile %.1f ms", 1e3*point.HandOver)
	}
	return point, facts, nil
}
