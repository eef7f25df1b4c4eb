package regression_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/regression"
)

// build1 is what measured, if nothing else is said.
var build1 = regression.Build{Code: "c0de", Numerics: 1, Kernels: "cpu/vector", Go: "go1.26"}

var limits = []regression.Limit{
	{Metric: "auc", Effect: .005, Tolerance: 1e-4, Reason: "a test"},
	{Metric: "ap", Effect: .005, Tolerance: 1e-4, Reason: "a test"},
}

// suite is a small one that was measured: its records with their facts.
type suite struct {
	store   record.Store
	trials  []record.Key
	records []record.Record
}

// measured are two learned models of ten seeds and a rule. strength is how
// well the model "gru" tells the classes apart.
func measured(t *testing.T, strength float64, seeds int) *suite {
	t.Helper()
	s := &suite{store: record.Store{Dir: t.TempDir()}}
	for seed := range seeds {
		s.add(t, "gru", protocol.Learned, uint64(seed), strength)
		s.add(t, "mlp", protocol.Learned, uint64(seed), .5)
	}
	s.add(t, "rule", protocol.ZeroParameter, 0, .3)
	return s
}

func (s *suite) add(t *testing.T, model string, class protocol.Class, seed uint64, strength float64) {
	t.Helper()
	r := record.Record{
		Key:      record.Key{CellKey: record.CellKey{Suite: "ci", Dataset: "toy", Task: "nc", Model: model}, Seed: seed},
		Identity: fmt.Sprintf("%012x", seed), Numerics: 1, DataChecksum: "d0d0", ModelClass: class, BestEpoch: -1,
		Spec: json.RawMessage(fmt.Sprintf(`{"model": %q, "options": {"head": {"hidden": [32], "lr": 0.1}}, "seed": %d}`, model, seed)),
	}
	s.trials = append(s.trials, r.Key)
	s.write(t, r, answers(model, seed, strength))
}

// write puts a record in the place of one of the same trial.
func (s *suite) write(t *testing.T, r record.Record, o record.Observed) {
	t.Helper()
	r, err := s.store.Write(r, o)
	if err != nil {
		t.Fatal(err)
	}
	s.drop(r.Key)
	s.records = append(s.records, r)
}

func (s *suite) drop(k record.Key) {
	s.records = slices.DeleteFunc(s.records, func(r record.Record) bool { return r.Key == k })
}

// change edits the record of a trial.
func (s *suite) change(t *testing.T, model string, seed uint64, edit func(*record.Record)) {
	t.Helper()
	i := slices.IndexFunc(s.records, func(r record.Record) bool { return r.Key.Model == model && r.Key.Seed == seed })
	if i < 0 {
		t.Fatalf("no record of %s, seed %d", model, seed)
	}
	edit(&s.records[i])
}

// answers are scores on 400 events that chance and strength decide.
func answers(model string, seed uint64, strength float64) record.Observed {
	rng := rand.New(rand.NewPCG(seed, uint64(model[0])))
	o := record.Observed{}
	for _, split := range []protocol.Split{protocol.Validation, protocol.Test} {
		part := record.Part{Split: split}
		f := o[part]
		for k := range 400 {
			label := int8(k % 2)
			f.Label = append(f.Label, label)
			f.Score = append(f.Score, float32(strength*float64(label)+rng.NormFloat64()))
		}
		o[part] = f
	}
	return o
}

func (s *suite) measurement() regression.Measurement {
	return regression.Measure("ci", build1, s.records)
}

func (s *suite) baseline() regression.Baseline {
	return regression.Baseline{Format: regression.Format, Limits: limits, Measurement: s.measurement()}
}

// against compares the suite with a baseline.
func (s *suite) against(t *testing.T, b regression.Baseline, statistical bool) regression.Outcome {
	t.Helper()
	faults, err := regression.Faults(s.store, s.trials, s.records)
	if err != nil {
		t.Fatal(err)
	}
	r, err := regression.Compare(b, s.measurement(), faults, statistical)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// moved names the rows that moved.
func moved(r regression.Outcome) (names []string) {
	for _, row := range r.Rows {
		if row.Moved {
			names = append(names, row.Model+" "+row.Metric)
		}
	}
	return names
}
