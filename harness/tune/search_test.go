package tune

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/harness/tune/tpe"

	"github.com/google/go-cmp/cmp"
)

// begun is a search of the study of testStudy, 4 trials with 2 random ones, of
// which nothing is over.
func begun(t *testing.T) *search {
	t.Helper()
	h, err := openHistory(testStudy(t), filepath.Join(t.TempDir(), "h.jsonl"), "sum", "cpu")
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSearch(h)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestQueue: searches take turns, and none has more trials at a time than it
// may.
func TestQueue(t *testing.T) {
	a, b := begun(t), begun(t)
	q := &queue{searches: []*search{a, b}, atOnce: 2}
	for i, want := range []struct {
		of     *search
		number int
	}{{a, -1}, {b, -1}, {a, 0}, {b, 0}} {
		if got := q.take(); got == nil || got.search != want.of || got.number != want.number {
			t.Errorf("%d: number %d, expected %d, of search %v", i, got.number, want.number, got.search == want.of)
		}
	}
	if a.running != 2 || b.running != 2 {
		t.Errorf("%d and %d side by side", a.running, b.running)
	}
	if got := q.take(); got != nil {
		t.Errorf("number %d, with two side by side", got.number)
	}
}

// TestBegin: own options, random trials as the seed has them, then proposals
// that go by the trials that are over.
func TestBegin(t *testing.T) {
	s := begun(t)
	byChance := tpe.New(s.Study.space(), s.Study.Seed, s.Study.Trials)
	for number, phase := range map[int]Phase{-1: Own, 0: Random, 1: Random, 2: TPE, 3: TPE} {
		s.pending = []int{number}
		got := s.begin()
		if got.phase != phase || (got.values == nil) != (phase == Own) {
			t.Errorf("trial %d: %s, %v", number, got.phase, got.values)
		}
	}
	for trial := range 4 {
		s.pending = []int{trial}
		one, value := s.begin(), float64(trial)
		chance := s.Study.values(byChance.Ask(trial))
		if same := cmp.Equal(one.values, chance); same != (trial < s.Study.Random) {
			t.Errorf("trial %d by chance: %v", trial, same)
		}
		if err := one.end(Line{Trial: trial, Phase: one.phase, Values: one.values, Value: &value}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWriteUnfinished: a search in progress has figures and no spec.
func TestWriteUnfinished(t *testing.T) {
	s, out := begun(t), t.TempDir()
	for trial := range 3 {
		value := float64(trial)
		s.put(Line{Trial: trial, Values: s.Study.values(s.sampler.Ask(trial)), Value: &value})
	}
	if err := (&Tuner{Out: out}).write([]*History{s.History}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(out, folder, "*"))
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != s.Study.where() {
		t.Errorf("%v, %v", files, err)
	}
}

// TestWriteAnotherPlace: a later search at another place leaves what the spec
// has of the earlier one.
func TestWriteAnotherPlace(t *testing.T) {
	out := t.TempDir()
	for places, dataset := range []string{"shop-sim", "transfers-sim"} {
		s := begun(t)
		s.Study.At.Dataset = dataset
		for trial := -1; trial < s.Study.Trials; trial++ {
			l := Line{Trial: trial, Value: new(float64)}
			if trial >= 0 {
				l.Values = s.Study.values(s.sampler.Ask(trial))
			}
			s.put(l)
		}
		if err := (&Tuner{Out: out}).write([]*History{s.History}); err != nil {
			t.Fatal(err)
		}
		spec, err := os.ReadFile(filepath.Join(out, SpecsDir, "dgs.yaml"))
		if n := strings.Count(string(spec), "match:"); err != nil || n != places+1 {
			t.Errorf("%d overrides after %d places, %v", n, places+1, err)
		}
		if want := fmt.Sprintf("best of %d trials, tuned/%s-nc/dgs.jsonl", s.Study.Trials, dataset); !strings.Contains(string(spec), want) {
			t.Errorf("the spec does not name its record %q", want)
		}
	}
}
