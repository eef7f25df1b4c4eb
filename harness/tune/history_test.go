package tune

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/harness/tune/tpe"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/results/record"
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
	s, err := NewStudy(m, specs.Place{Dataset: "shop-sim", Task: protocol.NodeClassification}, specs.DefaultProtocol(), 4, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newHistory is one with two trials, as its file has it.
func newHistory(t testing.TB, out string) *History {
	t.Helper()
	h, err := openHistory(testStudy(t), out, "sum", "cpu")
	if err != nil {
		t.Fatal(err)
	}
	value := 0.75
	s := tpe.New(h.Study.space(), h.Study.Seed, h.Study.Random)
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
	out := t.TempDir()
	h := newHistory(t, out)
	again, err := openHistory(testStudy(t), out, "sum", "cpu")
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
	if best := again.Best(); best.Failed() || best.Trial != 0 || failed(again.trials()) != 1 || again.left() == 0 {
		t.Errorf("best trial %d, %d failed", best.Trial, failed(again.trials()))
	}
	if _, err := openHistory(testStudy(t), out, "other", "cpu"); err == nil || !strings.Contains(err.Error(), "another data_sha256") {
		t.Errorf("other data: %v", err)
	}
}

// The random trials that are planned are those of the search, whatever it has
// seen before.
func TestRandomTrial(t *testing.T) {
	h := newHistory(t, t.TempDir())
	study := h.Study
	s, err := newSearch(h)
	if err != nil {
		t.Fatal(err)
	}
	for number := range study.Random {
		want, err := study.trial(study.values(s.sampler.Ask(number)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := study.RandomTrial(number)
		if diff := cmp.Diff(want.Options, got.Options); err != nil || diff != "" {
			t.Errorf("trial %d: %v (-search +planned)\n%s", number, err, diff)
		}
	}
}

// Whatever stands in the file, it is read or refused; what was read is
// written and read as the same.
func FuzzHistory(f *testing.F) {
	h := newHistory(f, f.TempDir())
	data, err := os.ReadFile(h.file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data[strings.IndexByte(string(data), '\n')+1:]))
	f.Add(`{"trial":-1,"phase":"default","error":"x"}`)
	f.Add(`{"trial":7,"values":{"head.lr":"x"}}` + "\n\n")
	study := testStudy(f)
	unsealed := h.header
	unsealed.Sealed = false
	header, err := json.Marshal(unsealed)
	if err != nil {
		f.Fatal(err)
	}
	first := string(header)
	f.Fuzz(func(t *testing.T, lines string) {
		out := t.TempDir()
		file := filepath.Join(out, filepath.FromSlash(study.HistoryFile()))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(first+"\n"+lines), 0o644)); err != nil {
			t.Fatal(err)
		}
		h, err := openHistory(study, out, "sum", "cpu")
		if err != nil {
			return
		}
		text, err := h.encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		again, err := openHistory(study, out, "sum", "cpu")
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(h.Lines, again.Lines); diff != "" {
			t.Error(diff)
		}
	})
}

// The best trial is the first of the highest ones. The model's own options are
// none, and a failed trial is worse than any value.
func TestBest(t *testing.T) {
	value := func(x float64) *float64 { return &x }
	h := &History{Study: testStudy(t)}
	if !h.Best().Failed() {
		t.Error("a best trial of none")
	}
	for trial, v := range []*float64{nil, value(.5), value(.7), value(.7), value(.6)} {
		h.put(Line{Trial: trial, Value: v})
	}
	h.put(Line{Trial: -1, Value: value(.9)})
	if best := h.Best(); best.Failed() || best.Trial != 2 {
		t.Errorf("trial %+v", best)
	}
	h.Study.At.Task, h.Study.Protocol.SelectBy = protocol.NodeClassification, "brier"
	if best := h.Best(); best.Trial != 1 {
		t.Errorf("of Brier scores the lowest is best, found %+v", best)
	}
	points := h.historyPanel().Series[2].Points // the best so far
	if last := points[len(points)-1].Y.Mean; last != .5 {
		t.Errorf("the best Brier score so far is drawn at %v", last)
	}
}

// TestSamplerTrialOfBrier: the sampler looks for large values.
func TestSamplerTrialOfBrier(t *testing.T) {
	h := &History{Study: testStudy(t)}
	h.Study.At.Task, h.Study.Protocol.SelectBy = protocol.NodeClassification, "brier"
	value, point := .2, tpe.Point{}
	for _, p := range h.Study.params {
		point = append(point, p.Low)
	}
	line := Line{Value: &value, Values: h.Study.values(point)}
	if trial, err := h.samplerTrial(line); err != nil || trial.Value != -.2 {
		t.Errorf("%+v, %v", trial, err)
	}
}

