package live

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dgsbench/results/record"
	"dgsbench/specs"
)

const forever = time.Duration(math.MaxInt64)

func noAnswer(int) error { return nil }

// affine returns service times of first + each more for every further event.
func affine(largest int, first, more time.Duration) *simulated {
	s := &simulated{times: make([]time.Duration, largest+1)}
	for n := 1; n <= largest; n++ {
		s.times[n] = first + time.Duration(n-1)*more
	}
	return s
}

// poisson returns a pass whose n events are due at a mean rate a second.
func poisson(t *testing.T, n, rate int, seed uint64) *pass {
	t.Helper()
	p := newPass(n)
	var err error
	if p.due, err = arrivals(p.due, specs.Poisson, rate, make([]float64, n), rand.New(rand.NewPCG(seed, 1))); err != nil {
		t.Fatal(err)
	}
	return p
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
			if err := p.serve(affine(1, service, 0), 1, forever, noAnswer); err != nil {
				t.Fatal(err)
			}
			for _, response := range p.responses {
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
			if err := p.serve(c, largest, forever, noAnswer); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(p.responses, want) {
				i := slices.IndexFunc(want, func(int64) bool { return true })
				for i = range want {
					if want[i] != p.responses[i] {
						break
					}
				}
				t.Errorf("largest %d, rate %d: event %d of %d has the response time %d, expected %d", largest, rate, i, len(want), p.responses[i], want[i])
			}
		}
	}
}

// TestResponseFromDue: a stall is in the response times of all events that it holds up.
func TestResponseFromDue(t *testing.T) {
	p := newPass(100)
	for k := range 100 {
		p.due = append(p.due, time.Duration(k+1)*time.Millisecond)
	}
	c := affine(1, time.Microsecond, 0)
	batches := 0
	err := p.serve(c, 1, forever, func(int) error {
		if batches++; batches == 11 {
			c.at += 50 * time.Millisecond
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, response := range p.responses {
		want := time.Microsecond
		if k >= 10 && k <= 60 {
			want = 50*time.Millisecond - time.Duration(k-10)*time.Millisecond + time.Duration(k-9)*time.Microsecond
		}
		if d := time.Duration(response) - max(want, time.Microsecond); d != 0 {
			t.Errorf("event %d: response time %v, expected %v", k, time.Duration(response), want)
		}
	}
}

// TestEndOfTime: nothing is taken after the end, and an error of the model is returned.
func TestEndOfTime(t *testing.T) {
	p := poisson(t, 1000, 1000, 1)
	if err := p.serve(affine(10, 5*time.Millisecond, 0), 10, 100*time.Millisecond, noAnswer); err != nil {
		t.Fatal(err)
	}
	if n := p.answered; n < 50 || n > 150 || p.end > 105*time.Millisecond {
		t.Errorf("%d of 1000 events in %v, expected about 100 in 100 ms", n, p.end)
	}
	bad := errors.New("bad")
	if err := p.serve(affine(10, 1, 0), 10, forever, func(int) error { return bad }); err != bad {
		t.Errorf("%v, expected the model's error", err)
	}
}

// TestGrowth: the backlog of a model that lacks 5% of what it needs grows; that of one with
// 5% to spare does not, nor does a stall make it grow.
func TestGrowth(t *testing.T) {
	for _, largest := range []int{1, 20, 1000} {
		for _, c := range []struct {
			load  float64
			stall bool
			grows bool
		}{{.1, false, false}, {.5, false, false}, {.95, false, false}, {.5, true, false}, {1.05, false, true}, {2, false, true}, {50, false, true}} {
			t.Run(fmt.Sprintf("largest %d, load %g, stall %v", largest, c.load, c.stall), func(t *testing.T) {
				const capacity = 20_000 // a second, in the largest batches
				clock := affine(largest, time.Duration(largest)*time.Second/capacity, 0)
				p := poisson(t, 20_000, int(c.load*capacity), 7)
				answers := 0
				if err := p.serve(clock, largest, forever, func(int) error {
					if answers++; c.stall && answers == 10 {
						clock.at += 100 * time.Millisecond
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				point := record.LivePoint{Growth: p.growth(forever)}
				if point.Overloaded() != c.grows {
					t.Errorf("the backlog grows by %.3f of what is due", point.Growth)
				}
			})
		}
	}
}

// TestArrivals: all ways have the mean rate; those of the stream keep its ratios.
func TestArrivals(t *testing.T) {
	times := make([]float64, 50_000)
	for k := range times {
		times[k] = math.Sqrt(float64(k / 3)) // three at a time
	}
	for _, how := range []specs.Arrivals{specs.Poisson, specs.Fixed, specs.StreamTimes} {
		due, err := arrivals(nil, how, 2500, times, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		if rate := float64(len(due)) / due[len(due)-1].Seconds(); math.Abs(rate/2500-1) > .02 || !slices.IsSorted(due) || due[0] <= 0 {
			t.Errorf("%s: %g events a second, the first at %v", how, rate, due[0])
		}
		if how == specs.StreamTimes && (due[3] != due[5] || due[2] == due[3]) {
			t.Errorf("%s: events of one time are due at %v and %v", how, due[3], due[5])
		}
	}
	if _, err := arrivals(nil, specs.StreamTimes, 10, []float64{3, 3, 3}, nil); err == nil {
		t.Error("events of one time were accepted")
	}
}
