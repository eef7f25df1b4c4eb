package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/datasets/own"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// imported imports docs/your-data/payments.csv, with labels or without, and returns
// the flags for its folder.
func imported(t *testing.T, name string, more ...string) (dir string, flags []string) {
	t.Helper()
	dir = t.TempDir()
	t.Cleanup(func() { datasets.SetImported(nil) })
	data := filepath.Join(dir, "data")
	measure(t, append([]string{
		"data", "import", "../docs/your-data/payments.csv", "--name", name, "--src", "account", "--dst", "shop", "--bipartite", "--time", "paid_at",
		"--features", "amount,retries", "--data", data,
	}, more...)...)
	return dir, []string{"--dataset", name, "--data", data, "--out", filepath.Join(dir, "out")}
}

// TestStandardSuite: a dataset of the user's needs no suite. What was made is used
// again, also by commands that do not measure, and flags that ask for another make
// another.
func TestStandardSuite(t *testing.T) {
	dir, flags := imported(t, "payments", "--label", "fraud")
	args := func(command string, more ...string) []string {
		return append(append(strings.Fields(command), flags...), more...)
	}
	code, _, stderr := bench(args("tables")...)
	if code != exitUsage || !strings.Contains(stderr, "suite.yaml is not there, or of other data: measure first, by bench all --dataset payments") {
		t.Errorf("tables before all: exit code %d\n%s", code, stderr)
	}
	file := filepath.Join(dir, "out", "payments", standardFile)
	if code, _, stderr := bench(args("all --dry-run", "--hours", "0.002")...); code != exitDone || exists(file) {
		t.Errorf("--dry-run: exit code %d, or it leaves a file\n%s", code, stderr)
	}
	code, printed, stderr := bench(args("all", "--hours", "0.002")...)
	if code != exitDone || !strings.Contains(stderr, "standard suite of payments: ") || !strings.HasPrefix(printed, "Node classification, payments: ") {
		t.Fatalf("exit code %d\n%s%s", code, stderr, printed)
	}
	if suite := read(t, file); !strings.HasPrefix(suite, "# Made by: bench init --dataset payments --hours 0.002\n") {
		t.Errorf("the suite is\n%s", suite)
	}
	_, again, stderr := bench(args("all", "--hours", "0.002")...)
	if again != printed || !strings.Contains(stderr, "0 trials measured") || strings.Contains(stderr, "standard suite") {
		t.Errorf("the second time it prints\n%s%s\nand the first\n%s", stderr, again, printed)
	}
	if _, tables, stderr := bench(args("tables")...); !strings.HasPrefix(tables, strings.Split(printed, "\n")[0]) {
		t.Errorf("tables prints\n%s%s", stderr, tables)
	}
	write(t, file, strings.Replace(read(t, file), "seeds: ", "seeds: 0", 1))
	if code, _, stderr := bench(args("all", "--hours", "0.002")...); code != exitUsage || !strings.Contains(stderr, "suite.yaml:") {
		t.Errorf("a suite that was edited is not read: exit code %d\n%s", code, stderr)
	}
	for name, want := range map[string]string{
		"--hours 0":                       "--hours is 0, expected more than 0",
		"--hours nan":                     "--hours is NaN, expected more than 0",
		"--label-delay -1h":               "--label-delay is -1h0m0s, expected whole seconds",
		"--label-delay 1us":               "--label-delay is 1µs, expected whole seconds",
		"--suite quick":                   "[dataset suite] were all set",
		"--tune 1000000":                  "--tune is 1000000",
		"--tune -3":                       "--tune is -3",
		"--tune 2 --models user-count":    "has no learned model to tune",
		"../docs/your-data/payments.yaml": "is a suite, and --dataset asks for another one",
		"--epochs -1":                     "expected 1 to 10000 epochs",
	} {
		if code, _, stderr := bench(args("all " + name)...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d\n%s", name, code, stderr)
		}
	}
}

// TestInit writes a suite that is measured by its name, and replaces no file.
func TestInit(t *testing.T) {
	dir, flags := imported(t, "trips")
	file := filepath.Join(dir, "trips.yaml")
	args := append([]string{"init", file, "--hours", "0.001"}, flags...)
	measure(t, args...)
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	entry, err := lib.AddFile(file)
	if err != nil || entry.Name != "trips" {
		t.Fatal(entry, err)
	}
	suite, err := lib.LoadSuite("trips")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{})
	if err != nil || len(trials) == 0 || trials[0].Task != "lp" {
		t.Errorf("a dataset without labels is for link prediction: %v, %v", trials[:min(1, len(trials))], err)
	}
	before := read(t, file)
	if code, _, stderr := bench(args...); code != exitUsage || !strings.Contains(stderr, "exists already") || read(t, file) != before {
		t.Errorf("the file is replaced: exit code %d\n%s", code, stderr)
	}
}

