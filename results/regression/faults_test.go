package regression_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
	"dgsbench/results/regression"

	"github.com/google/go-cmp/cmp"
)

// TestFindings: everything that is wrong beside numbers is found and named,
// also where numbers are compared by statistics.
func TestFindings(t *testing.T) {
	for name, c := range map[string]struct {
		edit  func(t *testing.T, s *suite)
		kind  regression.Kind
		fault bool
		text  string // in the finding
	}{
		"failed": {func(t *testing.T, s *suite) {
			s.change(t, "mlp", 2, func(r *record.Record) { r.Error, r.Sidecar = "mlp: a NaN", nil })
		}, regression.FailedTrial, true, "mlp on toy, nc (suite ci), seed 2: mlp: a NaN"},
		"missing trial": {func(_ *testing.T, s *suite) { s.drop(s.trials[4]) }, regression.MissingTrial, true, "gru on toy, nc (suite ci), seed 2"},
		"reused seed": {
			func(_ *testing.T, s *suite) { s.trials = append(s.trials, s.trials[4]) },
			regression.ReusedSeed, true, "gru on toy, nc (suite ci), seed 2",
		},
		"seeds alike": {func(t *testing.T, s *suite) {
			s.change(t, "gru", 5, func(r *record.Record) { s.write(t, *r, answers("gru", 6, 1)) })
		}, regression.IdenticalScores, true, "gru on toy, nc (suite ci), seed 5; gru on toy, nc (suite ci), seed 6"},
		"models alike": {func(t *testing.T, s *suite) {
			s.change(t, "mlp", 5, func(r *record.Record) { s.write(t, *r, answers("gru", 5, 1)) })
		}, regression.IdenticalScores, true, "gru on toy, nc (suite ci), seed 5; mlp on toy, nc (suite ci), seed 5"},
		"missing cell": {func(_ *testing.T, s *suite) {
			s.drop(s.trials[len(s.trials)-1])
			s.trials = s.trials[:len(s.trials)-1]
		}, regression.MissingCell, false, "rule on toy"},
		"extra cell": {
			func(t *testing.T, s *suite) { s.add(t, "novel", protocol.ZeroParameter, 0, .4) },
			regression.ExtraCell, false, "novel on toy",
		},
		"spec": {func(t *testing.T, s *suite) {
			s.change(t, "rule", 0, func(r *record.Record) {
				r.Spec = json.RawMessage(`{"model": "rule", "options": {"head": {"hidden": [32, 8], "lr": 0.1}}, "seed": 0}`)
			})
		}, regression.ChangedSpec, false, "rule on toy, nc (suite ci): options.head.hidden: [32], now [32,8]"},
		"data": {func(t *testing.T, s *suite) {
			s.change(t, "rule", 0, func(r *record.Record) { r.DataChecksum = "e1e1" })
		}, regression.ChangedData, false, "rule on toy, nc (suite ci): checksum d0d0, now e1e1"},
		"class": {func(t *testing.T, s *suite) {
			s.change(t, "rule", 0, func(r *record.Record) { r.ModelClass = protocol.Oracle })
		}, regression.ChangedClass, false, "rule on toy, nc (suite ci): zero-parameter, now oracle"},
		"two records": {
			func(_ *testing.T, s *suite) { s.records = append(s.records, s.records[4]) },
			regression.ReusedSeed, true, "gru on toy, nc (suite ci), seed 2",
		},
		"metric gone": {func(t *testing.T, s *suite) {
			s.change(t, "rule", 0, func(r *record.Record) { r.Scores = r.Scores[:len(r.Scores)-1] })
		}, regression.ChangedMetrics, false, "rule on toy, nc (suite ci): ap, now gone"},
		"metric new": {func(t *testing.T, s *suite) {
			s.change(t, "rule", 0, func(r *record.Record) {
				r.Scores = append(r.Scores, record.Score{Part: record.Part{Split: protocol.Test}, Metric: "f1", Value: .5})
			})
		}, regression.ChangedMetrics, false, "rule on toy, nc (suite ci): new, f1"},
		"more seeds": {
			func(t *testing.T, s *suite) { s.add(t, "gru", protocol.Learned, 7, 1) },
			regression.ChangedSeeds, false, "gru on toy, nc (suite ci): [0 1 2 3 4 5 6], now [0 1 2 3 4 5 6 7]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := measured(t, 1, 7)
			b := s.baseline()
			c.edit(t, s)
			for _, statistical := range []bool{false, true} {
				r := s.against(t, b, statistical)
				if !has(r, c.kind, c.text) || r.Same() || r.Sound() == c.fault {
					t.Errorf("statistical %v: sound %v, findings\n%v", statistical, r.Sound(), r.Findings)
				}
			}
		})
	}
}

