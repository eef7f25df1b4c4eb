package live

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dgsbench/harness"
	"dgsbench/kernels/devices"
	"dgsbench/metrics"
	_ "dgsbench/models/standard"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// quickly is a live test of less than a second.
func quickly(rates ...int) specs.Live {
	return specs.Live{Arrivals: specs.Poisson, Rates: rates, LargestBatch: 100, Answers: 1200, Seconds: .1, MostSeconds: 2}
}

func factsOf(m Measured, evaluation string) metrics.Facts {
	return m.Facts[record.Part{Split: protocol.Test, Evaluation: evaluation}]
}

// TestPoints: the record has what was asked for.
func TestPoints(t *testing.T) {
	store := newStore(t)
	m := run(t, store, trial("steady", quickly(2_000, 50_000)))
	if m.Record.Failed() {
		t.Fatal(m.Record.Error)
	}
	l := m.Record.Live
	if l.Events != 1200 || l.Preload != 1200 || len(l.Points) != 2 || l.Points[0].Rate != 2_000 {
		t.Fatalf("%+v", l)
	}
	if got := l.Service[len(l.Service)-1].Batch; l.Service[0].Batch != 1 || got != 100 {
		t.Errorf("service times of batches from %d to %d, expected 1 to 100", l.Service[0].Batch, got)
	}
	for i, p := range l.Points {
		h, err := p.Responses()
		if err != nil || p.Answers < 1200 || p.Answers > p.Turns*l.Events || p.Answers <= (p.Turns-1)*l.Events || int(h.TotalCount()) != p.Answers+p.Unanswered || p.Batches == 0 || p.Batches > p.Answers {
			t.Errorf("point %d: %+v, %v", i, p, err)
		}
		if n := factsOf(m, p.Name()).Len(); n != 1200 {
			t.Errorf("%d answers are kept, expected those of one pass", n)
		}
	}
	read, _, err := store.Load("fakes")
	if err != nil || len(read) != 1 {
		t.Fatal(read, err)
	}
	if facts, err := store.Facts(read[0]); err != nil || !reflect.DeepEqual(facts[record.Part{Split: protocol.Test, Evaluation: "rate-2000"}], factsOf(m, "rate-2000")) {
		t.Errorf("other answers are read than were kept: %v", err)
	}
}

// TestLowRateIsOneByOne: where no event waits, answers are those from the state after all
// events before; at a high rate they are from older states.
func TestLowRateIsOneByOne(t *testing.T) {
	store := newStore(t)
	l := quickly(1_000, 1_000_000)
	l.Arrivals = specs.Fixed
	measured := run(t, store, trial("steady", l))
	l.Simulated = true
	test := trial("steady", l)
	service := measured.Record.Live.Service
	for i := range service {
		service[i].Seconds = 1e-5 // else a busy machine decides
	}
	if err := Keep(store, []Measured{measured}); err != nil {
		t.Fatal(err)
	}
	m := run(t, store, test)
	alone, low, high := factsOf(m, record.OneByOne), factsOf(m, "rate-1000"), factsOf(m, "rate-1000000")
	if differing := count(alone.Score, low.Score); differing > 0 {
		t.Errorf("%d of %d answers at 1,000 events a second differ from those one by one", differing, len(low.Score))
	}
	if differing := count(alone.Score, high.Score); differing < 50 {
		t.Errorf("%d of %d answers at 1,000,000 events a second differ from those one by one", differing, len(high.Score))
	}
}

// count returns how many entries differ.
func count(a, b []float32) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// TestStallIsInTheTail: a stall of 100 ms, once in 12,000 answers at 20,000 events a
// second, holds up more than a thousandth of them.
func TestStallIsInTheTail(t *testing.T) {
	l := quickly(20_000)
	l.LargestBatch, l.Answers, l.MostSeconds = 10, 12_000, 20
	p := run(t, newStore(t), trial("stalling", l)).Record.Live.Points[0]
	h, err := p.Responses()
	if err != nil {
		t.Fatal(err)
	}
	if max, tail := time.Duration(h.Max()), time.Duration(h.ValueAtQuantile(99.9)); max < 95*time.Millisecond || tail < 80*time.Millisecond {
		t.Errorf("a stall of 100 ms has a maximum of %v and a 99.9th percentile of %v", max, tail)
	}
}

// TestCannotKeepUp: a model that is slower than its load is overloaded and keeps no limit.
func TestCannotKeepUp(t *testing.T) {
	l := quickly(2_000, 100_000)
	l.Answers, l.Limits, l.MostSeconds = 10_000, []string{"1h"}, .5
	m := run(t, newStore(t), trial("slow", l))
	for _, p := range m.Record.Live.Points {
		if !p.Overloaded() {
			t.Errorf("at %d events a second it is not overloaded: the backlog grew by %g", p.Rate, p.Growth)
		}
	}
	if keeps, misses := m.Record.Live.Bracket(time.Hour); keeps != 0 || misses == 0 {
		t.Errorf("it keeps the limit at %d events a second", keeps)
	}
}

// lateClock oversleeps.
type lateClock struct{ simulated }

