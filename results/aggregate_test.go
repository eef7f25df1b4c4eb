package results_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"

	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
	"dgsbench/specs"
)

// random is what a seed observed on 400 events, other ones for each seed.
func random(seed uint64) record.Observed {
	rng := rand.New(rand.NewPCG(seed, 0))
	o := record.Observed{}
	for _, split := range []protocol.Split{protocol.Validation, protocol.Test} {
		f := metrics.Facts{Score: make([]float32, 400), Label: make([]int8, 400)}
		for k := range f.Score {
			f.Label[k] = int8(k % 4 / 3)
			f.Score[k] = rng.Float32() + 0.3*float32(f.Label[k])
		}
		o[record.Part{Split: split}] = f
	}
	return o
}

func aggregate(t *testing.T, s record.Store) []results.Cell {
	t.Helper()
	records, _, err := s.Load("")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := results.Aggregate(s, records, specs.Tables{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

func testAUC(t *testing.T, o record.Observed) float64 {
	t.Helper()
	auc, err := metrics.Lookup("auc")
	if err != nil {
		t.Fatal(err)
	}
	v, err := auc.Value(o[record.Part{Split: protocol.Test}])
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// find is the row of the test AUC.
func find(t *testing.T, c results.Cell) results.Row {
	t.Helper()
	for _, r := range c.Rows {
		if r.Split == protocol.Test && r.Metric == "auc" {
			return r
		}
	}
	t.Fatalf("%s has no test AUC", c.CellKey)
	return results.Row{}
}

func TestAggregateOverSeeds(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	var values []float64
	for seed := range uint64(4) {
		recordtest.Write(t, s, recordtest.Trial("nc", "", "dgs", seed), random(seed))
		values = append(values, testAUC(t, random(seed)))
	}
	failed := recordtest.Trial("nc", "", "dgs", 4)
	failed.Error = "loss of batch 3 is NaN"
	recordtest.Write(t, s, failed, nil)
	cells := aggregate(t, s)
	if len(cells) != 1 {
		t.Fatalf("%d cells, want 1", len(cells))
	}
	c, row := cells[0], find(t, cells[0])
	if c.Seeds != 4 || row.N != 4 || !cmp.Equal(c.Failures, []string{failed.Error}) || c.Positives != 100 {
		t.Errorf("%d seeds, n %d, failures %v, %d positives", c.Seeds, row.N, c.Failures, c.Positives)
	}
	if !cmp.Equal(c.Notes, []string{"simulated data"}) {
		t.Errorf("notes %v", c.Notes)
	}
	mean, std := stat.MeanStdDev(values, nil)
	if math.Abs(float64(row.Mean)-mean) > 1e-15 || math.Abs(float64(row.Std)-std) > 1e-15 {
		t.Errorf("%v ± %v, want %v ± %v", row.Mean, row.Std, mean, std)
	}
	if !(row.CILow < row.Mean && row.Mean < row.CIHigh) || row.CIHigh-row.CILow > 0.2 {
		t.Errorf("interval %v .. %v of %v", row.CILow, row.CIHigh, row.Mean)
	}
	var order []string
	for _, r := range c.Rows {
		order = append(order, string(r.Split)+" "+r.Metric)
	}
	if want := []string{"validation auc", "validation ap", "test auc", "test ap"}; !cmp.Equal(order, want) {
		t.Errorf("rows %v, want %v", order, want)
	}
}

func TestTwoSeedsHaveNoDeviation(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	for seed := range uint64(2) {
		recordtest.Write(t, s, recordtest.Trial("nc", "", "dgs", seed), random(seed))
	}
	if row := find(t, aggregate(t, s)[0]); row.Std.Present() || !row.CILow.Present() {
		t.Errorf("std %v, ci_low %v; want only the interval", row.Std, row.CILow)
	}
}

func TestOnlyFailuresGiveACellWithoutRows(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	r := recordtest.Trial("nc", "", "dgs", 0)
	r.Error = "out of memory"
	recordtest.Write(t, s, r, nil)
	cells := aggregate(t, s)
	if len(cells) != 1 || len(cells[0].Rows) != 0 || len(cells[0].Failures) != 1 {
		t.Errorf("got %+v", cells)
	}
}

func TestUndefinedMetricsAreAbsent(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	o := random(0)
	clear(o[record.Part{Split: protocol.Test}].Label)
	recordtest.Write(t, s, recordtest.Trial("nc", "", "dgs", 0), o)
	if row := find(t, aggregate(t, s)[0]); row.Mean.Present() || row.CILow.Present() || row.N != 1 {
		t.Errorf("got %+v", row)
	}
}

func TestAggregateRefusesToMix(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*record.Record)
		facts  record.Observed
	}{
		"same trial":               {func(r *record.Record) { r.Key.Seed, r.Identity = 0, "ffffffffffffffff" }, random(1)},
		"different data":           {func(r *record.Record) { r.DataChecksum = "beef" }, random(1)},
		"different specifications": {func(r *record.Record) { r.Spec = json.RawMessage(`{"alpha": 0.7, "seed": 1}`) }, random(1)},
		"different events":         {func(*record.Record) {}, recordtest.Classified()},
	} {
		s := record.Store{Dir: t.TempDir()}
		recordtest.Write(t, s, recordtest.Trial("nc", "", "dgs", 0), random(0))
		r := recordtest.Trial("nc", "", "dgs", 1)
		c.change(&r)
		recordtest.Write(t, s, r, c.facts)
		records, _, err := s.Load("")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := results.Aggregate(s, records, specs.Tables{}, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}

// TestAggregateProgress: shares only grow, through all places.
func TestAggregateProgress(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	recordtest.Write(t, s, recordtest.Trial("nc", "", "dgs", 0), random(0))
	recordtest.Write(t, s, recordtest.Trial("nc", "", "raw", 0), random(0))
	records, _, err := s.Load("")
	if err != nil {
		t.Fatal(err)
	}
	other := records[0]
	other.Key.Case = "other"
	recordtest.Write(t, s, other, random(0))
	if records, _, err = s.Load(""); err != nil {
		t.Fatal(err)
	}
	var shares []float64
	if _, err := results.Aggregate(s, records, specs.Tables{}, func(share float64) { shares = append(shares, share) }); err != nil {
		t.Fatal(err)
	}
	if n := len(shares); n == 0 || !slices.IsSorted(shares) || shares[0] > .1 || shares[n-1] != 1 {
		t.Errorf("%d shares: %v", n, shares)
	}
}

func TestStaleCellsSaySo(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	recordtest.Write(t, s, recordtest.Trial("nc", "", "dgs", 0), random(0))
	records, _, err := s.Load("")
	if err != nil {
		t.Fatal(err)
	}
	use, _ := record.Select(records, 3, true)
	cells, err := results.Aggregate(s, use, specs.Tables{}, nil)
	if err != nil || len(cells) != 1 || !cells[0].Stale {
		t.Errorf("got %+v, %v", cells, err)
	}
}

// TestKeptDraws: intervals are the same whether what was resampled is kept, damaged
// or gone, and other facts have others.
func TestKeptDraws(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	r := recordtest.Write(t, s, recordtest.Trial("nc", "", "dgs", 0), random(0))
	rows := func() string {
		var out strings.Builder
		if err := results.WriteCSV(&out, results.Rows(aggregate(t, s))); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	first := rows()
	file := filepath.Join(s.Dir, r.Key.Suite, ".resampled")
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"kept":    func() error { return nil },
		"damaged": func() error { return os.WriteFile(file, append(kept[:len(kept)-9:len(kept)-9], "123456789"...), 0o644) },
		"gone":    func() error { return os.Remove(file) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, rows()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, kept) {
			t.Errorf("%s: the file is not as it was: %v", name, err)
		}
	}
	recordtest.Write(t, s, recordtest.Trial("nc", "", "dgs", 0), random(1))
	if rows() == first {
		t.Error("other facts have the same intervals")
	}
}