// TestStandardSuites: the YAML of every effort is one that can be measured.
func TestStandardSuites(t *testing.T) {
	lookup := func(name string, more ...string) datasets.Dataset {
		dir, _ := imported(t, name, more...)
		if err := own.Use(filepath.Join(dir, "data")); err != nil {
			t.Fatal(err)
		}
		d, err := datasets.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	labelled, unlabelled := lookup("one", "--label", "fraud"), lookup("two")
	datasets.SetImported([]datasets.Dataset{labelled, unlabelled})
	last, page := 0, read(t, "..", "docs", "your-data.md")
	for _, e := range specs.Efforts {
		if e.Events <= last {
			t.Errorf("efforts are not in order: %d events after %d", e.Events, last)
		}
		last = e.Events
		size := strconv.Itoa(e.Size)
		if e.Size == 0 {
			size = "as in the models' specs"
		}
		events := "to " + table.Thousands(e.Events)
		if e.Events == datasets.MaxEvents {
			events = "more"
		}
		if row := fmt.Sprintf("| %s | %d | %d | %s |\n", events, e.Seeds, e.Epochs, size); !strings.Contains(page, row) {
			t.Errorf("docs/your-data.md has no row %s", row)
		}
		lib, err := specs.NewLibrary("")
		if err != nil {
			t.Fatal(err)
		}
		text := specs.StandardSuite("both", "Made by: a test", []datasets.Dataset{labelled, unlabelled}, e, 0)
		if _, err = lib.Add("both.yaml", text); err != nil {
			t.Fatal(err)
		}
		suite, err := lib.LoadSuite("both")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		tasks := map[string]bool{}
		trials, err := suite.Trials(specs.Filter{})
		for _, trial := range trials {
			tasks[trial.Dataset+" "+string(trial.Task)] = true
			if trial.Protocol.Epochs != e.Epochs && !trial.IsLatency() {
				t.Errorf("%s: %d epochs, expected %d", trial.Ref(), trial.Protocol.Epochs, e.Epochs)
			}
		}
		if err != nil || len(tasks) != 2 || !tasks["one nc"] || !tasks["two lp"] {
			t.Errorf("%v, %v", tasks, err)
		}
	}
}

// TestTuneBefore: --tune searches the options of each learned model, and measures
// what it found; --epochs takes the place of the suite's.
func TestTuneBefore(t *testing.T) {
	dir := workplace(t)
	write(t, filepath.Join(dir, "specs", "toy.yaml"), toySuite)
	code, stdout, stderr := bench(all(dir, "out", "--tasks", "nc", "--models", "raw,user-count", "--seeds", "1", "--epochs", "1", "--tune", "2")...)
	if code != exitUsage || !strings.Contains(stderr, "--tune takes the place of --specs") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	const own = "lr: 0.0078125" // of the suite, which the search replaces
	write(t, filepath.Join(dir, "specs", "toy.yaml"),
		strings.Replace(toySuite, "raw, graph-sprints]", "raw, graph-sprints], options: {raw: {head: {"+own+"}}}", 1))
	args := []string{
		"all", filepath.Join(dir, "specs", "toy.yaml"), "--data", filepath.Join(dir, "data"), "--out", filepath.Join(dir, "out"),
		"--tasks", "nc", "--models", "raw,user-count", "--seeds", "1", "--epochs", "1",
	}
	code, stdout, stderr = bench(append(args, "--tune", "2")...)
	if code != exitDone || !strings.Contains(stderr, "tuning: 1 model of 2 trials each") || !strings.Contains(stdout, "--epochs 1") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if !exists(filepath.Join(dir, "out", "tuned", "specs", "raw.yaml")) {
		t.Error("no spec of what was found")
	}
	records, err := filepath.Glob(filepath.Join(dir, "out", "toy", "toy", "nc", "raw", "*.json"))
	if err != nil || len(records) != 1 || strings.Contains(read(t, records[0]), "0.0078125") {
		t.Errorf("the records of the tuned model are %v, %v", records, err)
	}
	_, _, stderr = bench(append(args, "--specs", filepath.Join(dir, "out", "tuned", "specs"))...)
	if !strings.Contains(stderr, "0 trials measured, 2 found measured") {
		t.Errorf("the tuned model is measured again:\n%s", stderr)
	}
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// TestStandardNames: a dataset of any name can be measured, and the flags of the
// standard suite need one.
func TestStandardNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"2024", "1e5", "null"} {
		_, flags := imported(t, name, "--label", "fraud")
		if code, _, stderr := bench(append([]string{"all", "--dry-run"}, flags...)...); code != exitDone {
			t.Errorf("%s: exit code %d\n%s", name, code, stderr)
		}
	}
	long := "shop-sim@0.4,shop-sim@0.5,shop-sim@0.6,transfers-sim@0.5,transfers-sim@0.6,transfers-sim@0.7"
	for _, names := range []string{"shop-sim@0.5", long} {
		if code, _, stderr := bench("all", "--dry-run", "--dataset", names, "--out", dir); code != exitDone {
			t.Errorf("%s: exit code %d\n%s", names, code, stderr)
		}
	}
	for _, flag := range []string{"--label-delay=6h", "--hours=2"} {
		if code, _, stderr := bench("all", "--dry-run", flag, "--out", dir); code != exitUsage || !strings.Contains(stderr, "they need --dataset") {
			t.Errorf("%s: exit code %d\n%s", flag, code, stderr)
		}
	}
}

// TestStandardReplaced: a dataset that was imported again has a suite of its own, and
// the page of a folder is of its suite.
func TestStandardReplaced(t *testing.T) {
	dir, flags := imported(t, "payments", "--label", "fraud")
	measure(t, append([]string{"all", "--hours", "0.002", "--models", "user-count"}, flags...)...)
	measure(t, append([]string{"report", filepath.Join(dir, "page.html")}, flags...)...)
	if page := read(t, dir, "page.html"); !strings.Contains(page, "Node classification, payments") {
		t.Error("the page has no summary of the dataset")
	}
	measure(t, "data", "import", "../docs/your-data/payments.csv", "--name", "payments", "--src", "account", "--dst", "shop", "--bipartite", "--time", "paid_at",
		"--features", "amount", "--data", filepath.Join(dir, "data"), "--replace")
	code, _, stderr := bench(append([]string{"all", "--hours", "0.002", "--models", "popularity"}, flags...)...)
	if code != exitDone || !strings.Contains(read(t, dir, "out", "payments", standardFile), "no labels") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
