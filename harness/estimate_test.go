package harness

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"

	"pgregory.net/rapid"
)

// vast is a model that would take more memory than there is.
func init() {
	models.Register(models.Kind{
		Name: "vast", Class: protocol.Learned, Tasks: []protocol.Task{protocol.NodeClassification},
		Options: func() models.Options { return &noOptions{} },
		Bytes:   func(models.Setup, models.Options) int64 { return 1 << 60 },
		New:     func(models.Setup, models.Options) (models.Model, error) { panic("built") },
	})
}

// stateRules are all that a protocol can have.
var stateRules = [][]specs.StateRule{{specs.Carry}, {specs.Replay}, {specs.Carry, specs.Replay}}

// countWindows is how many windows a trial goes through.
func countWindows(trial specs.Trial, parts datasets.Parts) (n int) {
	for _, pass := range passesOf(trial, parts) {
		n += pass.windows()
	}
	return n
}

// TestScaledCountsWindows: if every window took a second, a trial would take
// as many seconds as it has windows, whatever the protocol.
func TestScaledCountsWindows(t *testing.T) {
	trial := suiteTrials(t, "name: scaled\ntitle: scaled\nruns: [{task: nc, datasets: [toy], models: [raw]}]\n")[0]
	parts := partsOf(t, trial)
	second := pace{1, 1, 1, 1, 1, 1}
	rapid.Check(t, func(t *rapid.T) {
		trial := trial
		trial.Kind.Class = rapid.SampledFrom([]protocol.Class{protocol.Learned, protocol.ZeroParameter}).Draw(t, "class")
		trial.Protocol.Batch = rapid.IntRange(1, 700).Draw(t, "batch")
		trial.Protocol.Epochs = rapid.IntRange(1, 9).Draw(t, "epochs")
		trial.Protocol.TestState = rapid.SampledFrom(stateRules).Draw(t, "state")
		if sizes := rapid.SliceOfN(rapid.IntRange(1, 500), 0, 3).Draw(t, "sizes"); len(sizes) < 2 || len(trial.Protocol.TestState) < 2 {
			trial.Protocol.EvaluationBatch = sizes
		}
		if got, want := second.scaled(trial, parts), countWindows(trial, parts); got != float64(want) {
			t.Fatalf("%v seconds, expected %d", got, want)
		}
	})
	n := func(events int) float64 { return math.Ceil(float64(events) / float64(trial.Protocol.Batch)) }
	want := float64(trial.Protocol.Epochs)*(n(parts.Train.Len())+n(parts.Val.Len())) + n(parts.Test.Len())
	if got := second.scaled(trial, parts); got != want {
		t.Errorf("carried on: %v seconds, expected %v", got, want)
	}
	for _, state := range stateRules {
		trial.Protocol.TestState = state
		want := float64(trial.Protocol.Epochs) * (n(parts.Train.Len()) + n(parts.Val.Len()))
		if state[0] == specs.Replay {
			want += float64(trial.Protocol.Epochs) * n(parts.Train.Len())
		}
		if got := second.scaled(trial, WithoutTest(parts)); got != want {
			t.Errorf("training alone, test state %s: %v seconds, expected %v", state, got, want)
		}
	}
}

// TestRehearse: every trial has a time and a size, but one that fails has a
// reason, and one that has no room is not built.
func TestRehearse(t *testing.T) {
	var list []*Estimate
	for _, trial := range toySuite(t) {
		if trial.Seed > 0 {
			continue
		}
		parts := partsOf(t, trial)
		list = append(list, &Estimate{Trial: trial, Parts: parts})
	}
	large := *list[0]
	large.Trial.Kind = kindOf("vast")
	list = append(list, &large)
	done := 0
	if err := EstimateAll(context.Background(), list, 2, time.Millisecond, 1<<40, func() { done++ }); err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		fails, vast := r.Trial.Kind.Name == "broken", r.Trial.Kind.Name == "vast"
		switch {
		case (r.Err != nil) != (fails || vast):
			t.Errorf("%s: error %v", r.Trial.Ref(), r.Err)
		case vast && (r.Bytes < 1<<60 || r.Seconds != 0):
			t.Errorf("it has no room: %+v", r.Cost)
		case !fails && !vast && !(r.Seconds > 0 && r.Seconds < 60 && r.Bytes > 0):
			t.Errorf("%s: %+v", r.Trial.Ref(), r.Cost)
		}
	}
	if done != len(list) {
		t.Errorf("%d of %d reported", done, len(list))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := EstimateAll(ctx, list, 1, time.Millisecond, 1<<40, func() {}); err == nil {
		t.Error("a cancelled rehearsal has no error")
	}
}

// TestUndisturbed: others that take the processor for two of three windows,
// or cold caches at the start, change little; what all windows take counts.
func TestUndisturbed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		took := make([]float64, fewestTimes)
		for i := range took {
			took[i] = rapid.Float64Range(1, 1.1).Draw(t, "alone")
			if i < len(took)/4 || i%3 > 0 {
				took[i] *= rapid.Float64Range(1, 15).Draw(t, "slowed")
			}
		}
		if got := undisturbed(took); got < 1 || got > 1.1 {
			t.Fatalf("%v, expected 1 to 1.1 of %v", got, took)
		}
	})
	if got := undisturbed([]float64{9, 9, 4, 1, 2, 3, 5, 6}); got != 2 {
		t.Errorf("%v, expected the lower quartile of what comes after the first two", got)
	}
	if got := undisturbed(nil); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// TestRehearseOnlyWhatIsDone: a trial that neither replays nor has a test part
