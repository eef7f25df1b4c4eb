package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dgsbench/internal/golden"

	"github.com/google/go-cmp/cmp"
)

// TestAll: tables on standard output, everything else on standard error; a
// second run measures nothing and prints the same.
func TestAll(t *testing.T) {
	dir := workplace(t)
	code, first, stderr := bench(all(dir, "out")...)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for _, want := range []string{"Node classification", "Link prediction", "all nodes", "destinations", "Graph-Sprints"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
	if !strings.Contains(stderr, "done: 15 trials measured, 0 found measured, 0 failed") {
		t.Errorf("no summary in\n%s", stderr)
	}
	code, second, stderr := bench(all(dir, "out")...)
	if code != exitDone || !strings.Contains(stderr, "done: 0 trials measured, 15 found measured, 0 failed") {
		t.Errorf("second run: exit code %d\n%s", code, stderr)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("first (-) and second run (+):\n%s", diff)
	}
	_, third, _ := bench(append([]string{"tables"}, where(dir)...)...)
	if diff := cmp.Diff(first, third); diff != "" {
		t.Errorf("all (-) and tables (+):\n%s", diff)
	}
}

func where(dir string) []string {
	return []string{"--suite", "toy", "--specs", filepath.Join(dir, "specs"), "--out", filepath.Join(dir, "out")}
}

// TestResults: the CSV and the JSON say the same.
func TestResults(t *testing.T) {
	dir := workplace(t)
	if code, _, stderr := bench(all(dir, "out", "--seeds", "1")...); code != exitDone {
		t.Fatal(stderr)
	}
	_, text, _ := bench(append([]string{"results"}, where(dir)...)...)
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := "suite,dataset,task,setting,model,variant,candidates,split,device,metric,unit,mean,std,n,ci_low,ci_high,case,degenerate,caveat"
	if got := strings.Join(lines[0], ","); got != want {
		t.Errorf("columns %s, expected %s", got, want)
	}
	_, text, _ = bench(append([]string{"results", "--format", "json"}, where(dir)...)...)
	var objects []map[string]any
	if err := json.Unmarshal([]byte(text), &objects); err != nil {
		t.Fatal(err)
	}
	if len(objects) != len(lines)-1 || len(objects) == 0 {
		t.Fatalf("%d objects, %d lines", len(objects), len(lines)-1)
	}
	for i, o := range objects {
		for c, name := range lines[0] {
			if _, there := o[name]; !there {
				t.Fatalf("object %d has no %s", i, name)
			}
			if s, isText := o[name].(string); isText && s != lines[i+1][c] {
				t.Errorf("row %d, %s: %q in JSON, %q in CSV", i, name, s, lines[i+1][c])
			}
		}
	}
}

// TestWrongUse: exit code 2 and one line that says what is wrong.
func TestWrongUse(t *testing.T) {
	dir := workplace(t)
	write(t, filepath.Join(dir, "damaged", "toy.csv"), "src,dst,t,label,a,b\nu1,i1,0,0,1,2\nu1,i1,1,0,one,2\n")
	write(t, filepath.Join(dir, "bad.yaml"), "id: mine\nmodel: raw\ntitle: Mine\noptions: {head: {droput: 0.1}}\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--nonsense"}, "unknown flag: --nonsense"},
		{[]string{"al"}, `unknown command "al" for "bench" (did you mean "all"?)`},
		{[]string{"tabels", "--suite", "quick"}, `(did you mean "tables"?)`},
		{[]string{"help", "tabels"}, `(did you mean "tables"?)`},
		{[]string{"data", "lst"}, `unknown command "lst" for "bench data" (did you mean "list"?)`},
		{[]string{"data", "junk"}, `"bench data"; known: list, stats, fetch, verify, import, remove, names`},
		{[]string{"spec", "shw"}, `(did you mean "show"?)`},
		{[]string{"completion", "bsh"}, `(did you mean "bash"?)`},
		{[]string{"spec", "show", filepath.Join(dir, "specs", "toy.yaml")}, "toy.yaml is a suite, expected a model or a model spec"},
		{[]string{"spec", "show", filepath.Join(dir, "bad.yaml")}, `did you mean "dropout"`},
		{[]string{"spec", "show", filepath.Join(dir, "none.yaml")}, "none.yaml: no such file"},
		{[]string{"all", "--suite", "wiki-rael"}, `unknown suite "wiki-rael" (did you mean "wiki-real"?)`},
		{[]string{"all", "--models", "recensy"}, `(did you mean "recency"?)`},
		{[]string{"all", "--suite", "wiki-real", "--data", filepath.Join(dir, "nothing")}, "--data DIR says where files are"},
		{[]string{"all", "--workers", "-1"}, "--workers is -1, expected"},
		{[]string{"all", "--seeds", "0"}, "expected a whole number from 1 to 1000"},
		{[]string{"all", "--seeds", "1000001"}, `invalid argument "1000001" for "--seeds" flag: expected a whole number from 1 to 1000`},
		{[]string{"all", "--workers", "1000000000"}, "--workers is 1000000000, expected 0 to 1024"},
		{[]string{"latency", "--threads", "1000000000"}, "--threads is 1000000000, expected 1 to 1024"},
		{[]string{"tune", "--model", "raw", "--dataset", "shop-sim", "--task", "nc", "--trials", "1000000000"}, "--trials is 1000000000, expected 1 to 10000"},
		{[]string{"check", "--statistical", "--first-seed", "18446744073709551615"}, "expected a first seed of 18446744073709550615 at most"},
		{[]string{"all", "--out", ""}, "--out is empty"},
		{[]string{"all", "--out", filepath.Join(dir, "bad.yaml")}, "--out: "},
		{[]string{"all", "--models", "raw", "--tasks", "lp"}, "fits all of the models, datasets and tasks"},
		{[]string{"tables", "--out", filepath.Join(dir, "nothing")}, "no records of suite quick"},
		{[]string{"tables", "--format", "pdf"}, `--format is "pdf", expected`},
		{[]string{"data", "stats", "wikipdia"}, `did you mean "wikipedia"`},
		{[]string{"spec", "show", "graph-sprint"}, `did you mean "graph-sprints"`},
		{[]string{"run", filepath.Join(dir, "bad.yaml"), "--suite", "torch-nc"}, `did you mean "dropout"`},
		{[]string{"scale"}, "accepts 1 arg(s), received 0"},
		{[]string{"scale", "user-count"}, "no sweep, expected at least one"},
		{[]string{"scale", "user-cuont", "--sweep", "length=10"}, `did you mean "user-count"`},
		{[]string{"scale", "user-count", "--sweep", "lenght=10"}, `did you mean "length"`},
		{[]string{"scale", "user-count", "--sweep", "length=10", "--format", "pdf"}, `--format is "pdf", expected`},
		{[]string{"scale", "user-count", "--sweep", "length=10", "--nodes", "ten"}, `expected a whole number such as 200 or 1e6, found "ten"`},
		{[]string{"scale", "user-count", "--sweep", "length=10", "--threads", "0"}, "threads is 0, expected 1 to 1024"},
		{[]string{"scale", "user-count", "--sweep", "length=10", "--out", ""}, "--out is empty"},
		{[]string{"scale", "user-count", "--sweep", "length=10", "--verbose"}, "unknown flag: --verbose"}, // it reads no files and has no epochs
		{[]string{
			"all", "--suite", "toy", "--specs", filepath.Join(dir, "specs"), "--out", filepath.Join(dir, "out"),
			"--data", filepath.Join(dir, "damaged"),
		}, "toy.csv:3"},
	} {
		code, stdout, stderr := bench(c.args...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("bench %s: exit code %d, stdout %q, stderr %q; expected exit code 2 and one line with %q",
				strings.Join(c.args, " "), code, stdout, stderr, c.want)
		}
	}
}

