package regression_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/regression"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSame(t *testing.T) {
	s := measured(t, 1, 10)
	for _, statistical := range []bool{false, true} {
		r := s.against(t, s.baseline(), statistical)
		if !r.Same() || !r.Sound() || len(r.Rows) != 6 {
			t.Errorf("statistical %v: %d rows, %s", statistical, len(r.Rows), r.Verdict())
		}
	}
}

// TestOneBit: the smallest change of one seed is seen, and chance explains it.
func TestOneBit(t *testing.T) {
	s := measured(t, 1, 10)
	b := s.baseline()
	s.change(t, "gru", 7, func(r *record.Record) {
		for i, score := range r.Scores {
			if score.Split == protocol.Test && score.Metric == "auc" {
				r.Scores[i].Value = optional.Number(math.Nextafter(float64(score.Value), 2))
			}
		}
	})
	if diff := cmp.Diff([]string{"gru auc"}, moved(s.against(t, b, false))); diff != "" {
		t.Errorf("bit by bit (-want +got):\n%s", diff)
	}
	if r := s.against(t, b, true); !r.Same() {
		t.Errorf("by statistics: %s", r.Verdict())
	}
}

// TestShift: a model that got worse, or better, is found by statistics alone
// and no other is.
func TestShift(t *testing.T) {
	old := measured(t, 1, 10)
	for _, strength := range []float64{.7, 1.3} {
		r := measured(t, strength, 10).against(t, old.baseline(), true)
		if diff := cmp.Diff([]string{"gru auc", "gru ap"}, moved(r)); diff != "" {
			t.Errorf("strength %v (-want +got):\n%s", strength, diff)
		}
	}
}

