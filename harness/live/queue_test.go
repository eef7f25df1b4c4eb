package live

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dgsbench/results/record"
	"dgsbench/specs"
)

const forever = time.Duration(math.MaxInt64)

// answers is a model without a state.
type answers func(events int) error

func (a answers) answer(events int) error { return a(events) }
func (a answers) begin(int) error         { return nil }

var noAnswer = answers(func(int) error { return nil })

// toTheEnd lets all events be answered.
var toTheEnd = end{events: math.MaxInt, time: forever, latest: forever}

// responses returns the response times of all events, by event.
func responses(q *queue) (out []int64) {
	q.each(func(ns int64) { out = append(out, ns) })
	return out
}

// affine returns service times of first + each more for every further event.
func affine(largest int, first, more time.Duration) *simulated {
	s := &simulated{times: make([]time.Duration, largest+1)}
	for n := 1; n <= largest; n++ {
		s.times[n] = first + time.Duration(n-1)*more
	}
	return s
}

// poisson returns a queue of n events that are due at a mean rate a second.
func poisson(t *testing.T, n, rate int, seed uint64) *queue {
	t.Helper()
	due, err := arrivals(nil, specs.Poisson, rate, n, nil, 0, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return &queue{due: due, turn: n}
}

// TestMeanWait: events answered one at a time in a constant time wait as long as the
// formula of Pollaczek and Khinchine says, rho D / (2 (1 - rho)), within 2%: 16 million
// arrivals at each load.
func TestMeanWait(t *testing.T) {
	const service, n, passes = 100 * time.Microsecond, 2_000_000, 8
	for _, load := range []float64{.3, .6, .9} {
		sum := 0.0
		for seed := range uint64(passes) {
			p := poisson(t, n, int(math.Round(load/service.Seconds())), seed)
			if err := p.serve(affine(1, service, 0), 1, toTheEnd, noAnswer); err != nil {
				t.Fatal(err)
			}
			for _, response := range responses(p) {
				sum += float64(response) - float64(service)
			}
		}
		mean, want := sum/(n*passes)/1e9, load*service.Seconds()/(2*(1-load))
		t.Logf("load %g: mean wait %.3f us, expected %.3f us", load, 1e6*mean, 1e6*want)
		if math.Abs(mean/want-1) > .02 {
			t.Errorf("load %g: mean wait %g s, expected %g s", load, mean, want)
		}
	}
}

// bulkService returns the response times of events due at the given times, by an
// event list: an arrival joins the queue; a free server takes the queue, up to largest.
func bulkService(due []time.Duration, largest int, service func(n int) time.Duration) []int64 {
	responses := make([]int64, len(due))
	var queue, inService []int
	done, busy, next := time.Duration(0), false, 0
	for next < len(due) || busy {
		if next < len(due) && (!busy || due[next] <= done) { // an event that is due when a batch is done is taken with the next one
			queue = append(queue, next)
			if next++; busy || next < len(due) && due[next] == due[next-1] {
				continue
			}
			done = due[next-1]
		} else {
			for _, k := range inService {
				responses[k] = int64(done - due[k])
			}
			busy = false
		}
		if n := min(len(queue), largest); n > 0 {
			inService, queue = slices.Clone(queue[:n]), queue[n:]
			busy = true
			done += service(n)
		}
	}
	return responses
}

// TestBulkService: response times are those of an independent simulation of a server that
// takes all that waits, up to a largest batch.
func TestBulkService(t *testing.T) {
	for _, largest := range []int{1, 2, 7, 50, 1000} {
		for _, rate := range []int{500, 5_000, 9_500, 20_000, 200_000} {
			p := poisson(t, 20_000, rate, uint64(largest))
			c := affine(largest, 100*time.Microsecond, 3*time.Microsecond)
			want := bulkService(p.due, largest, func(n int) time.Duration { return c.times[n] })
			if err := p.serve(c, largest, toTheEnd, noAnswer); err != nil {
				t.Fatal(err)
			}
			got := responses(p)
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("largest %d, rate %d: event %d of %d has the response time %d, expected %d", largest, rate, i, len(want), got[i], want[i])
					break
				}
			}
		}
	}
}

// every returns a queue of n events at a fixed distance.
func every(gap time.Duration, n int) *queue {
	q := &queue{turn: n}
	for k := range n {
		q.due = append(q.due, time.Duration(k+1)*gap)
	}
	return q
}

