package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/harness"
	"dgsbench/results"
	"dgsbench/results/baseline"
	"dgsbench/results/record"
	"dgsbench/results/regression"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

// checked runs bench check on the toy suite with a baseline of its own.
func checked(dir string, more ...string) (code int, stdout, stderr string) {
	return bench(append([]string{
		"check", "--suite", "toy", "--data", filepath.Join(dir, "data"),
		"--specs", filepath.Join(dir, "specs"), "--baseline", filepath.Join(dir, "toy.json"),
	}, more...)...)
}

// accepted is a workplace whose toy suite has a baseline.
func accepted(t *testing.T) (dir string) {
	t.Helper()
	dir = workplace(t)
	if code, _, stderr := checked(dir, "--accept"); code != exitDone || !strings.Contains(stderr, "accepted: ") {
		t.Fatalf("--accept: exit code %d\n%s", code, stderr)
	}
	return dir
}

// edit replaces text in the toy suite's file.
func edit(t *testing.T, dir, old, now string) {
	t.Helper()
	file := filepath.Join(dir, "specs", "toy.yaml")
	text := read(t, file)
	if !strings.Contains(text, old) {
		t.Fatalf("no %q in\n%s", old, text)
	}
	write(t, file, strings.Replace(text, old, now, 1))
}

// TestCheckSame: the same build gives the same bits, and a script hears
// nothing but the verdict.
func TestCheckSame(t *testing.T) {
	code, stdout, stderr := checked(accepted(t))
	if code != exitDone || !strings.HasPrefix(stdout, "same: ") || !strings.Contains(stdout, "compared bit for bit") || stderr != "" {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
}

// TestCheckMoved: an option that changed is named, with the numbers that
// went with it; accepting them makes them the known ones.
func TestCheckMoved(t *testing.T) {
	dir := accepted(t)
	edit(t, dir, "models: [user-count, raw, graph-sprints]", "models: [user-count, raw, graph-sprints], options: {graph-sprints: {beta: 0.7}}")
	code, stdout, stderr := checked(dir)
	if code != exitFailed || !strings.Contains(stdout, "changed spec: graph-sprints on toy, nc (suite toy): options.beta: 0.8, now 0.7\n") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	if !strings.Contains(stderr, "bench check --accept makes it the baseline") {
		t.Errorf("it does not say what to do:\n%s", stderr)
	}
	code, stdout, _ = checked(dir, "--accept")
	if code != exitDone || !strings.Contains(stdout, "options.beta") {
		t.Errorf("--accept does not say what changed: exit code %d\n%s", code, stdout)
	}
	if code, stdout, _ = checked(dir); code != exitDone {
		t.Errorf("after --accept: exit code %d\n%s", code, stdout)
	}
}

// TestCheckJSON: the report for machines, on its own on standard output.
func TestCheckJSON(t *testing.T) {
	dir := accepted(t)
	edit(t, dir, "raw, graph-sprints", "raw")
	code, stdout, _ := checked(dir, "--json")
	var r regression.Outcome
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in\n%s", err, stdout)
	}
	want := []regression.Finding{{Kind: regression.MissingCell, Text: "graph-sprints on toy, nc (suite toy)"}}
	if diff := cmp.Diff(want, r.Findings); code != exitFailed || diff != "" {
		t.Errorf("exit code %d, findings (-want +got):\n%s", code, diff)
	}
}

// TestCheckFreshSeeds: other seeds are measured and named in the records.
func TestCheckFreshSeeds(t *testing.T) {
	dir := workplace(t)
	edit(t, dir, "seeds: 4", "seeds: 10")
	if code, _, stderr := checked(dir, "--accept"); code != exitDone {
		t.Fatal(stderr)
	}
	kept := filepath.Join(dir, "kept")
	code, stdout, stderr := checked(dir, "--statistical", "--first-seed", "10", "--out", kept)
	if code != exitDone || !strings.Contains(stdout, "compared statistically (asked for)") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	for pattern, want := range map[string]int{"raw/seed-1?-*.json": 10, "raw/*.json": 10, "user-count/seed-0-*.json": 1} {
		found, err := filepath.Glob(filepath.Join(kept, "build-*", "toy", "toy", "nc", pattern))
		if err != nil || len(found) != want {
			t.Errorf("%s: %d records, expected %d", pattern, len(found), want)
		}
	}
}

// TestCheckResumes: with --out, the same build takes up what it has measured;
// without, nothing is left behind.
func TestCheckResumes(t *testing.T) {
	dir := accepted(t)
	t.Setenv("TMPDIR", t.TempDir())
	if code, _, stderr := checked(dir); code != exitDone {
		t.Fatal(stderr)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	kept := filepath.Join(dir, "kept")
	if code, _, stderr := checked(dir, "--out", kept); code != exitDone {
		t.Fatal(stderr)
	}
	records, err := filepath.Glob(filepath.Join(kept, "build-*", "toy", "toy", "nc", "raw", "*.json"))
	if err != nil || len(records) != 4 {
		t.Fatalf("%d records: %v", len(records), err)
	}
	before, err := os.Stat(records[0])
	if err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := checked(dir, "--out", kept); code != exitDone {
		t.Fatal(stderr)
	}
	if after, err := os.Stat(records[0]); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("measured again: %v", err)
	}
}

