package live

import (
	"cmp"
	"slices"
	"time"
)

// queue is what happens to events that are due at given times, ascending. The first ones
// do not count. The others are those of a turn, which begins again and again with the
// same state.
type queue struct {
	due     []time.Duration
	preload int // events before the first turn
	turn    int // events of a turn
	batches []batch
	late    []time.Duration // by which events were taken late for which the model was waiting
	stopped time.Duration   // no batch was taken from then on
}

// batch is an answer to events from the first one to that of the next batch.
type batch struct {
	first, events int
	taken, end    time.Duration
}

// end is when a queue is stopped: when it is past time and as many events have been
// answered, or at the latest.
type end struct {
	events       int
	time, latest time.Duration
}

// answerer is a model, which is taken back at the beginning of a turn.
type answerer interface {
	answer(events int) error
	begin(turn int) error
}

// serve answers events until the end. Whenever the model is free, it takes all events that
// are due, but at most largest, and none of the next turn.
func (q *queue) serve(c clock, largest int, until end, model answerer) error {
	q.batches, q.late = q.batches[:0], q.late[:0]
	at := c.now()
	for lo := 0; lo < len(q.due); {
		if at = c.now(); at >= until.latest || at >= until.time && lo >= until.events {
			break
		}
		turns := 0 // events to the end of the turn
		if turns = q.preload - lo; turns <= 0 {
			turns = q.turn - (lo-q.preload)%q.turn
			if turns == q.turn {
				if err := c.pause(func() error { return model.begin((lo - q.preload) / q.turn) }); err != nil {
					return err
				}
			}
		}
		if at = c.now(); at < q.due[lo] {
			if q.due[lo] >= until.latest {
				at = until.latest
				break
			}
			c.wait(q.due[lo])
			at = c.now()
			q.late = append(q.late, at-q.due[lo])
		}
		hi := lo + 1
		for hi < min(len(q.due), lo+min(largest, turns)) && q.due[hi] <= at {
			hi++
		}
		if err := model.answer(hi - lo); err != nil {
			return err
		}
		c.served(hi - lo)
		q.batches = append(q.batches, batch{lo, hi - lo, at, c.now()})
		lo = hi
	}
	q.stopped = max(at, q.lastEnd())
	return nil
}

// lastEnd returns the time of the last answer.
func (q *queue) lastEnd() time.Duration {
	if len(q.batches) == 0 {
		return 0
	}
	return q.batches[len(q.batches)-1].end
}

// answered returns the number of events that were answered.
func (q *queue) answered() int {
	if len(q.batches) == 0 {
		return 0
	}
	last := q.batches[len(q.batches)-1]
	return last.first + last.events
}

// start returns when those that count begin to be due.
func (q *queue) start() time.Duration {
	if q.preload == 0 {
		return 0
	}
	return q.due[q.preload-1]
}

// counting returns the batches with an event that counts.
func (q *queue) counting() []batch {
	i, _ := slices.BinarySearchFunc(q.batches, q.preload, func(b batch, first int) int { return cmp.Compare(b.first, first) })
	return q.batches[i:] // no batch has events of both kinds
}

// each calls f with the response time of every event that counts, in nanoseconds. Those
// that were due and not answered at the end have waited at least until then.
func (q *queue) each(f func(ns int64)) (unanswered int) {
	for _, b := range q.counting() {
		for _, due := range q.due[b.first : b.first+b.events] {
			f(int64(b.end - due))
		}
	}
	for _, due := range q.due[max(q.answered(), q.preload):] {
		if due >= q.stopped {
			break
		}
		f(int64(q.stopped - due))
		unanswered++
	}
	return unanswered
}

// handOver returns by how much all but a thousandth of the events were taken late, or
// less, for which the model was waiting.
func (q *queue) handOver() time.Duration {
	late := slices.Clone(q.late)
	slices.Sort(late)
	if more := q.answered() / 1000; more < len(late) {
		return late[len(late)-1-more]
	}
	return 0
}

// samples is how often the backlog is sampled in a third of the time.
const samples = 500

// growth returns by how many events the backlog, those due and not answered, grew between
// the middle third of the time in which events were due and the last third, as a
// share of those due in a third. The backlog of a third is the median of its samples, so
// that a stall is no growth; nor is what is less than a mean batch.
func (q *queue) growth() float64 {
	start, last := q.start(), min(q.due[len(q.due)-1], q.stopped)
	third := (last - start) / 3
	dueBy := func(at time.Duration) int {
		n, _ := slices.BinarySearch(q.due, at+1)
		return n
	}
	backlog := func(from time.Duration) float64 {
		sizes := make([]int, samples)
		for i := range sizes {
			at := from + third*time.Duration(i+1)/samples
			done, _ := slices.BinarySearchFunc(q.batches, at+1, func(b batch, at time.Duration) int { return cmp.Compare(b.end, at) })
			answered := 0
			if done > 0 {
				answered = q.batches[done-1].first + q.batches[done-1].events
			}
			sizes[i] = dueBy(at) - answered
		}
		slices.Sort(sizes)
		return float64(sizes[samples/2])
	}
	due, batches := dueBy(last)-q.preload, q.counting()
	grown := backlog(start+2*third) - backlog(start+third)
	if third <= 0 || due <= 0 || len(batches) > 0 && grown*float64(len(batches)) < float64(q.answered()-q.preload) {
		return 0
	}
	return grown / (float64(due) / 3)
}