// TestOwnModel: a user's model spec joins a suite, alone in run, beside the
// others in tables.
func TestOwnModel(t *testing.T) {
	dir := workplace(t)
	file := filepath.Join(dir, "mine.yaml")
	write(t, file, "id: mine\nmodel: raw\ntitle: My Raw\noptions: {head: {hidden: [8]}}\n")
	args := append([]string{"run", file, "--data", filepath.Join(dir, "data")}, where(dir)...)
	if code, _, stderr := bench(args...); code != exitDone || !strings.Contains(stderr, "done: 4 trials measured") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if code, stdout, stderr := bench("spec", "show", file); code != exitDone || !strings.Contains(stdout, "hidden: [8] # default, "+file+":4") {
		t.Errorf("spec show: exit code %d\n%s%s", code, stderr, stdout)
	}
	code, stdout, stderr := bench(append([]string{"tables", file}, where(dir)...)...)
	if code != exitDone || !strings.Contains(stdout, "My Raw") || !strings.Contains(stdout, "Graph-Sprints") {
		t.Errorf("exit code %d\n%s%s", code, stderr, stdout)
	}
}

// TestFailedTrial: exit code 1, the tables are printed and say why.
func TestFailedTrial(t *testing.T) {
	dir := workplace(t)
	write(t, filepath.Join(dir, "specs", "broken.yaml"), "id: broken\nmodel: broken\ntitle: Broken\n")
	write(t, filepath.Join(dir, "specs", "toy.yaml"), strings.Replace(toySuite, "user-count", "broken", 1))
	code, stdout, stderr := bench(all(dir, "out")...)
	if code != exitFailed {
		t.Errorf("exit code %d, expected %d\n%s", code, exitFailed, stderr)
	}
	for _, want := range []string{"failed: broken on toy", "14 trials measured, 0 found measured, 1 failed"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
	if want := "score of event 720 is NaN"; !strings.Contains(stdout, want) {
		t.Errorf("no %q in\n%s", want, stdout)
	}
}

// TestFailedBefore: a failed trial is not run again, and it is said how to
// have it run.
func TestFailedBefore(t *testing.T) {
	dir := workplace(t)
	write(t, filepath.Join(dir, "specs", "broken.yaml"), "id: broken\nmodel: broken\ntitle: Broken\n")
	write(t, filepath.Join(dir, "specs", "toy.yaml"), strings.Replace(toySuite, "user-count", "broken", 1))
	args := all(dir, "out", "--models", "broken")
	bench(args...)
	code, _, stderr := bench(args...)
	if code != exitFailed || !strings.Contains(stderr, "failed before: broken on toy") || !strings.Contains(stderr, "to run it again, remove") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// TestNarrowedRun: the files beside the records are those of the whole suite.
func TestNarrowedRun(t *testing.T) {
	dir := workplace(t)
	bench(all(dir, "out", "--models", "user-count")...)
	if _, err := os.Stat(filepath.Join(dir, "out", "toy", "results.csv")); err == nil {
		t.Error("a narrowed run wrote results.csv")
	}
	bench(all(dir, "out")...)
	whole := read(t, dir, "out", "toy", "results.csv")
	bench(all(dir, "out", "--models", "user-count")...)
	if diff := cmp.Diff(whole, read(t, dir, "out", "toy", "results.csv")); diff != "" {
		t.Errorf("a narrowed run changed results.csv:\n%s", diff)
	}
}

// TestGolden: what the listing commands print.
func TestGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"help":      {"--help"},
		"scale":     {"scale", "--help"},
		"latency":   {"latency", "--help"},
		"spec-show": {"spec", "show", "edgebank+tw"},
	} {
		t.Run(name, func(t *testing.T) {
			code, got, stderr := bench(args...)
			if code != exitDone {
				t.Fatalf("exit code %d\n%s", code, stderr)
			}
			golden.Compare(t, filepath.Join("testdata", name+".stdout"), got)
		})
	}
}