// TestSmallestEffect: what is certain and does not matter is no alarm.
func TestSmallestEffect(t *testing.T) {
	s := measured(t, 1, 10)
	b, now := s.baseline(), s.measurement()
	for shift, want := range map[float64]bool{.004: false, .006: true, -.004: false, -.006: true} {
		setValues(b.Cells[0].Series[0].Values, .7)
		setValues(now.Cells[0].Series[0].Values, optional.Number(.7+shift))
		r, err := regression.Compare(b, now, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		if row := r.Rows[0]; row.Adjusted >= regression.Alpha || row.Moved != want {
			t.Errorf("shift %v: adjusted p %v, moved %v", shift, row.Adjusted, row.Moved)
		}
	}
}

// setValues are values that differ by next to nothing.
func setValues(values []optional.Number, around optional.Number) {
	for i := range values {
		values[i] = around + optional.Number(i)*1e-6
	}
}

// TestTolerance: a rule has one value. Statistics say nothing of it.
func TestTolerance(t *testing.T) {
	s := measured(t, 1, 10)
	for shift, want := range map[optional.Number]bool{9e-5: false, 2e-4: true, -2e-4: true} {
		now := s.measurement()
		rule := now.Cells[slices.IndexFunc(now.Cells, func(c regression.Cell) bool { return c.Model == "rule" })]
		rule.Series[0].Values[0] += shift
		r, err := regression.Compare(s.baseline(), now, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		if r.Same() == want {
			t.Errorf("shift %v: %s", shift, r.Verdict())
		}
	}
}

// TestNothingExactOnOtherGround: bits are not asked for where spec, data or
// seeds are others.
func TestNothingExactOnOtherGround(t *testing.T) {
	s := measured(t, 1, 10)
	for name, edit := range map[string]func(*regression.Cell){
		"data":  func(c *regression.Cell) { c.Data = "e1e1" },
		"spec":  func(c *regression.Cell) { c.Spec = json.RawMessage(`{"model": "other"}`) },
		"seeds": func(c *regression.Cell) { c.Seeds = []uint64{10, 11, 12, 13, 14, 15, 16, 17, 18, 19} },
	} {
		now := s.measurement()
		edit(&now.Cells[0])
		r, err := regression.Compare(s.baseline(), now, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Rows {
			if want := row.Model == now.Cells[0].Model; (row.Test == regression.Permutation) != want {
				t.Errorf("other %s of %s: %s is compared by the test %s", name, now.Cells[0].CellKey, row.CellKey, row.Test)
			}
		}
	}
}

// TestUndefined: a metric that is not defined any more has moved.
func TestUndefined(t *testing.T) {
	s := measured(t, 1, 10)
	for _, statistical := range []bool{false, true} {
		now := s.measurement()
		now.Cells[0].Series[0].Values[3] = optional.Absent()
		r, err := regression.Compare(s.baseline(), now, nil, statistical)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"gru auc"}, moved(r)); diff != "" {
			t.Errorf("statistical %v (-want +got):\n%s", statistical, diff)
		}
		again := regression.Baseline{Format: regression.Format, Limits: limits, Measurement: now}
		if r, err = regression.Compare(again, now, nil, statistical); err != nil || !r.Same() {
			t.Errorf("not defined before either: %v, %s", err, r.Verdict())
		}
	}
}

// TestOtherBuilds: bits are asked for where they can be.
func TestOtherBuilds(t *testing.T) {
	s := measured(t, 1, 10)
	for name, c := range map[string]struct {
		edit func(*regression.Build)
		want string
		same bool
	}{
		"code":     {func(b *regression.Build) { b.Code = "other" }, "", true},
		"kernels":  {func(b *regression.Build) { b.Kernels = "cpu/portable-arm64" }, "kernels are cpu/vector, the baseline's were cpu/portable-arm64", true},
		"numerics": {func(b *regression.Build) { b.Numerics = 0 }, "numerics are 1, the baseline's were 0", false},
	} {
		b := s.baseline()
		c.edit(&b.Build)
		if r := s.against(t, b, false); r.Statistical != c.want || r.Same() != c.same {
			t.Errorf("%s: statistical %q, %s", name, r.Statistical, r.Verdict())
		}
	}
}

// TestTooFewSeeds: nothing is called the same by a test that could not have
// told.
func TestTooFewSeeds(t *testing.T) {
	s := measured(t, 1, 4)
	_, err := regression.Compare(s.baseline(), s.measurement(), nil, true)
	if err == nil || !strings.Contains(err.Error(), "too few seeds") {
		t.Errorf("got %v", err)
	}
	if r := s.against(t, s.baseline(), false); !r.Same() {
		t.Errorf("bit by bit: %s", r.Verdict())
	}
}

// TestJustEnoughSeeds: six seeds a side have 924 splits, of which two are as
// far apart as can be: enough for 4 tests, and not for 6.
func TestJustEnoughSeeds(t *testing.T) {
	s := measured(t, 1, 6)
	if _, err := regression.Compare(s.baseline(), s.measurement(), nil, true); err != nil {
		t.Errorf("4 tests: %v", err)
	}
	for seed := range uint64(6) {
		s.add(t, "lstm", protocol.Learned, seed, .4)
	}
	_, err := regression.Compare(s.baseline(), s.measurement(), nil, true)
	if err == nil || !strings.Contains(err.Error(), "too few seeds") {
		t.Errorf("6 tests: got %v", err)
	}
}

func TestOtherSuite(t *testing.T) {
	s := measured(t, 1, 4)
	b := s.baseline()
	b.Suite = "quick"
	if _, err := regression.Compare(b, s.measurement(), nil, false); err == nil {
		t.Error("a baseline of another suite is accepted")
	}
}

// TestOrder: a measurement does not depend on the order of its records.
func TestOrder(t *testing.T) {
	s := measured(t, 1, 4)
	want := s.measurement()
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "order"), 0))
		rng.Shuffle(len(s.records), func(i, j int) { s.records[i], s.records[j] = s.records[j], s.records[i] })
		if diff := cmp.Diff(want, s.measurement()); diff != "" {
			rt.Fatal(diff)
		}
	})
}
