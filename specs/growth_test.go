//go:build unix

package specs_test

import (
	"fmt"
	"strings"
	"testing"

	"dgsbench/internal/growth"
	"dgsbench/specs"
)

// many is n texts, one behind the other.
func many(n int, text func(i int) string) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(text(i))
	}
	return out.String()
}

// dataset is the name of one of the simulated datasets, of 900,000.
func dataset(i int) string { return fmt.Sprintf("transfers-sim@1.%d", 100_001+10*i) }

// loadBig reads a library with one suite called big and one model called big.
func loadBig(t *testing.T, suite, model string) (specs.Suite, error) {
	t.Helper()
	dir := t.TempDir()
	writeSpec(t, dir, "model.yaml", "id: big\nmodel: toy\ntitle: Big\n"+model)
	writeSpec(t, dir, "suite.yaml", "name: big\ntitle: Big\n"+suite)
	lib, err := specs.NewLibrary(dir)
	if err != nil {
		return specs.Suite{}, err
	}
	return lib.LoadSuite("big")
}

// The time to read a suite grows with its size, and no faster, whatever it
// has many of.
func TestReadingIsLinear(t *testing.T) {
	const one = "runs:\n  - {task: nc, datasets: [transfers-sim], models: [big]}\n"
	list := func(n int, item func(i int) string) string {
		return "[" + many(n, func(i int) string { return item(i) + ", " }) + "]"
	}
	ref := func(i int) string { return fmt.Sprintf("big+v%d", i) }
	variants := func(n int) string {
		return "variants:\n" + many(n, func(i int) string { return fmt.Sprintf("  v%d: {title: V, options: {alpha: 0.1}}\n", i) })
	}
	for name, c := range map[string]struct {
		n            int
		suite, model func(n int) string
	}{
		"runs": {125, func(n int) string {
			return "runs:\n" + many(n, func(i int) string { return "  - {task: nc, datasets: [" + dataset(i) + "], models: [big]}\n" })
		}, nil},
		"the same run": {250, func(n int) string {
			return "runs:\n" + strings.Repeat("  - {task: nc, datasets: [transfers-sim], models: [big]}\n", n)
		}, nil},
		"wrong runs": {1_000, func(n int) string {
			return "runs:\n" + strings.Repeat("  - {task: nc, datasets: [transfers-sim], models: [small]}\n", n)
		}, nil},
		"datasets": {125, func(n int) string {
			return "runs:\n  - {task: nc, datasets: " + list(n, dataset) + ", models: [big]}\n"
		}, nil},
		"batches": {125, func(n int) string {
			return "runs:\n  - {task: nc, datasets: [transfers-sim], models: [big], batches: " + list(n, func(i int) string { return fmt.Sprint(i + 1) }) + "}\n"
		}, nil},
		"sweep": {500, func(n int) string {
			return "runs:\n  - {task: nc, datasets: [transfers-sim], models: [big], protocol: {latency: {sweep: " + list(n, func(i int) string { return fmt.Sprint(i + 1) }) + "}}}\n"
		}, nil},
		"variants": {50, func(n int) string {
			return "runs:\n  - {task: nc, datasets: [transfers-sim], models: " + list(n, ref) + "}\n"
		}, variants},
		"unknown variants": {50, func(n int) string {
			return "runs:\n  - {task: nc, datasets: [transfers-sim], models: " + list(n, func(i int) string { return ref(i) + "x" }) + "}\n"
		}, variants},
		"options of no model": {500, func(n int) string {
			return "runs:\n  - {task: nc, datasets: [transfers-sim], models: [big], options: {" + many(n, func(i int) string { return ref(i) + ": {}, " }) + "}}\n"
		}, nil},
		"tables": {500, func(n int) string {
			return one + "tables: {show: " + list(n, func(int) string { return "{table: x, models: [big], datasets: [transfers-sim]}" }) + "}\n"
		}, nil},
		"choices": {500, func(int) string { return one }, func(n int) string {
			return "search:\n  - {option: alpha, title: A, source: paper, choices: " + list(n, func(i int) string { return fmt.Sprintf("0.%d", 5+10*i) }) + "}\n"
		}},
		"origins of nothing": {500, func(int) string { return one }, func(n int) string {
			return "origin: {" + many(n, func(i int) string { return fmt.Sprintf("o%d: paper, ", i) }) + "}\n"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			growth.Linear(t, c.n, func(n int) {
				model := ""
				if c.model != nil {
					model = c.model(n)
				}
				s, err := loadBig(t, c.suite(n), model)
				if err != nil {
					return
				}
				if _, err := s.Trials(specs.Filter{Datasets: []string{"transfers-sim"}}); err == nil {
					s.Models()
				}
			})
		})
	}
}

func TestSuiteLimits(t *testing.T) {
	batches := func(n int) string {
		return "[" + many(n, func(i int) string { return fmt.Sprintf("%d, ", i+1) }) + "]"
	}
	run := func(n int) string {
		return "  - {task: nc, datasets: [transfers-sim, shop-sim], models: [big], batches: " + batches(n) + "}\n"
	}
	if s, err := loadBig(t, "runs:\n"+run(5_000), ""); err != nil || s.File == "" {
		t.Errorf("10,000 cells: %v", err)
	}
	_, err := loadBig(t, "runs:\n"+run(4_000)+run(1_001), "")
	if want := "suite.yaml:5: runs[1]: the suite has 10002 table cells up to this run, expected at most 10000"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("\ngot  %.300v\nwant %s", err, want)
	}
	_, err = loadBig(t, "runs: []\n", "variants: {"+many(1_001, func(i int) string { return fmt.Sprintf("v%d: {title: V, options: {}}, ", i) })+"}\n")
	if err == nil {
		t.Error("1,001 variants in a model that no run has are not looked at")
	}
}

// Names become parts of paths, which file systems limit to 255 bytes.
func TestLongNames(t *testing.T) {
	const run = "runs:\n  - {task: nc, datasets: [transfers-sim], models: [big]}\n"
	long := strings.Repeat("n", 250)
	want := `expected a name of at most 64 small letters, digits and single dashes, found "` + long[:80] + `"`
	for place, text := range map[string]string{
		"name":             "name: " + long + "\ntitle: T\n" + run,
		"id":               "id: " + long + "\nmodel: toy\ntitle: T\n",
		"variants." + long: "id: x\nmodel: toy\ntitle: T\nvariants: {" + long + ": {title: V, options: {}}}\n",
		"variants.v.title": "id: x\nmodel: toy\ntitle: T\nvariants: {v: {title: " + long + long + ", options: {}}}\n",
	} {
		dir := t.TempDir()
		writeSpec(t, dir, "spec.yaml", text)
		lib, err := specs.NewLibrary(dir)
		if err == nil {
			_, err = lib.LoadModel("x")
		}
		want := want
		if place == "variants.v.title" {
			want = "expected one line of at most 300 printable characters"
		}
		if err == nil || !strings.Contains(err.Error(), place+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %.500v", place, err)
		}
	}
}