func has(r regression.Outcome, kind regression.Kind, text string) bool {
	for _, f := range r.Findings {
		if f.Kind == kind && strings.Contains(f.Text, text) {
			return true
		}
	}
	return false
}

// TestFreshSeeds: other seeds of the same number are what statistics are for.
func TestFreshSeeds(t *testing.T) {
	old := measured(t, 1, 10)
	s := &suite{store: record.Store{Dir: t.TempDir()}}
	for seed := uint64(10); seed < 20; seed++ {
		s.add(t, "gru", protocol.Learned, seed, 1)
		s.add(t, "mlp", protocol.Learned, seed, .5)
	}
	s.add(t, "rule", protocol.ZeroParameter, 0, .3)
	if r := s.against(t, old.baseline(), true); !r.Same() {
		t.Errorf("%s\n%v", r.Verdict(), r.Findings)
	}
	if r := s.against(t, old.baseline(), false); !has(r, regression.ChangedSeeds, "gru") {
		t.Errorf("bit by bit: %s", r.Verdict())
	}
}

// TestSpecChanges: options are named by their paths, however the file is laid
// out.
func TestSpecChanges(t *testing.T) {
	s := measured(t, 1, 3)
	b := s.baseline()
	for i := range b.Cells {
		b.Cells[i].Spec = json.RawMessage(strings.ReplaceAll(string(b.Cells[i].Spec), ",", ",\n    "))
	}
	if r := s.against(t, b, false); !r.Same() {
		t.Errorf("blanks count: %s", r.Verdict())
	}
	b.Cells[2].Spec = json.RawMessage(`{"model": "rule", "options": {"head": {"hidden": [32]}, "old": {"a": 1}}}`)
	var texts []string
	for _, f := range s.against(t, b, false).Findings {
		texts = append(texts, f.Text)
	}
	want := []string{"rule on toy, nc (suite ci): options.head.lr: new, 0.1", "rule on toy, nc (suite ci): options.old.a: 1, now gone"}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAlikeElsewhere: the same answers are no fault where the question is
// another one.
func TestAlikeElsewhere(t *testing.T) {
	for name, move := range map[string]func(*record.CellKey){
		"dataset": func(k *record.CellKey) { k.Dataset = "other" },
		"case":    func(k *record.CellKey) { k.Case = "batch-10" },
	} {
		s := measured(t, 1, 2)
		r := s.records[len(s.records)-1] // of the rule
		move(&r.Key.CellKey)
		s.trials = append(s.trials, r.Key)
		s.write(t, r, answers("rule", 0, .3))
		faults, err := regression.Faults(s.store, s.trials, s.records)
		if err != nil || len(faults) > 0 {
			t.Errorf("another %s: %v, %v", name, err, faults)
		}
	}
}

// TestFailedSeed: what a failed trial left is in no series.
func TestFailedSeed(t *testing.T) {
	s := measured(t, 1, 10)
	s.change(t, "mlp", 2, func(r *record.Record) { r.Error = "mlp: a NaN" })
	got := s.measurement()
	s.drop(s.records[slices.IndexFunc(s.records, record.Record.Failed)].Key)
	if diff := cmp.Diff(s.measurement(), got); diff != "" {
		t.Errorf("(-without its record +with it):\n%s", diff)
	}
	if cell := got.Cells[1]; cell.Model != "mlp" || len(cell.Seeds) != 9 || len(cell.Series[0].Values) != 9 {
		t.Errorf("%d seeds of %s", len(cell.Seeds), cell.CellKey)
	}
}

// TestLatencyTestsHaveNoAnswers: those of two models are not told to be the
// same.
func TestLatencyTestsHaveNoAnswers(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	var trials []record.Key
	var records []record.Record
	for _, model := range []string{"dgs", "raw"} {
		r := recordtest.WriteLatency(t, s, model, "first")
		trials, records = append(trials, r.Key), append(records, r)
	}
	found, err := regression.Faults(s, trials, records)
	if err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
}