func (c *lateClock) wait(until time.Duration) { c.at = until + 5*time.Millisecond }

// TestLateMachine: a point whose events are handed over late is invalid, and keeps no limit.
func TestLateMachine(t *testing.T) {
	for _, late := range []bool{false, true} {
		l := quickly(20_000)
		l.Answers, l.Simulated = 10_000, true
		s := &subject{trial: trial("steady", l), live: l, tick: func(string) {}}
		s.Record.Live = &record.Live{Service: []record.ServiceTime{{Batch: 1, Seconds: 1e-6}, {Batch: 100, Seconds: 1e-5}}}
		s.newClock = func() clock {
			c := newSimulated(*s.Record.Live, 100)
			if late {
				return &lateClock{*c}
			}
			return c
		}
		loaded, err := harness.LoadDataset("fake", "")
		if err == nil {
			err = s.train(context.Background(), Plan{Threads: 1, Store: newStore(t)}, loaded, harness.NewCutter(loaded))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := s.try(context.Background(), 20_000, false); err != nil {
			t.Fatal(err)
		}
		p := s.Record.Live.Points[0]
		if (p.Invalid != "") != late || p.Keeps(time.Hour) == late {
			t.Errorf("late %v: %+v", late, p)
		}
	}
}

// TestLabelsBecomeKnown: before each answer the model has been given all labels that are known when its
// first event happens, and no others.
func TestLabelsBecomeKnown(t *testing.T) {
	for _, delay := range []int{0, 90, 1000} {
		witnessed = nil
		test := trial("witness", quickly(100_000))
		test.Protocol.LabelDelay = delay
		if m := run(t, newStore(t), test); m.Record.Failed() {
			t.Fatal(m.Record.Error)
		}
		for _, at := range witnessed {
			known := max(0, at.first-delay) // events have a second between them; a label is known when its delay is over
			if delay > 0 {
				known = max(0, at.first-delay+1)
			}
			if len(at.told) != known || !slices.IsSorted(at.told) {
				t.Fatalf("delay %d s: before event %d the labels of %d events are known, expected %d", delay, at.first, len(at.told), known)
			}
		}
		if len(witnessed) < 1200 {
			t.Errorf("%d answers", len(witnessed))
		}
	}
}

// TestFailures: a model that fails has a record that says so; one that writes to its batches ends the run.
func TestFailures(t *testing.T) {
	m := run(t, newStore(t), trial("panicking", quickly(1000)))
	if !strings.Contains(m.Record.Error, "panic in live") {
		t.Errorf("%q", m.Record.Error)
	}
	p := Plan{Trials: []specs.Trial{trial("writing", quickly(1000))}, Device: devices.Target{}, Threads: 1}
	err := Run(context.Background(), p, Hooks{Start: func(int) {}, Step: func(string, time.Duration) {}}, nil)
	if err == nil || !strings.Contains(err.Error(), "wrote to its batches") {
		t.Errorf("%v", err)
	}
	test := trial("steady", quickly(1000))
	test.Protocol.Live.Simulated = true
	test.Case = test.Protocol.Live.Case()
	p = Plan{Trials: []specs.Trial{test}, Device: devices.Target{}, Threads: 1, Store: newStore(t)}
	err = Run(context.Background(), p, Hooks{Start: func(int) {}, Step: func(string, time.Duration) {}}, nil)
	if err == nil || !strings.Contains(err.Error(), "no measured service times") {
		t.Errorf("%v", err)
	}
}

// TestTwin: the simulated clock gives the same points and answers each time, bit for bit.
func TestTwin(t *testing.T) {
	store := newStore(t)
	l := quickly(5_000, 300_000)
	run(t, store, trial("steady", l))
	l.Answers, l.Limits, l.Simulated = 10_000, []string{"2ms"}, true
	test := trial("steady", l)
	a, b := run(t, store, test), run(t, store, test)
	if len(a.Record.Live.Points) < 2 || !reflect.DeepEqual(a.Record.Live.Points, b.Record.Live.Points) || !reflect.DeepEqual(a.Facts, b.Facts) {
		t.Errorf("two replays differ:\n%+v\n%+v", a.Record.Live.Points, b.Record.Live.Points)
	}
}

// TestSearch: with known service times, the search finds the highest rate that keeps a limit to
// within its precision.
func TestSearch(t *testing.T) {
	store := newStore(t)
	l := quickly(100)
	l.Answers, l.MostSeconds, l.Limits, l.LargestBatch = 10_000, 60, []string{"10ms"}, 1
	measured := run(t, store, trial("steady", specs.Live{Arrivals: specs.Fixed, Rates: []int{100_000}, LargestBatch: 1, Answers: 1200, Seconds: .1, MostSeconds: 2}))
	for _, service := range []float64{1e-6, 3e-5, 1e-3, 9.99e-3, 2e-2} {
		measured.Record.Live.Service = []record.ServiceTime{{Batch: 1, Batches: 1, Seconds: service}}
		if err := Keep(store, []Measured{measured}); err != nil {
			t.Fatal(err)
		}
		l.Simulated, l.Arrivals = true, specs.Fixed
		live := run(t, store, trial("steady", l)).Record.Live
		keeps, misses := live.Bracket(10 * time.Millisecond)
		capacity := 1 / service // at a fixed distance nothing waits up to there
		switch {
		case service > .01 && keeps != 0, capacity <= 167 && keeps != 0:
			t.Errorf("service %g s: it keeps the limit at %d events a second", service, keeps)
		case capacity >= specs.HighestRate && (keeps != specs.HighestRate || misses != 0):
			t.Errorf("service %g s: %d to %d events a second, expected the highest rate", service, keeps, misses)
		case capacity > 167 && capacity < specs.HighestRate && (float64(keeps) > 1.011*capacity || float64(misses) < .99*capacity || float64(misses) > precision*float64(keeps)+1):
			t.Errorf("service %g s: the limit is kept at %d and missed at %d events a second, expected them around %g", service, keeps, misses, capacity)
		}
	}
}

// TestSearchEnds: also where fewer events come than a percentile needs.
func TestSearchEnds(t *testing.T) {
	store := newStore(t)
	measured := run(t, store, trial("steady", quickly(100_000)))
	measured.Record.Live.Service = []record.ServiceTime{{Batch: 1, Batches: 1, Seconds: .02}, {Batch: 100, Batches: 1, Seconds: .02}}
	if err := Keep(store, []Measured{measured}); err != nil {
		t.Fatal(err)
	}
	for _, arrivals := range []specs.Arrivals{specs.Poisson, specs.StreamTimes} {
		l := specs.Live{Arrivals: arrivals, Rates: []int{1_000}, Limits: []string{"10ms"}, LargestBatch: 100, Answers: 10_000, Seconds: 5, MostSeconds: 60, Simulated: true}
		live := run(t, store, trial("steady", l)).Record.Live
		if keeps, misses := live.Bracket(10 * time.Millisecond); keeps != 0 || misses == 0 || len(live.Points) > 5 {
			t.Errorf("%s: %d to %d events a second after %d points", arrivals, keeps, misses, len(live.Points))
		}
	}
}

// TestBetterTryIsKept: of two tries at a rate, the second of which the machine disturbs, the first stays.
func TestBetterTryIsKept(t *testing.T) {
	l := quickly(20_000)
	l.Answers, l.Simulated = 10_000, true
	s := &subject{trial: trial("steady", l), live: l, tick: func(string) {}}
	s.Record.Live = &record.Live{Service: []record.ServiceTime{{Batch: 1, Seconds: 1e-6}, {Batch: 100, Seconds: 1e-5}}}
	loaded, err := harness.LoadDataset("fake", "")
	if err == nil {
		err = s.train(context.Background(), Plan{Threads: 1, Store: newStore(t)}, loaded, harness.NewCutter(loaded))
	}
	for _, late := range []bool{false, true} {
		s.newClock = func() clock {
			c := newSimulated(*s.Record.Live, 100)
			if late {
				return &lateClock{*c}
			}
			return c
		}
		if err == nil {
			err = s.try(context.Background(), 20_000, true)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Record.Live.Points; len(p) != 1 || p[0].Tries != 2 || p[0].Invalid != "" {
		t.Errorf("%+v", p)
	}
}

// TestCheckpoint: a test that finds its model's checkpoint, which the scored trial with the
// same model keeps, answers as one that trains it.
func TestCheckpoint(t *testing.T) {
	for _, kind := range []string{"raw", "dgs", "jodie", "tgn"} {
		t.Run(kind, func(t *testing.T) { checkCheckpoint(t, kind) })
	}
}

func checkCheckpoint(t *testing.T, kind string) {
	trained, stored := newStore(t), newStore(t)
	l := quickly(20_000)
	test := trial(kind, l)
	test.Protocol.Epochs = 2
	measured := run(t, trained, test)
	scored := test.Unloaded()
	scored.KeepsModel = true
	runner := harness.Runner{Store: stored, Workers: 1}
	if _, err := runner.Run(context.Background(), []specs.Trial{scored}); err != nil {
		t.Fatal(err)
	}
	if err := Keep(stored, []Measured{measured}); err != nil {
		t.Fatal(err)
	}
	l.Simulated = true
	test.Case, test.Protocol.Live = l.Case(), &l
	a, b := run(t, trained, test), run(t, stored, test)
	if a.Record.Failed() || !reflect.DeepEqual(a.Facts, b.Facts) {
		t.Errorf("%q: the answers of a checkpoint's model differ from those of one that was trained", a.Record.Error+b.Record.Error)
	}
	if loaded, err := harness.LoadDataset("fake", ""); err != nil {
		t.Fatal(err)
	} else if file, err := harness.Checkpoint(stored, test, loaded, devices.Target{}); err != nil || file == "" {
		t.Errorf("no checkpoint was found: %v", err)
	} else if file, err := harness.Checkpoint(trained, test, loaded, devices.Target{}); err != nil || file != "" {
		t.Errorf("%q was found where there is none: %v", file, err)
	}
}
