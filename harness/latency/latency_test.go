package latency

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"dgsbench/kernels/devices"
	"dgsbench/models"
	_ "dgsbench/models/standard"
	"dgsbench/results/record"
	"dgsbench/specs"
)

var silent = Hooks{Start: func(int) {}, Step: func(string, time.Duration) {}}

func measure(t *testing.T, seed uint64, trials ...specs.Trial) []Measured {
	t.Helper()
	var all []Measured
	err := Run(context.Background(), Plan{Trials: trials, Threads: 1, Seed: seed}, silent, func(some []Measured) error {
		all = append(all, some...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFaultsAreNoticed: everything that could make a time dishonest is said
// beside it, or fails the model; and a model without fault has no warning
// about what does not depend on the machine's load.
func TestFaultsAreNoticed(t *testing.T) {
	for name, want := range map[string]string{
		"allocates":                            "were allocated in a timed iteration",
		"makes a buffer late":                  "were allocated in a timed iteration",
		"collects garbage":                     "garbage was collected",
		"is slow at its very first answer":     "its very first answer",
		"starts cold":                          "the first batch after the start of the clock takes",
		"is slow in the first timed iteration": "the first timed iteration took",
		"answers differently when timed":       "the timed run answers event 3503 with",
		"errs at the very end when timed":      "the timed run answers event 3999 with",
		"silent when timed":                    "the timed run answers event 3500 with 0",
		"forgetful":                            "the timed run answers event 3500 with",
	} {
		t.Run(name, func(t *testing.T) {
			r := measure(t, 1, trial(name))[0].Record
			said := r.Error
			for _, timing := range r.Latency.Timings {
				said += strings.Join(timing.Warnings, "; ")
			}
			if !strings.Contains(said, want) {
				t.Errorf("it says %q, expected %q", said, want)
			}
		})
	}
}

// TestNoFaultNoWarning: what does not depend on the machine's load.
func TestNoFaultNoWarning(t *testing.T) {
	r := measure(t, 1, trial("good"))[0].Record
	if r.Failed() || len(r.Latency.Timings) != 1 {
		t.Fatalf("%q, %+v", r.Error, r.Latency)
	}
	for _, warning := range r.Latency.Timings[0].Warnings {
		if strings.Contains(warning, "allocated") || strings.Contains(warning, "garbage") {
			t.Errorf("warning: %s", warning)
		}
	}
}

// TestNoGarbageBeforeTheClock: what putting the state back leaves is collected
// before the lead-in.
func TestNoGarbageBeforeTheClock(t *testing.T) {
	if r := measure(t, 1, trial("litterer"))[0].Record; r.Failed() {
		t.Error(r.Error)
	}
}

// TestDeployed: what is put back and timed is the deployed form.
func TestDeployed(t *testing.T) {
	order = nil
	test := trial("heavy")
	test.Deployed = true
	if r := measure(t, 1, test)[0].Record; r.Failed() {
		t.Fatal(r.Error)
	}
	want := append([]string{"heavy"}, slices.Repeat([]string{"lean"}, 6)...)
	if !slices.Equal(order, want) {
		t.Errorf("put back: %q, expected %q", order, want)
	}
}

// headline is the array of the headline's times.
var headline = record.Timing{Batch: fakeBatch}.Array()

// TestFailedModelDoesNotStopTheOthers.
func TestFailedModelDoesNotStopTheOthers(t *testing.T) {
	all := measure(t, 1, trial("forgetful"), trial("good"))
	if !all[0].Record.Failed() || all[1].Record.Failed() || len(all[1].Times[headline]) != 5*fakeBatches {
		t.Errorf("errors %q and %q, %d samples", all[0].Record.Error, all[1].Record.Error, len(all[1].Times[headline]))
	}
}

// TestFaultsFailTheirModel: a panic, answers that are not finite and data that
// cannot be derived have records that say so, and the others are timed.
func TestFaultsFailTheirModel(t *testing.T) {
	underivable := trial("good")
	underivable.Dataset = "underivable"
	want := []string{
		"infinite: score of event 3500 is +Inf", "panicking: panic in latency.init.func", "panicking at once: panic in latency.init.func",
		"", "good: dataset underivable: event 0: log1p of feature 1 is not finite",
	}
	all := measure(t, 1, trial("infinite"), trial("panicking"), trial("panicking at once"), trial("good"), underivable)
	if len(all) != len(want) {
		t.Fatalf("%d records, expected %d", len(all), len(want))
	}
	for i, m := range all {
		if !strings.HasPrefix(m.Record.Error, want[i]) || m.Record.Failed() != (want[i] != "") {
			t.Errorf("%s: %q, expected %q", m.Record.Key, m.Record.Error, want[i])
		}
	}
}

// TestModelsWithoutRoom are refused with the numbers before any is built: there
// are three states of each at once.
func TestModelsWithoutRoom(t *testing.T) {
	err := Run(context.Background(), Plan{Trials: []specs.Trial{trial("good"), trial("vast")}, Threads: 1}, silent, func([]Measured) error { return nil })
	if want := "the 2 models on fake together: needs 1441151880.8 GB of memory, "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, expected %q", err, want)
	}
}

// newTested builds the instance of a trial's headline.
func newTested(t *testing.T, test specs.Trial) *instance {
	t.Helper()
	s, err := newSubject(test, loadFake(t), devices.Target{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	in := &instance{subject: s, timing: s.timings[0]}
	if err := in.setUp(); err != nil {
		t.Fatal(err)
	}
	return in
}

// TestLateClockIsNoticed: a stopwatch that starts late, or stops in between,
// misses time that the clock around it does not.
func TestLateClockIsNoticed(t *testing.T) {
	for name, late := range map[string]int{"starts late": 0, "misses a batch": 7} {
		t.Run(name, func(t *testing.T) {
			in := newTested(t, trial("good"))
			var all []observation
			for range 3 {
				reads, lost, start := 0, time.Duration(0), time.Now()
				in.now = func() time.Duration {
					if reads == late {
						before := time.Now()
						time.Sleep(20 * time.Millisecond)
						lost = time.Since(before)
					}
					reads++
					return time.Since(start) - lost
				}
				o, err := in.iterate()
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, o)
			}
			if said := strings.Join(warnings(all, 0), "; "); !strings.Contains(said, "the samples cover only") {
				t.Errorf("coverage %.3f, warnings %q", coverage(all), said)
			}
		})
	}
}

// TestTimedPartAllocatesNothing, the harness' own code included, with
// real models.
func TestTimedPartAllocatesNothing(t *testing.T) {
	for _, kind := range []string{"good", "raw", "dgs", "graphsprints", "tgn", "jodie"} {
		t.Run(kind, func(t *testing.T) {
			test := trial("good")
			k, err := models.Lookup(kind)
			if err != nil {
				t.Fatal(err)
			}
			test.Kind, test.Options = k, k.Options()
			in := newTested(t, test)
			if n := testing.AllocsPerRun(3, func() {
				if err := in.timed(); err != nil {
					t.Error(err)
				}
			}); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

// TestSamplesAreTheTime: batches that sleep take what they sleep, and their sum
// is what the iteration takes.
func TestSamplesAreTheTime(t *testing.T) {
	in := newTested(t, trial("starts cold"))
	o, err := in.iterate()
	if err != nil {
		t.Fatal(err)
	}
	if first := time.Duration(o.samples[0]); first < 5*time.Millisecond {
		t.Errorf("a batch that sleeps 5 ms takes %v", first)
	}
	if sum := time.Duration(total(o) * 1e9); sum > o.wall {
		t.Errorf("the batches take %v, the whole %v", sum, o.wall)
	}
}

// TestSamplesLeaveNothingOut: whatever passes from the first reading of the
// clock to the last is in a sample.
func TestSamplesLeaveNothingOut(t *testing.T) {
	in := newTested(t, trial("good"))
	var clock time.Duration
	var read []time.Duration
	in.now = func() time.Duration {
		clock += time.Millisecond // a reading takes time, too
		read = append(read, clock)
		return clock
	}
	if err := in.timed(); err != nil {
		t.Fatal(err)
	}
	if sum, all := total(observation{samples: in.samples}), (read[len(read)-1] - read[0]).Seconds(); math.Abs(sum-all) > 1e-12 || all <= 0 {
		t.Errorf("the samples are %v s together, the clock has run for %v", sum, all)
	}
}

// TestTurns: in every round each model has one turn, in an order that the seed
// decides and that changes from round to round.
func TestTurns(t *testing.T) {
	turns := func(seed uint64) []string {
		order = nil
		measure(t, seed, trial("good"), trial("good too"))
		return order[2:] // each was put back once when it was built
	}
	first := turns(1)
	both := map[string]int{}
	for round := range slices.Chunk(first, 2) {
		if len(round) != 2 || round[0] == round[1] {
			t.Fatalf("a round of %q", round)
		}
		both[round[0]]++
	}
	if len(first) != 2*6 || len(both) != 2 {
		t.Errorf("%d turns, %v were first in a round", len(first), both)
	}
	if again := turns(1); !slices.Equal(first, again) {
		t.Errorf("%q and %q with the same seed", first, again)
	}
}

// TestTimings: which events are measured.
func TestTimings(t *testing.T) {
	p := specs.Protocol{Batch: 200, Latency: &specs.Latency{
		Batches: 200, Iterations: 10, Warmups: 1, Lead: 2_000, Sweep: []int{1, 200, 10_000}, SweepBatches: 10_000, SweepIterations: 3,
	}}
	got, err := timings(p, 157_474)
	want := []timing{
		{batch: 200, batches: 200, warmups: 1, iterations: 10, start: 117_474, first: 115_474},
		{batch: 1, batches: 10_000, warmups: 1, iterations: 3, start: 117_474, first: 115_474},
		{batch: 10_000, batches: 4, warmups: 1, iterations: 3, start: 117_474, first: 107_474},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v, expected %+v", got, err, want)
	}
	p.Batch, p.Latency.Sweep = 300, []int{7} // the lead-in is in whole batches, and no shorter
	got, err = timings(p, 157_474)
	want = []timing{
		{batch: 300, batches: 200, warmups: 1, iterations: 10, start: 97_474, first: 97_474 - 7*300},
		{batch: 7, batches: 60_000 / 7, warmups: 1, iterations: 3, start: 97_474, first: 97_474 - 286*7},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("batches that do not divide the lead-in: got %+v, %v, expected %+v", got, err, want)
	}
	p.Batch, p.Latency.Known, p.Latency.Sweep = 200, true, nil
	got, err = timings(p, 157_474)
	want = []timing{{batch: 200, batches: 200, known: true, warmups: 1, iterations: 10, start: 117_474, first: 115_474}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("known in advance: got %+v, %v, expected %+v", got, err, want)
	}
	p.Latency.Known, p.Latency.Sweep = false, []int{1, 200, 10_000}
	if _, err := timings(p, 50_000); err == nil || !strings.Contains(err.Error(), "50000 events, expected more than 50000") {
		t.Errorf("a stream that is too short: %v", err)
	}
	p.Latency.Sweep = []int{50_000}
	if _, err := timings(p, 157_474); err == nil || !strings.Contains(err.Error(), "batches of 50000 events") {
		t.Errorf("a batch that is too large: %v", err)
	}
}

// TestCancel: it stops between iterations.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	h := silent
	h.Step = func(string, time.Duration) { cancel() }
	err := Run(ctx, Plan{Trials: []specs.Trial{trial("good")}, Threads: 1}, h, func([]Measured) error {
		t.Error("something is kept")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestRecords: what is kept can be read, and says of which dataset the paper's
// times are.
func TestRecords(t *testing.T) {
	all := measure(t, 1, trial("good"))
	store := record.Store{Dir: t.TempDir()}
	if err := Keep(store, all); err != nil {
		t.Fatal(err)
	}
	records, incomplete, err := store.Load("fakes")
	if err != nil || len(records) != 1 || len(incomplete) != 0 {
		t.Fatal(records, incomplete, err)
	}
	times, err := store.Times(records[0])
	if err != nil || !slices.Equal(times[headline], all[0].Times[headline]) {
		t.Errorf("%d times, %v", len(times[headline]), err)
	}
	if r := records[0]; r.PaperName != "Wikipedia" || r.Threads != 1 || r.Latency.Mode != record.Streaming {
		t.Errorf("%+v", r)
	}
	timings := NewSummary(Plan{Threads: 1}, all).Models[0].Timings
	if len(timings) != 1 || timings[0].Mode != record.Streaming { // no graph
		t.Fatalf("%+v", timings)
	}
	report := timings[0]
	if len(report.Iterations) != 5 || !(report.P50 <= report.P99 && report.P99 <= report.Max && report.P50 > 0) {
		t.Errorf("%+v", report)
	}
}