// observes nothing, so no time goes into trying that out.
func TestRehearseOnlyWhatIsDone(t *testing.T) {
	trial := suiteTrials(t, "name: observed\ntitle: observed\nruns: [{task: nc, datasets: [toy], models: [raw]}]\n")[0]
	parts := partsOf(t, trial)
	for _, c := range []struct {
		parts datasets.Parts
		rules []specs.StateRule
		want  bool
	}{
		{WithoutTest(parts), stateRules[0], false},
		{WithoutTest(parts), stateRules[1], true},
		{WithoutTest(parts), stateRules[2], false},
		{parts, stateRules[0], false},
		{parts, stateRules[1], true},
		{parts, stateRules[2], true},
	} {
		trial.Protocol.TestState = c.rules
		run, err := newRun(trial, c.parts, devices.Target{}, 1, func() {})
		if err != nil {
			t.Fatal(err)
		}
		p, err := run.pace(context.Background(), time.Millisecond)
		if got := p[observePhase] > 0; err != nil || got != c.want || p[trainPhase] <= 0 || p[validatePhase] <= 0 {
			t.Errorf("state %s, %d test events: %+v, %v", c.rules, c.parts.Test.Len(), p, err)
		}
	}
}

// TestRehearseStops: a window is the most that happens after a cancellation.
func TestRehearseStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	seen := 0
	_, err := TypicalTime(ctx, 10, time.Hour, func(int) error {
		seen++
		cancel()
		return nil
	})
	if seen != 1 || err == nil {
		t.Errorf("%d windows, error %v", seen, err)
	}
}

// TestEnoughTimes: twelve windows at least, but not when each takes long.
func TestEnoughTimes(t *testing.T) {
	const budget = 50 * time.Millisecond
	for _, c := range []struct {
		n      int
		within time.Duration
		want   bool
	}{
		{11, 2 * budget, false},
		{12, 2 * budget, true},
		{12, budget / 2, false},
		{2, time.Minute, false},
		{3, time.Minute, true},
		{3, longEnough - 1, false},
	} {
		if got := enoughTimes(c.n, c.within, budget); got != c.want {
			t.Errorf("%d times in %v: %v", c.n, c.within, got)
		}
	}
}

// TestWarmUp: the model is brought to the middle of the training part, where it
// trains on some windows.
func TestWarmUp(t *testing.T) {
	trial := suiteTrials(t, "name: warm\ntitle: warm\nruns: [{task: nc, datasets: [toy], models: [dgs]}]\n")[0]
	trial.Protocol.Batch = 7
	parts := partsOf(t, trial)
	run, err := newRun(trial, parts, devices.Target{}, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	windows := numWindows(parts.Train, 7)
	first, n, err := run.warmUp(context.Background(), 20*time.Millisecond)
	if err != nil || first != windows/2 || n < min(fewestTimes, windows-first) || first+n > windows {
		t.Errorf("%d windows from %d on, of %d: %v", n, first, windows, err)
	}
	if got, want := run.told, parts.Train.EventID(first*7); got > want {
		t.Errorf("labels of %d events were told, expected at most %d: those before the middle", got, want)
	}
	p, err := run.paceFrom(context.Background(), run.teaching(first, n), time.Millisecond)
	if err != nil || p[trainPhase] <= 0 {
		t.Errorf("%v, %v", p, err)
	}
}

// TestTeaching: windows without labels are not timed, unless there are no others.
func TestTeaching(t *testing.T) {
	const none, some = datasets.Unlabelled, 1
	r := &run{spec: specs.Trial{Task: protocol.NodeClassification, Protocol: specs.Protocol{Batch: 2}}}
	r.parts.Train = datasets.Stream{
		Src: make([]int32, 7), Dst: make([]int32, 7), Time: make([]float64, 7), Label: []int8{none, none, none, some, 0, none, none},
	}
	for _, c := range []struct {
		first, n int
		want     []int
	}{{0, math.MaxInt, []int{1, 2}}, {2, 1, []int{2}}, {3, 5, []int{3}}, {0, 1, []int{0}}} {
		if got := r.teaching(c.first, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%d windows from %d on: %v, expected %v", c.n, c.first, got, c.want)
		}
	}
	r.spec.Task = protocol.LinkPrediction
	if got := r.teaching(1, math.MaxInt); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("link prediction: %v, expected every window", got)
	}
}

// TestStoppedEarly: training that may stop early has patience and one epoch at
// least.
func TestStoppedEarly(t *testing.T) {
	for _, c := range []struct{ epochs, patience, want int }{{50, 10, 11}, {5, 10, 5}, {50, 0, 50}} {
		trial := specs.Trial{Protocol: specs.Protocol{Epochs: c.epochs, Patience: c.patience}}
		if got := stoppedEarly(trial).Protocol.Epochs; got != c.want {
			t.Errorf("%d epochs with patience %d: %d, expected %d", c.epochs, c.patience, got, c.want)
		}
	}
}