// TestResponseFromDue: a stall is in the response times of all events that it holds up.
func TestResponseFromDue(t *testing.T) {
	q := every(time.Millisecond, 100)
	c := affine(1, time.Microsecond, 0)
	batches := 0
	err := q.serve(c, 1, toTheEnd, answers(func(int) error {
		if batches++; batches == 11 {
			c.at += 50 * time.Millisecond
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	for k, response := range responses(q) {
		want := time.Microsecond
		if k >= 10 && k <= 60 {
			want = 50*time.Millisecond - time.Duration(k-10)*time.Millisecond + time.Duration(k-9)*time.Microsecond
		}
		if d := time.Duration(response) - max(want, time.Microsecond); d != 0 {
			t.Errorf("event %d: response time %v, expected %v", k, time.Duration(response), want)
		}
	}
}

// TestEnd: nothing is taken after the end, what was due and not answered has waited until then,
// and an error of the model is returned.
func TestEnd(t *testing.T) {
	q := poisson(t, 1000, 1000, 1)
	if err := q.serve(affine(10, 5*time.Millisecond, 0), 10, end{events: math.MaxInt, time: forever, latest: 100 * time.Millisecond}, noAnswer); err != nil {
		t.Fatal(err)
	}
	if n := q.answered(); n < 50 || n > 150 || q.lastEnd() > 105*time.Millisecond {
		t.Errorf("%d of 1000 events in %v, expected about 100 in 100 ms", n, q.lastEnd())
	}
	q = every(time.Millisecond, 1000)
	c := affine(1, time.Microsecond, 0)
	if err := q.serve(c, 1, end{events: 0, time: 200 * time.Millisecond, latest: forever}, answers(func(int) error {
		if q.lastEnd() > 100*time.Millisecond {
			c.at += time.Second
		}
		return nil
	})); err != nil {
		t.Fatal(err)
	}
	longest, over := int64(0), 0
	unanswered := q.each(func(ns int64) {
		longest = max(longest, ns)
		if ns > int64(100*time.Millisecond) {
			over++
		}
	})
	if q.answered() != 101 || unanswered != 899 || over < 850 || time.Duration(longest) < time.Second {
		t.Errorf("%d answered, %d due without an answer, %d of them over 100 ms, expected a stall of a second to hold up all that are due", q.answered(), unanswered, over)
	}
	bad := errors.New("bad")
	if err := every(1, 10).serve(affine(10, 1, 0), 10, toTheEnd, answers(func(int) error { return bad })); err != bad {
		t.Errorf("%v, expected the model's error", err)
	}
}

// turns counts how often a model is taken back, and how many events it has answered by then.
type turns struct {
	answered int
	began    []int
}

func (m *turns) answer(events int) error { m.answered += events; return nil }
func (m *turns) begin(turn int) error {
	m.began = append(m.began, m.answered)
	if turn+1 != len(m.began) {
		return errors.New("a turn was left out")
	}
	return nil
}

// TestTurns: each turn begins with its first event, whatever waits, and no batch has events of two.
func TestTurns(t *testing.T) {
	for _, rate := range []int{100, 100_000} {
		q := poisson(t, 1030, rate, 3)
		q.preload, q.turn = 30, 400
		m := &turns{}
		if err := q.serve(affine(70, 50*time.Microsecond, 0), 70, toTheEnd, m); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.began, []int{30, 430, 830}) || m.answered != 1030 || q.counting()[0].first != 30 {
			t.Errorf("rate %d: turns begin after %v events", rate, m.began)
		}
	}
}

// TestGrowth: the backlog of a model that lacks 5% of what it needs grows; that of one with
// 10% to spare does not, nor does a stall make it grow; whatever the seed and the size of batches.
func TestGrowth(t *testing.T) {
	for _, largest := range []int{1, 20, 1000, 100_000} {
		for _, c := range []struct {
			load  float64
			stall bool
			grows bool
		}{{.1, false, false}, {.5, false, false}, {.8, false, false}, {.9, false, false}, {.5, true, false}, {1.05, false, true}, {2, false, true}, {50, false, true}} {
			if largest == 100_000 && c.load < 2 {
				continue // there are too few batches to tell
			}
			for seed := range uint64(10) {
				const capacity = 20_000 // a second, in the largest batches of at most 1000
				clock := affine(largest, time.Second/capacity, 0)
				for n := range clock.times {
					clock.times[n] = max(time.Duration(min(largest, 1000)), time.Duration(n)) * time.Second / capacity
				}
				q := poisson(t, max(20_000, int(5*c.load*capacity)), int(c.load*capacity), seed)
				batches := 0
				err := q.serve(clock, largest, end{events: 20_000, time: 5 * time.Second, latest: 60 * time.Second}, answers(func(int) error {
					if batches++; c.stall && batches == 10 {
						clock.at += 100 * time.Millisecond
					}
					return nil
				}))
				if err != nil {
					t.Fatal(err)
				}
				point := record.LivePoint{Growth: q.growth()}
				if point.Overloaded() != c.grows {
					t.Errorf("largest %d, load %g, stall %v, seed %d: the backlog grows by %.4f of what is due", largest, c.load, c.stall, seed, point.Growth)
				}
			}
		}
	}
}

// TestArrivals: all ways have the mean rate; those of the stream keep its ratios, turn by turn.
func TestArrivals(t *testing.T) {
	times := make([]float64, 50_000)
	for k := range times {
		times[k] = math.Sqrt(float64(k / 3)) // three at a time
	}
	for _, how := range []specs.Arrivals{specs.Poisson, specs.Fixed, specs.StreamTimes} {
		due, err := arrivals(nil, how, 2500, 140_000, times, 5_000, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		if rate := 135_000 / (due[len(due)-1] - due[4_999]).Seconds(); math.Abs(rate/2500-1) > .03 || !slices.IsSorted(due) || due[0] <= 0 {
			t.Errorf("%s: %g events a second, the first at %v", how, rate, due[0])
		}
		if how == specs.StreamTimes && (due[3] != due[5] || due[2] == due[3] || due[50_000]-due[49_999] != 400*time.Microsecond ||
			(due[50_100]-due[50_000]-(due[5_100]-due[5_000])).Abs() > 1) {
			t.Errorf("%s: events of one time are due at %v and %v, those of a further turn at %v", how, due[3], due[5], due[50_000])
		}
	}
	if _, err := arrivals(nil, specs.StreamTimes, 10, 3, []float64{3, 3, 3}, 0, nil); err == nil {
		t.Error("events of one time were accepted")
	}
}