// TestCheckAcceptsNoFault: what is wrong by itself never becomes the
// baseline.
func TestCheckAcceptsNoFault(t *testing.T) {
	dir := accepted(t)
	before := read(t, dir, "toy.json")
	write(t, filepath.Join(dir, "specs", "broken.yaml"), "{id: broken, model: broken, title: Broken}\n")
	edit(t, dir, "raw, graph-sprints", "raw, graph-sprints, broken")
	code, stdout, stderr := checked(dir, "--accept")
	if code != exitFailed || !strings.Contains(stdout, "failed trial: broken on toy") || !strings.Contains(stderr, "not accepted") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	if diff := cmp.Diff(before, read(t, dir, "toy.json")); diff != "" {
		t.Errorf("the baseline has changed:\n%s", diff)
	}
}

// TestCheckCannotCompare: exit code 2, and a message that says what to do.
func TestCheckCannotCompare(t *testing.T) {
	dir := accepted(t)
	damaged := filepath.Join(dir, "damaged.json")
	write(t, damaged, "{}")
	for want, args := range map[string][]string{
		"needs --statistical":             {"--first-seed", "10"},
		"too few seeds":                   {"--statistical"},
		"none.json: no such file":         {"--baseline", filepath.Join(dir, "none.json")},
		"is not a baseline":               {"--baseline", damaged},
		"belong together":                 {"--suite", "smoke"},
		"[accept statistical]":            {"--accept", "--statistical"},
		"call it in the project's":        {"--accept", "--baseline", ""},
		"unknown command \"more\" for \"": {"more"},
	} {
		code, _, stderr := checked(dir, args...)
		if code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, want %q in\n%s", args, code, want, stderr)
		}
	}
}

// TestCheckDamagedBaseline: what the message says to do works.
func TestCheckDamagedBaseline(t *testing.T) {
	dir := accepted(t)
	before := read(t, dir, "toy.json")
	write(t, filepath.Join(dir, "toy.json"), before[:len(before)/2])
	for _, more := range [][]string{nil, {"--accept"}} {
		code, _, stderr := checked(dir, more...)
		if code != exitUsage || !strings.Contains(stderr, "toy.json is not a baseline") ||
			!strings.Contains(stderr, "restore it, as from git, or remove it: bench check --accept then writes one") {
			t.Errorf("%v: exit code %d\n%s", more, code, stderr)
		}
	}
	if err := os.Remove(filepath.Join(dir, "toy.json")); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := checked(dir, "--accept"); code != exitDone {
		t.Fatalf("after removing it: exit code %d\n%s", code, stderr)
	}
	if diff := cmp.Diff(before, read(t, dir, "toy.json")); diff != "" {
		t.Errorf("(-before it was damaged +after --accept):\n%s", diff)
	}
}

// TestCheckDamagedBuiltIn: the built-in baseline is read only where it is
// used, and the project's own can be removed too.
func TestCheckDamagedBuiltIn(t *testing.T) {
	dir := accepted(t)
	t.Chdir(t.TempDir())
	write(t, filepath.Join("results", "baseline", "baseline.go"), "package baseline")
	if code, _, stderr := checked(dir, "--accept", "--baseline", ""); code != exitDone || !strings.Contains(stderr, "accepted: "+baselineFile) {
		t.Errorf("removed: exit code %d\n%s", code, stderr)
	}
	whole := baseline.CI
	t.Cleanup(func() { baseline.CI = whole })
	baseline.CI = whole[:len(whole)/2]
	if code, _, stderr := checked(dir); code != exitDone {
		t.Errorf("not used: exit code %d\n%s", code, stderr)
	}
	if code, _, stderr := checked(dir, "--baseline", ""); code != exitUsage || !strings.Contains(stderr, "restore it from git and build anew") {
		t.Errorf("used: exit code %d\n%s", code, stderr)
	}
}

// TestBaselineIsOfTheSuite: whoever changes the suite ci, or what its specs
// resolve to, accepts a new baseline with it.
func TestBaselineIsOfTheSuite(t *testing.T) {
	b, err := regression.ParseBaseline(baselineFile, baseline.CI)
	if err != nil {
		t.Fatal(err)
	}
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite(b.Suite)
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	have, want := map[record.CellKey]any{}, map[record.CellKey]any{}
	for _, c := range b.Cells {
		have[c.CellKey] = parsed(t, c.Spec)
	}
	for _, trial := range trials {
		spec := parsed(t, trial.JSON())
		delete(spec, "seed")
		want[results.KeyOf(trial).CellKey] = spec
	}
	if diff := cmp.Diff(have, want); diff != "" || b.Build.Numerics != harness.Numerics {
		t.Errorf("bench check --accept is due: numerics %d, the baseline has %d; baseline (-) and suite (+):\n%s",
			harness.Numerics, b.Build.Numerics, diff)
	}
}

func parsed(t *testing.T, text []byte) (object map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	return object
}
