package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/datasets"
)

// ownLog writes a log with text and a missing number, and returns the words that
// import it.
func ownLog(t *testing.T) (dir string, args []string) {
	t.Helper()
	dir = t.TempDir()
	t.Cleanup(func() { datasets.SetImported(nil) })
	write(t, filepath.Join(dir, "log.csv"), "a,b,t,kind,x\nu,v,1,app,1\nu,w,2,web,\nz,v,3,app,3\nv,u,4,new,4\n")
	return dir, []string{
		"data", "import", filepath.Join(dir, "log.csv"), "--data", dir, "--name", "mine", "--src", "a", "--dst", "b", "--time", "t",
		"--split-by", "row", "--split", "0.5,0.75",
	}
}

// TestImportColumns: what stands in the way is named with its flag, and with the
// flags the columns are listed.
func TestImportColumns(t *testing.T) {
	dir, args := ownLog(t)
	for _, c := range []struct{ more, want string }{
		{"--features x", "log.csv:3: column 5 (x): found nothing, expected a finite number within the range of float32; --missing mean, or a number, takes the place of missing values (--missing NAME=0: of one column)"},
		{"--features kind", `column 4 (kind): found "app", expected a finite number within the range of float32; --categories NAME makes columns of 0 and 1 of a text`},
		{"--features x --missing median", `--missing median: "median", expected mean or a number`},
		{"--features x --missing 0 --missing mean", "--missing mean: a second value for all features, expected one"},
		{"--features x --missing y=0", `expected a column named "y"`},
		{"--categories kind --one-hot 0 --hashed 0", "expected --one-hot from 0 and --hashed from 1, to 100000"},
		{"- -", "standard input (-) is named more than once"},
	} {
		if code, out, stderr := bench(append(args, strings.Fields(c.more)...)...); code != exitUsage || out != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, stderr %q, expected %q", c.more, code, stderr, c.want)
		}
	}
	code, out, stderr := bench(append(args, "--features", "x", "--categories", "kind", "--missing", "mean", "--missing", "x=7")...)
	want := "mine: 4 events, 4 nodes, 4 features\n"
	if code != exitDone || !strings.Contains(out, want) || !strings.HasSuffix(out, "\nkind: a column of 0 and 1 for each of 2 levels in the train part\nx: 1 missing values are 7, and a column of 0 and 1 says which\n") {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
	if got, want := read(t, dir, "mine", "events.csv"), "src,dst,time,f1,f2,f3,f4\n0,1,0,1,0,1,0\n0,2,1,7,1,0,1\n3,1,2,3,0,1,0\n1,0,3,4,0,0,0\n"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}

// TestImportLife: a dataset is imported from standard input, asked for its names,
// replaced and removed.
func TestImportLife(t *testing.T) {
	dir, args := ownLog(t)
	in, err := os.Open(args[2])
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	args[2] = "-"
	cmd, stdout, errs := process(args...)
	cmd.Stdin = in
	if err := cmd.Run(); err != nil || !strings.Contains(stdout.String(), ": 4 events, 4 nodes, 0 features") {
		t.Fatalf("%v\n%s%s", err, stdout, errs)
	}
	step := func(words string, code int, want string) {
		t.Helper()
		got, out, stderr := bench(append(strings.Fields(words), "--data", dir)...)
		if got != code || !strings.Contains(out+stderr, want) {
			t.Errorf("%s: exit code %d, expected %d and %q\n%s%s", words, got, code, want, out, stderr)
		}
	}
	step("data names mine", exitDone, "NODE  NAME\n0     u\n1     v\n2     w\n3     z\n")
	step("data names mine 3 0", exitDone, "3     z\n0     u\n")
	step("data names mine 2 --json", exitDone, `"name": "w"`)
	step("data names mine 4", exitUsage, `node "4", expected a number from 0 to 3`)
	step("data names wikipedia", exitUsage, "dataset wikipedia comes with the benchmark, expected one that was imported")
	args[2] = filepath.Join(dir, "log.csv")
	if code, _, stderr := bench(args...); code != exitUsage || !strings.Contains(stderr, "mine exists already; --replace imports the dataset again, and `bench data remove mine` removes it") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	if code, out, stderr := bench(append(args, "--replace", "--bipartite")...); code != exitDone || !strings.Contains(out, "4 events, 6 nodes") {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
	step("data names mine", exitDone, "0     u\n1     z\n2     v\n3     v\n4     w\n5     u\n")
	step("data verify mine", exitDone, "mine: whole\n")
	write(t, filepath.Join(dir, "mine", "nodes.csv"), "node,name\n")
	step("data verify mine", exitFailed, "nodes.csv has SHA-256 ")
	write(t, filepath.Join(dir, "mine", "dataset.yaml"), "version: 9\n")
	step("data remove mime", exitUsage, `no import "mime" in `+dir+` (did you mean "mine"?); there are: [mine]`)
	step("data remove mine", exitDone, "done: removed the dataset mine from "+dir)
	step("data remove mine", exitUsage, `no import "mine" in `+dir)
}
