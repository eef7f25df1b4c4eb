package tune

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/models"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

// testStudy is a search of graph-sprints.
func testStudy(t testing.TB) Study {
	t.Helper()
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	m, err := lib.LoadModel("dgs")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewStudy(m, specs.Place{Dataset: "shop-sim", Task: models.NodeClassification}, specs.DefaultProtocol(), 4, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newHistory is one with two trials, as its file has it.
func newHistory(t testing.TB, file string) *History {
	t.Helper()
	h, err := openHistory(testStudy(t), file, "sum", "cpu")
	if err != nil {
		t.Fatal(err)
	}
	value := 0.75
	s, err := openSampler(h)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []Line{
		{Trial: 1, Phase: Random, Values: h.Study.values(s.Ask(1)), Error: "not finite"},
		{Trial: -1, Phase: Own, Value: &value},
		{Trial: 0, Phase: Random, Values: h.Study.values(s.Ask(0)), Value: &value, Epochs: 3},
	} {
		if err := h.add(l); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// What is written is read again, in the order of the trials.
func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "h.jsonl")
	h := newHistory(t, file)
	again, err := openHistory(testStudy(t), file, "sum", "cpu")
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range h.Lines {
		a, err := h.Study.point(l.Values)
		b, errAgain := h.Study.point(again.Lines[i].Values)
		if diff := cmp.Diff(a, b); l.Trial >= 0 && (diff != "" || errors.Join(err, errAgain) != nil) || l.Trial != i-1 {
			t.Errorf("line %d: trial %d, %v %v %s", i, l.Trial, err, errAgain, diff)
		}
	}
	if best, ok := again.Best(); !ok || best.Trial != 0 || again.failed() != 1 || again.Whole() {
		t.Errorf("best trial %d, %d failed", best.Trial, again.failed())
	}
	if _, err := openHistory(testStudy(t), file, "other", "cpu"); err == nil || !strings.Contains(err.Error(), "another data_sha256") {
		t.Errorf("other data: %v", err)
	}
}

// The random trials that are planned are those of the search, whatever it has
// seen before.
func TestRandomTrial(t *testing.T) {
	h := newHistory(t, filepath.Join(t.TempDir(), "h.jsonl"))
	study := h.Study
	sampler, err := openSampler(h)
	if err != nil {
		t.Fatal(err)
	}
	for number := range study.Random {
		want, err := study.resolve(study.values(sampler.Ask(number)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := study.RandomTrial(number)
		if diff := cmp.Diff(study.trial(want).Options, got.Options); err != nil || diff != "" {
			t.Errorf("trial %d: %v (-search +planned)\n%s", number, err, diff)
		}
	}
}

// Whatever stands in the file, it is read or refused; what was read is
// written and read as the same.
func FuzzHistory(f *testing.F) {
	file := filepath.Join(f.TempDir(), "h.jsonl")
	newHistory(f, file)
	data, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data[strings.IndexByte(string(data), '\n')+1:]))
	f.Add(`{"trial":-1,"phase":"default","error":"x"}`)
	f.Add(`{"trial":7,"values":{"head.lr":"x"}}` + "\n\n")
	study := testStudy(f)
	f.Fuzz(func(t *testing.T, lines string) {
		h, err := openHistory(study, filepath.Join(t.TempDir(), "h.jsonl"), "sum", "cpu")
		if err != nil {
			t.Fatal(err)
		}
		if h.parse([]byte(string(h.head)+"\n"+lines)) != nil {
			return
		}
		text, err := h.encode()
		if err != nil {
			t.Fatal(err)
		}
		again := &History{Study: study, head: h.head}
		if err := again.parse(text); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(h.Lines, again.Lines); diff != "" {
			t.Error(diff)
		}
	})
}