// A trial's value is that of its best epoch, wherever that is; a failed one has
// none, nor has one whose validation is uninformative.
func TestLineOf(t *testing.T) {
	epochs := []record.Epoch{{Validation: .6}, {Validation: .9}, {Validation: .7}}
	for best, want := range []float64{.6, .9, .7} {
		l := lineOf(3, TPE, nil, record.Record{Epochs: epochs, BestEpoch: best})
		if l.Failed() || *l.Value != want || l.BestEpoch != best+1 || l.Epochs != 3 {
			t.Errorf("epochs of .6, .9 and .7, the best is %d: %+v, value %v", best+1, l, l.Value)
		}
	}
	epochs[1].Degenerate = metrics.NoNegatives // which makes 1 of any model
	if l := lineOf(3, TPE, nil, record.Record{Epochs: epochs, BestEpoch: 0}); l.Failed() {
		t.Errorf("the best epoch says something, a later one does not: %+v", l)
	}
	if l := lineOf(3, TPE, nil, record.Record{Epochs: epochs, BestEpoch: 1}); !l.Failed() || l.Error != "the validation says nothing of the model: no event had a negative" {
		t.Errorf("a validation without negatives: %+v", l)
	}
	if l := lineOf(3, TPE, nil, record.Record{Epochs: epochs[:1], Error: "x"}); !l.Failed() || l.Error != "x" || l.BestEpoch != 0 {
		t.Errorf("failed: %+v", l)
	}
}

// All trials have the seed of the search: they differ in options alone.
func TestTrialsOfAStudy(t *testing.T) {
	for _, seed := range []uint64{0, 7} {
		s := testStudy(t)
		s.Seed = seed
		own, err := s.trial(nil)
		if err != nil {
			t.Fatal(err)
		}
		random, err := s.RandomTrial(1)
		if err != nil {
			t.Fatal(err)
		}
		if own.Seed != seed || cmp.Equal(own.Options, random.Options) {
			t.Errorf("the trial with the model's own options has seed %d, the search %d; the random one has other options: %t",
				own.Seed, seed, !cmp.Equal(own.Options, random.Options))
		}
		random.Options, random.Origins = own.Options, own.Origins
		sameName := cmp.Comparer(func(a, b models.Kind) bool { return a.Name == b.Name })
		if diff := cmp.Diff(own, random, sameName); diff != "" {
			t.Errorf("seed %d (-own +random):\n%s", seed, diff)
		}
	}
}

// A failed trial has no value for the sampler, which takes it as the worst.
func TestTold(t *testing.T) {
	h := newHistory(t, t.TempDir())
	for _, l := range h.trials() {
		told, err := h.samplerTrial(l)
		if err != nil || told.Number != l.Trial || math.IsNaN(told.Value) != l.Failed() {
			t.Errorf("%+v was told as %+v, %v", l, told, err)
		}
	}
}

// A history goes on only with the study that it began with; more trials are
// the same study.
func TestHistoryOfAnotherStudy(t *testing.T) {
	out := t.TempDir()
	newHistory(t, out)
	for want, change := range map[string]func(*Study){
		"":       func(s *Study) { s.Trials++ },
		"random": func(s *Study) { s.Random++ },
		"space":  func(s *Study) { s.params = s.params[1:] },
		"own":    func(s *Study) { s.Protocol.Patience++ },
	} {
		s := testStudy(t)
		change(&s)
		if _, err := openHistory(s, out, "sum", "cpu"); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), "a study with another "+want+";") {
			t.Errorf("another %q: %v", want, err)
		}
	}
	if _, err := openHistory(testStudy(t), out, "sum", "cpu/portable-amd64"); err == nil || !strings.Contains(err.Error(), "a study with another device;") {
		t.Errorf("other kernels: %v", err)
	}
}

// Options that are not those of the trial's record are refused.
func TestValuesOfAnotherTrial(t *testing.T) {
	h := newHistory(t, t.TempDir())
	l := h.Lines[1]
	trial, err := h.Study.trial(l.Values)
	if err != nil {
		t.Fatal(err)
	}
	l.Identity = trial.Identity("sum", h.header.Study.Numerics, "cpu")
	if err := h.check(l); err != nil {
		t.Error(err)
	}
	l.Values = h.Lines[2].Values
	if err := h.check(l); err == nil || !strings.Contains(err.Error(), "its values are not those of its record") {
		t.Errorf("values of trial %d: %v", h.Lines[2].Trial, err)
	}
	for _, trial := range []int{-1, 0} {
		l.Trial, l.Values = trial, map[string]any{"head.lr": 1e-3}
		if err := h.check(l); err == nil || !strings.Contains(err.Error(), ", one for each parameter") {
			t.Errorf("too few values of trial %d: %v", trial, err)
		}
	}
}
