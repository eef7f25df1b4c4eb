package live

import (
	"time"

	"dgsbench/results/record"
)

// clock is the time of a point, from its start.
type clock interface {
	now() time.Duration
	// wait returns when it is until, or as soon after as the machine is able to.
	wait(until time.Duration)
	// served tells that a batch of n events has been answered.
	served(n int)
	// pause stops the clock while f runs.
	pause(f func() error) error
}

// machine is the machine's clock.
type machine struct{ start time.Time }

func (m *machine) now() time.Duration { return time.Since(m.start) }
func (m *machine) served(int)         {}

// spin is how long before an event is due the machine stops sleeping: a sleep may take
// longer than it was asked to.
const spin = 2 * time.Millisecond

func (m *machine) wait(until time.Duration) {
	for left := until - m.now(); left > 0; left = until - m.now() {
		if left > spin {
			time.Sleep(left - spin)
		}
	}
}

func (m *machine) pause(f func() error) error {
	at := time.Now()
	err := f()
	m.start = m.start.Add(time.Since(at))
	return err
}

// simulated is a clock on which nothing but answering takes time.
type simulated struct {
	at    time.Duration
	times []time.Duration // of a batch, by its number of events
}

// newSimulated returns a clock with the service times of a record, for batches of at
// most largest events.
func newSimulated(l record.Live, largest int) *simulated {
	s := &simulated{times: make([]time.Duration, largest+1)}
	for n := 1; n <= largest; n++ {
		s.times[n] = time.Duration(l.ServiceOf(n) * float64(time.Second))
	}
	return s
}

func (s *simulated) now() time.Duration         { return s.at }
func (s *simulated) wait(until time.Duration)   { s.at = until }
func (s *simulated) served(n int)               { s.at += s.times[n] }
func (s *simulated) pause(f func() error) error { return f() }
