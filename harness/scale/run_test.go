package scale

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/table"

	"github.com/google/go-cmp/cmp"
)

// quiet hooks do nothing.
var quiet = Hooks{Start: func(int) {}, Progress: func(float64) {}, Done: func(Point, time.Duration) {}}

func measure(t *testing.T, p Plan) Result {
	t.Helper()
	r, err := Run(t.Context(), p, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWhatTheModelSees: after Reset the stream from its start, in batches of
// the size asked for, worked off as evaluation and training do.
func TestWhatTheModelSees(t *testing.T) {
	for name, c := range map[string]struct {
		mode       Mode
		task       protocol.Task
		candidates protocol.CandidateSet
		want       []string
	}{
		"classify": {Inference, "nc", protocol.Destinations, []string{"classify 0-19", "learn 20 0-19", "classify 20-39", "learn 20 20-39", "classify 40-49"}},
		"train":    {Training, "nc", protocol.Destinations, []string{"train with 0 negatives 0-19", "train with 0 negatives 20-39", "train with 0 negatives 40-49"}},
		"train links": {Training, "lp", protocol.Destinations, []string{
			"train with 20 negatives 0-19", "train with 20 negatives 20-39", "train with 10 negatives 40-49",
		}},
		"rank": {Inference, "lp", protocol.Destinations, []string{
			"rank against 36-39 0-19", "observe 0-19", "rank against 36-39 20-39", "observe 20-39", "rank against 36-39 40-49", "observe 40-49",
		}},
		"rank all": {Inference, "lp", protocol.AllNodes, []string{
			"rank against 0-39 0-19", "observe 0-19", "rank against 0-39 20-39", "observe 20-39", "rank against 0-39 40-49", "observe 40-49",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := small(t, "witness", "length=50")
			p.Mode, p.Task, p.Candidates, p.Base.Threads, p.Seed = c.mode, c.task, c.candidates, 3, 9
			r := measure(t, p)
			point := r.Points[0]
			if want := map[string]protocol.CandidateSet{"rank": protocol.Destinations, "rank all": protocol.AllNodes}[name]; r.Candidates != want {
				t.Errorf("candidates %q, expected %q", r.Candidates, want)
			}
			if point.Failed() || point.Params != 3 || !(point.Micros > 0) || point.Low > point.Micros || point.High < point.Micros {
				t.Errorf("point %+v", point)
			}
			w := witnesses[len(witnesses)-1]
			if diff := cmp.Diff(c.want, w.log[:len(c.want)]); diff != "" {
				t.Errorf("expected (-) and seen (+):\n%s", diff)
			}
			s := w.setup
			if s.NumNodes != 40 || s.Users != 36 || s.NumFeat != 2 || s.MaxBatch != 20 || s.Threads != 3 || s.Seed != 9 || s.Task != c.task || s.Train.Len() == 0 || s.Train.Label != nil {
				t.Errorf("setup %+v", s)
			}
		})
	}
}

// TestAxes: each value changes its own part of the base alone.
func TestAxes(t *testing.T) {
	p := small(t, "witness", "length=30,1e2", "nodes=50", "features=5", "batch=10", "threads=2", "option:fail_at=1000,2000")
	before := len(witnesses)
	r := measure(t, p)
	base := p.Base
	var want []Size
	for _, change := range []func(*Size){
		func(s *Size) { s.Events = 30 },
		func(s *Size) { s.Events = 100 },
		func(s *Size) { s.Nodes = 50 },
		func(s *Size) { s.Features = 5 },
		func(s *Size) { s.Batch = 10 },
		func(s *Size) { s.Threads = 2 },
		func(*Size) {}, func(*Size) {},
	} {
		s := base
		change(&s)
		want = append(want, s)
	}
	var got []Size
	for _, point := range r.Points {
		if Axis(point.Axis).label() == "" {
			t.Errorf("axis %s has no label", point.Axis)
		}
		got = append(got, point.Size)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("expected (-) and measured (+):\n%s", diff)
	}
	var failAt, threads []int
	for _, w := range witnesses[before:] {
		failAt, threads = append(failAt, w.FailAt), append(threads, w.setup.Threads)
	}
	if !slices.Equal(failAt, []int{0, 0, 0, 0, 0, 0, 1000, 2000}) || !slices.Equal(threads, []int{1, 1, 1, 1, 1, 2, 1, 1}) {
		t.Errorf("option fail_at was %v, threads %v", failAt, threads)
	}
}

// TestFailedPoint: it says why, and the others are measured.
func TestFailedPoint(t *testing.T) {
	p := small(t, "witness", "option:fail_at=0,25,0")
	p.Base.Events = 4_000 // beyond what warms up
	r := measure(t, p)
	if r.Failed() != 1 || len(r.Points) != 3 || r.Points[1].Error != "failed at event 25" {
		t.Fatalf("points %+v", r.Points)
	}
	if n := len(r.pointsByAxis()[0]); n != 2 {
		t.Errorf("%d points in the figure, expected the two that did not fail", n)
	}
	var csv bytes.Buffer
	if err := r.WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	if line := strings.Split(csv.String(), "\n")[2]; !strings.HasSuffix(line, ",0,0,,,,,,,,,failed at event 25,1") {
		t.Errorf("the failed point has measurements: %s", line)
	}
	if out := r.Table(); slices.ContainsFunc(out.Columns, func(c table.Column) bool { return c.Head == "card MB" }) || strings.Contains(out.Title, "on a card") {
		t.Errorf("a run on the processor has the table of a card: %q, %v", out.Title, out.Columns)
	}
}

// TestHooks: progress grows to 1, every point is announced once.
func TestHooks(t *testing.T) {
	var shares []float64
	var done []string
	points := 0
	_, err := Run(t.Context(), small(t, "witness", "length=5000,10000", "nodes=60"), Hooks{
		Start:    func(n int) { points = n },
		Progress: func(share float64) { shares = append(shares, share) },
		Done:     func(p Point, _ time.Duration) { done = append(done, p.Axis+"="+p.Value) },
	})
	if err != nil || points != 3 || !slices.Equal(done, []string{"length=5000", "length=10000", "nodes=60"}) {
		t.Errorf("%v, %d points, done %v", err, points, done)
	}
	if len(shares) < 8 || !slices.IsSorted(shares) || shares[len(shares)-1] != 1 {
		t.Errorf("progress %v", shares)
	}
}

// TestInterrupted: what is finished is kept.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := quiet
	h.Done = func(Point, time.Duration) { cancel() }
	r, err := Run(ctx, small(t, "witness", "length=30,40,50"), h)
	if !errors.Is(err, context.Canceled) || len(r.Points) != 1 || r.Points[0].Value != "30" {
		t.Errorf("%v, points %+v", err, r.Points)
	}
}

// TestWrongPlans: one message before anything is measured.
func TestWrongPlans(t *testing.T) {
	for _, c := range []struct {
		model, sweep string
		change       func(*Plan)
		want         string
	}{
		{"witness", "option:fail=1", nil, `option:fail=1: model "witness" has no option "fail"`},
		{"witness", "option:fail_at=soon", nil, "option:fail_at=soon: "},
		{"dgs", "option:size=7", nil, "blocks is 50, expected a divisor of size 7"},
		{"witness", "nodes=100,5", nil, "nodes=5: nodes is 5, expected 10 to"},
		{"witness", "batch=0", nil, "batch is 0, expected 1 to"},
		{"witness", "threads=0", nil, "threads is 0, expected 1 to"},
		{"witness", "length=0", nil, "length is 0, expected 1 to"},
		{"witness", "features=0", nil, `features is 0, but model "witness" needs some`},
		{"user-count", "length=5", func(p *Plan) { p.Mode = Training }, `model "user-count" has nothing to train`},
		{"user-count", "length=5", func(p *Plan) { p.Task = "lp" }, `model "user-count" cannot do task "lp"; it can do [nc]`},
		{"oracle", "length=5", nil, `model "oracle" knows the hidden state of simulated streams, and the stream of a sweep has none`},
		{"witness", "length=5", func(p *Plan) { p.Mode = "both" }, `mode is "both", expected inference or training`},
		{"witness", "length=5", func(p *Plan) { p.Candidates = "some" }, `candidates is "some", expected destinations or all_nodes`},
		{"witness", "length=5", func(p *Plan) { p.Variant = "brokn" }, `did you mean "broken"?`},
		{"witness", "length=5", func(p *Plan) { p.Sweeps = nil }, "no sweep, expected at least one such as length=1000,10000"},
	} {
		p := small(t, c.model, c.sweep)
		if c.change != nil {
			c.change(&p)
		}
		before := len(witnesses)
		_, err := Run(t.Context(), p, quiet)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(witnesses) > before {
			t.Errorf("%s, %s: %v after %d points, expected %q before the first", c.model, c.sweep, err, len(witnesses)-before, c.want)
		}
	}
}

func TestParseSweep(t *testing.T) {
	got := sweepsOf(t, "length=1e4,100000", "option:head.hidden=[8],relu")
	want := []Sweep{{Length, []string{"10000", "100000"}}, {"option:head.hidden", []string{"[8]", "relu"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("expected (-) and read (+):\n%s", diff)
	}
	for text, want := range map[string]string{
		"length":          "expected AXIS=VALUE,VALUE",
		"length=":         "expected AXIS=VALUE,VALUE",
		"lenght=5":        `did you mean "length"?`,
		"size=5":          "known: length, nodes, features, batch, threads, option:NAME",
		"length=5,many":   `expected a whole number such as 200 or 1e6, found "many"`,
		"length=1.5":      `found "1.5"`,
		"length=-1":       `found "-1"`,
		"length=1e300":    `found "1e300"`,
		"length=NaN":      `found "NaN"`,
		"length=0x10":     `found "0x10"`,
		"length=-0":       `found "-0"`,
		"length=5,1e1,10": "10 is listed twice",
	} {
		if _, err := ParseSweep(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
}

// TestJSON: a report survives it.
func TestJSON(t *testing.T) {
	want := fixed()
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Result
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	same := cmp.Comparer(func(a, b optional.Number) bool { return a == b || !a.Present() && !b.Present() })
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("written (-) and read (+):\n%s", diff)
	}
}

// FuzzParseSweep: a sweep has values that are read again as the same, each
// once, or is refused in one line.
func FuzzParseSweep(f *testing.F) {
	for _, text := range []string{"length=1e4,100000", "option:head.hidden=[8],relu", "batch=0x10", "nodes=-0,0", "features=1e-400", "length=1,,2", "="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSweep(text)
		if err != nil {
			return
		}
		again, err := ParseSweep(string(s.Axis) + "=" + strings.Join(s.Values, ","))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("%q (-first +again):\n%s", text, diff)
		}
		if _, own := s.Axis.option(); own {
			return
		}
		for _, value := range s.Values {
			if n, err := strconv.Atoi(value); err != nil || n < 0 || strconv.Itoa(n) != value {
				t.Errorf("%q: value %q", text, value)
			}
		}
	})
}
