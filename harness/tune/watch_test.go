package tune

import (
	"math"
	"path/filepath"
	"testing"

	"dgsbench/protocol"
	"dgsbench/specs"

	"pgregory.net/rapid"
)

// searchIn is a search of a history, with a folder to write to.
func searchIn(t *testing.T, h *History) *search {
	t.Helper()
	h.out = t.TempDir()
	h.file = filepath.Join(h.out, "h.jsonl")
	s, err := newSearch(h)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// end gives the queue the result of the search's next trial.
func end(t *testing.T, q *queue, s *search, seconds float64) {
	t.Helper()
	task := s.begin()
	if err := q.end(task, Line{Trial: task.number, Values: task.values, Seconds: seconds}); err != nil {
		t.Fatal(err)
	}
}

// watched are two searches of two trials each, of which nothing is over, and
// a queue of them that keeps what it told last.
func watched(t *testing.T) (quick, slow *search, q *queue, told *float64) {
	t.Helper()
	nc := specs.Place{Dataset: "shop-sim", Task: protocol.NodeClassification}
	quick, slow, told = searchIn(t, searchedAt(t, "raw", nc)), searchIn(t, searchedAt(t, "dgs", nc)), new(float64)
	hooks := Hooks{Progress: func(share float64) { *told = share }, Done: func(Study, Line) {}}
	q = &queue{hooks: hooks, searches: []*search{quick, slow}, atOnce: 1}
	return quick, slow, q, told
}

// TestWatchGoesByTime: as soon as each study has been seen, the share is that
// of the time, not of the trials: one model's take 99 times as long.
func TestWatchGoesByTime(t *testing.T) {
	quick, slow, q, told := watched(t)
	for i, step := range []struct {
		of      *search
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
		end(t, q, step.of, step.seconds)
		if math.Abs(*told-step.want) > 1e-12 {
			t.Errorf("after %d trials: %v, want %v", i+1, *told, step.want)
		}
	}
}

// TestWatchLearns: trials of the search count, the model's own options, whose
// sizes are others, no longer.
func TestWatchLearns(t *testing.T) {
	quick, _, q, told := watched(t)
	end(t, q, quick, 1)
	end(t, q, quick, 9)
	if want := 10. / (10 + 9 + 3*9); math.Abs(*told-want) > 1e-12 {
		t.Errorf("%v, want %v", *told, want)
	}
}

// TestWatchRunning: half a trial is half of its time; when it is over it
// counts once.
func TestWatchRunning(t *testing.T) {
	quick, slow, q, told := watched(t)
	one := quick.begin()
	q.progress(one, .25)
	q.progress(one, .5)
	if want := .5 / 6; math.Abs(*told-want) > 1e-12 {
		t.Errorf("half of the first trial: %v, want %v", *told, want)
	}
	if err := q.end(one, Line{Trial: -1, Seconds: 2}); err != nil {
		t.Fatal(err)
	}
	if want := 1. / 6; math.Abs(*told-want) > 1e-12 {
		t.Errorf("after it: %v, want %v", *told, want)
	}
	q.progress(slow.begin(), .5)
	if want := 1.5 / 6; math.Abs(*told-want) > 1e-12 {
		t.Errorf("half of the second one: %v, want %v", *told, want)
	}
}

// TestWatchFound: what earlier runs have measured tells the pace, and is not
// counted as work of this one.
func TestWatchFound(t *testing.T) {
	nc := specs.Place{Dataset: "shop-sim", Task: protocol.NodeClassification}
	earlier := searchIn(t, searchedAt(t, "raw", nc, Line{Trial: -1, Seconds: 1}, Line{Trial: 0, Seconds: 8}))
	told := 0.
	q := &queue{hooks: Hooks{Progress: func(share float64) { told = share }}, searches: []*search{earlier}, atOnce: 1}
	q.progress(earlier.begin(), .5)
	if pending, found := earlier.left(), len(earlier.Lines); pending != 1 || found != 2 || told != .5 {
		t.Errorf("%d pending, %d found, share %v", pending, found, told)
	}
}

// TestShare: whatever trials take, it stays between 0 and 1, and is 1 when
// nothing is left.
func TestShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Float64Range(0, 1e4)
		q := &queue{spent: seconds.Draw(t, "spent")}
		for range rapid.IntRange(1, 4).Draw(t, "studies") {
			left := rapid.IntRange(0, 5).Draw(t, "left")
			s := &search{History: &History{Study: Study{Trials: left - 1}}, each: seconds.Draw(t, "each")}
			s.shares = float64(left) * rapid.Float64Range(0, 1).Draw(t, "running")
			q.searches = append(q.searches, s)
		}
		if got := q.share(); !(got >= 0 && got <= 1+1e-12) {
			t.Fatalf("share %v", got)
		}
		for _, s := range q.searches {
			s.Study.Trials, s.shares = -1, 0
		}
		if got := q.share(); got != 1 {
			t.Fatalf("share %v at the end", got)
		}
	})
}