// TestLists: the golden files are printed, but for lines and names of models and
// datasets that were added since.
func TestLists(t *testing.T) {
	for name, args := range map[string][]string{
		"models":    {"models"},
		"data-list": {"data", "list", "--data", "nowhere"},
	} {
		code, got, stderr := bench(args...)
		if code != exitDone {
			t.Fatalf("%s: exit code %d\n%s", name, code, stderr)
		}
		golden := read(t, "testdata", name+".stdout")
		if diff := cmp.Diff(squeezeList(golden, golden), squeezeList(got, golden)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// squeezeList returns a list without the rows and names that the golden file does
// not have, and without the blanks that were only there for their width.
func squeezeList(text, golden string) (lines []string) {
	known := map[string]bool{}
	for _, word := range strings.Fields(strings.ReplaceAll(golden, ",", "")) {
		known[word] = true
	}
	list, rest, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\n\n")
	var rows [][]rune
	width := 0
	for line := range strings.SplitSeq(list, "\n") {
		if known[strings.Fields(line)[0]] {
			rows = append(rows, []rune(line))
			width = max(width, len([]rune(line)))
		}
	}
	blank := func(i int) bool { // in all rows
		return !slices.ContainsFunc(rows, func(r []rune) bool { return i < len(r) && r[i] != ' ' })
	}
	for _, row := range rows {
		var kept []rune
		for i, c := range row {
			if i == 0 || !blank(i) || !blank(i-1) {
				kept = append(kept, c)
			}
		}
		lines = append(lines, strings.TrimRight(string(kept), " "))
	}
	for line := range strings.SplitSeq(rest, "\n") {
		if head, names, ok := strings.Cut(line, " downloads: "); ok {
			added := func(name string) bool { return !known[name] }
			line = head + " downloads: " + strings.Join(slices.DeleteFunc(strings.Split(names, ", "), added), ", ")
		}
		lines = append(lines, line)
	}
	return lines
}

// TestCommentsDoNotMatter: a comment or another title in a spec changes no
// result, so records stay valid and seeds made before and after it belong
// together.
func TestCommentsDoNotMatter(t *testing.T) {
	dir := workplace(t)
	file := filepath.Join(dir, "mine.yaml")
	measure := func(text, seeds, want string) {
		t.Helper()
		write(t, file, text)
		args := append([]string{"run", file, "--data", filepath.Join(dir, "data"), "--seeds", seeds}, where(dir)...)
		if code, _, stderr := bench(args...); code != exitDone || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, expected %q in\n%s", code, want, stderr)
		}
	}
	const options = "options: {head: {hidden: [8]}}\n"
	measure("id: mine\nmodel: raw\ntitle: Mine\n"+options, "2", "2 trials measured, 0 found")
	measure("# a comment\nid: mine\nmodel: raw\ntitle: Still mine\n"+options, "3", "1 trials measured, 2 found")
	code, stdout, stderr := bench(append([]string{"tables", file, "--seeds", "3"}, where(dir)...)...)
	if code != exitDone || !strings.Contains(stdout, "Still mine") {
		t.Errorf("exit code %d\n%s%s", code, stderr, stdout)
	}
}

// TestOneBadBatch: a feature beyond what networks can be fed fails the one model
// that reads it. The others are measured, planned and timed, and a second run does
// nothing again.
func TestOneBadBatch(t *testing.T) {
	dir := workplace(t)
	toy := read(t, dir, "data", "toy.csv")
	write(t, filepath.Join(dir, "data", "toy.csv"), regexp.MustCompile(`(,899,.),[^,]*,`).ReplaceAllString(toy, "$1,1e20,"))
	write(t, filepath.Join(dir, "specs", "toy.yaml"), "name: toy\ntitle: Toy\nseeds: 1\nprotocol: {batch: 20, epochs: 2}\nruns:\n"+
		"  - {task: nc, datasets: [toy], models: [user-age, user-count, raw]}\n"+
		"  - {task: nc, datasets: [toy], models: [user-age, raw], protocol: {latency: {batches: 5, lead: 40, iterations: 2}}}\n")
	code, _, stderr := bench(all(dir, "out")...)
	if code != exitFailed || !strings.Contains(stderr, "3 trials measured, 0 found measured, 2 failed") || !strings.Contains(stderr, "raw: feature 0 of event 899 is 1e+20, expected a number within ±1e+15") {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	before := read(t, dir, "out", "toy", "tables.md")
	code, _, stderr = bench(all(dir, "out")...)
	if code != exitFailed || !strings.Contains(stderr, "0 trials measured, 3 found measured, 2 failed") || strings.Count(stderr, "failed before: raw on toy") != 2 {
		t.Errorf("again: exit code %d\n%s", code, stderr)
	}
	if diff := cmp.Diff(before, read(t, dir, "out", "toy", "tables.md")); diff != "" {
		t.Errorf("tables of the first run (-) and of the second (+):\n%s", diff)
	}
}
