package live

import (
	"slices"
	"time"
)

// clock is the time of a pass, from its start.
type clock interface {
	now() time.Duration
	// wait returns when it is until, or as soon after as the machine is able to.
	wait(until time.Duration)
	// served tells that a batch of n events has been answered.
	served(n int)
}

// pass is what happens to events that are due at given times, ascending, from the start
// of the pass. A slice of it has room for each event.
type pass struct {
	due       []time.Duration
	taken     []time.Duration // when the model took the event
	responses []int64         // nanoseconds from when the event was due to its answer
	late      []int64         // nanoseconds by which events were taken late for which the model was waiting
	answered  int             // events, the first ones
	batches   []int           // the first event of each
	end       time.Duration   // the last answer
}

func newPass(events int) *pass {
	return &pass{
		due: make([]time.Duration, 0, events), taken: make([]time.Duration, events), responses: make([]int64, events),
		late: make([]int64, 0, events), batches: make([]int, 0, events),
	}
}

// serve answers events until all are answered or the time is over. Whenever the
// model is free, it takes all events that are due, but at most largest.
func (p *pass) serve(c clock, largest int, until time.Duration, answer func(n int) error) error {
	p.late, p.batches, p.answered = p.late[:0], p.batches[:0], 0
	for lo := 0; lo < len(p.due) && p.due[lo] < until; {
		at := c.now()
		if at >= until {
			break
		}
		if at < p.due[lo] {
			c.wait(p.due[lo])
			at = c.now()
			p.late = append(p.late, int64(at-p.due[lo]))
		}
		hi := lo + 1
		for hi < len(p.due) && hi-lo < largest && p.due[hi] <= at {
			hi++
		}
		if err := answer(hi - lo); err != nil {
			return err
		}
		c.served(hi - lo)
		p.end = c.now()
		for k := lo; k < hi; k++ {
			p.taken[k], p.responses[k] = at, int64(p.end-p.due[k])
		}
		p.batches = append(p.batches, lo)
		lo, p.answered = hi, hi
	}
	return nil
}

// batchesFrom returns the number of batches with an event from k on.
func (p *pass) batchesFrom(k int) int {
	i, found := slices.BinarySearch(p.batches, k)
	if !found {
		i--
	}
	return len(p.batches) - i
}

// samples is how often the backlog is sampled in a third of a pass.
const samples = 200

// growth returns by how many events the backlog, those due and not taken, grew between
// the middle third of the time in which events were due and the last third, as a
// share of those due in a third. The backlog of a third is the median of its samples, so
// that one stall is no growth.
func (p *pass) growth(until time.Duration) float64 {
	last := min(p.due[len(p.due)-1], until)
	due, _ := slices.BinarySearch(p.due, last+1)
	taken := p.taken[:p.answered]
	backlog := func(third int) int {
		var sizes [samples]int
		for i := range sizes {
			at := last/3*time.Duration(third) + last/3*time.Duration(i+1)/samples
			come, _ := slices.BinarySearch(p.due, at+1)
			gone, _ := slices.BinarySearch(taken, at+1)
			sizes[i] = come - gone
		}
		slices.Sort(sizes[:])
		return sizes[samples/2]
	}
	return float64(backlog(2)-backlog(1)) / (float64(due) / 3)
}
