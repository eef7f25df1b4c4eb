package tune

import (
	"math"
	"testing"

	"dgsbench/protocol"
	"dgsbench/specs"

	"pgregory.net/rapid"
)

// watched are two searches of two trials each, of which nothing is over, and
// a watch on them that keeps what it told last.
func watched(t *testing.T) (quick, slow *History, w *watch, told *float64) {
	t.Helper()
	nc := specs.Place{Dataset: "shop-sim", Task: protocol.NodeClassification}
	quick, slow, told = searchedAt(t, "raw", nc), searchedAt(t, "dgs", nc), new(float64)
	w = newWatch(Hooks{Progress: func(share float64) { *told = share }}, []*History{quick, slow})
	return quick, slow, w, told
}

// TestWatchGoesByTime: as soon as each study has been seen, the share is that
// of the time, not of the trials: one model's take 99 times as long.
func TestWatchGoesByTime(t *testing.T) {
	quick, slow, w, told := watched(t)
	for i, step := range []struct {
		of      *History
		trial   int
		seconds float64
		want    float64
	}{
		{quick, -1, 1, 1. / 6}, // nothing is known of the other one
		{slow, -1, 99, 1. / 3}, // by the models' own options
		{quick, 0, 1, 101. / 300},
		{quick, 1, 1, 102. / 300},
		{slow, 0, 99, 201. / 300},
		{slow, 1, 99, 1},
	} {
		w.done(step.of.Study, Line{Trial: step.trial, Seconds: step.seconds})
		if math.Abs(*told-step.want) > 1e-12 {
			t.Errorf("after %d trials: %v, want %v", i+1, *told, step.want)
		}
	}
}

// TestWatchLearns: trials of the search count, the model's own options, whose
// sizes are others, no longer.
func TestWatchLearns(t *testing.T) {
	quick, _, w, told := watched(t)
	w.done(quick.Study, Line{Trial: -1, Seconds: 1})
	w.done(quick.Study, Line{Trial: 0, Seconds: 9})
	if want := 10. / (10 + 9 + 3*9); math.Abs(*told-want) > 1e-12 {
		t.Errorf("%v, want %v", *told, want)
	}
}

// TestWatchRunning: half a trial is half of its time; when it is over it
// counts once.
func TestWatchRunning(t *testing.T) {
	quick, slow, w, told := watched(t)
	p := w.begin(quick.Study)
	p.tell(.25)
	p.tell(.5)
	if want := .5 / 6; math.Abs(*told-want) > 1e-12 {
		t.Errorf("half of the first trial: %v, want %v", *told, want)
	}
	p.end()
	w.done(quick.Study, Line{Trial: -1, Seconds: 2})
	if want := 1. / 6; math.Abs(*told-want) > 1e-12 {
		t.Errorf("after it: %v, want %v", *told, want)
	}
	p = w.begin(slow.Study)
	p.tell(.5)
	if want := 1.5 / 6; math.Abs(*told-want) > 1e-12 {
		t.Errorf("half of the second one: %v, want %v", *told, want)
	}
}

// TestWatchFound: what earlier runs have measured tells the pace, and is not
// counted as work of this one.
func TestWatchFound(t *testing.T) {
	nc := specs.Place{Dataset: "shop-sim", Task: protocol.NodeClassification}
	h := searchedAt(t, "raw", nc, Line{Trial: -1, Seconds: 1}, Line{Trial: 0, Seconds: 8})
	var pending, found int
	told := 0.
	w := newWatch(Hooks{Start: func(p, f int) { pending, found = p, f }, Progress: func(share float64) { told = share }}, []*History{h})
	w.begin(h.Study).tell(.5)
	if pending != 1 || found != 2 || told != .5 {
		t.Errorf("%d pending, %d found, share %v", pending, found, told)
	}
}

// TestShare: whatever trials take, it stays between 0 and 1, and is 1 when
// nothing is left.
func TestShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Float64Range(0, 1e4)
		var paces []*pace
		for range rapid.IntRange(1, 4).Draw(t, "studies") {
			p := &pace{left: rapid.IntRange(0, 5).Draw(t, "left"), over: rapid.IntRange(0, 3).Draw(t, "over"), own: seconds.Draw(t, "own")}
			p.seconds = float64(p.over) * seconds.Draw(t, "each")
			p.running = float64(p.left) * rapid.Float64Range(0, 1).Draw(t, "running")
			paces = append(paces, p)
		}
		spent := seconds.Draw(t, "spent")
		if got := share(spent, paces); !(got >= 0 && got <= 1+1e-12) {
			t.Fatalf("share %v", got)
		}
		for _, p := range paces {
			p.left, p.running = 0, 0
		}
		if got := share(spent, paces); got != 1 {
			t.Fatalf("share %v at the end", got)
		}
	})
}
