package cli

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"dgsbench/datasets"

	"github.com/google/go-cmp/cmp"
)

// importToy imports the toy's file under another name, packed and out of
// order.
func importToy(t *testing.T, dir string, more ...string) (code int, stdout, stderr string) {
	t.Helper()
	lines := strings.SplitAfter(read(t, dir, "data", "toy.csv"), "\n")
	lines[10], lines[20] = lines[20], lines[10]
	file := filepath.Join(dir, "log.gz")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := gzip.NewWriter(f)
	fmt.Fprint(w, strings.Join(lines, ""))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { datasets.SetImported(nil) })
	return bench(append([]string{
		"data", "import", file, "--data", filepath.Join(dir, "data"), "--name", "mine", "--src", "1", "--dst", "dst", "--time", "t",
		"--label", "label", "--features", "a,b", "--bipartite", "--split", "0.6,0.8", "--split-by", "row",
	}, more...)...)
}

// TestImportedLikeAnyOther: the toy's events under another name have the
// same link prediction results; the learned rows differ only by their
// features, which are standardised.
func TestImportedLikeAnyOther(t *testing.T) {
	dir := workplace(t)
	code, stdout, stderr := importToy(t, dir, "--sort")
	if code != exitDone {
		t.Fatal(stderr)
	}
	if want := "900 events, 49 nodes, 2 features\nPART (60/20/20 by row)  EVENTS  POSITIVES\ntrain                   540"; !strings.Contains(stdout, want) {
		t.Errorf("no %q in\n%s", want, stdout)
	}
	write(t, filepath.Join(dir, "specs", "toy.yaml"), strings.ReplaceAll(toySuite, "[toy]", "[mine, toy]"))
	if code, _, stderr := bench(all(dir, "out")...); code != exitDone {
		t.Fatal(stderr)
	}
	_, text, _ := bench(append([]string{"results", "--data", filepath.Join(dir, "data")}, where(dir)...)...)
	rows := map[string][]string{}
	for _, line := range strings.Split(text, "\n") {
		if f := strings.Split(line, ","); len(f) > 3 && f[2] == "lp" && f[3] == "T" {
			rows[f[1]] = append(rows[f[1]], strings.Join(f[2:], ","))
		}
	}
	if diff := cmp.Diff(rows["toy"], rows["mine"]); diff != "" || len(rows["toy"]) == 0 {
		t.Errorf("%d rows; toy (-) and mine (+):\n%s", len(rows["toy"]), diff)
	}
	if code, _, stderr := bench(append([]string{"tables", "--data", dir}, where(dir)...)...); code != exitUsage || !strings.Contains(stderr, `unknown dataset "mine"`) {
		t.Errorf("another data folder: exit code %d\n%s", code, stderr)
	}
	if _, list, _ := bench("data", "list", "--data", filepath.Join(dir, "data")); !strings.Contains(list, "\nmine ") {
		t.Errorf("it is not listed in\n%s", list)
	}
}

// TestDamagedImport: it is listed and counted as damaged, and the others are
// used as before.
func TestDamagedImport(t *testing.T) {
	dir := workplace(t)
	if code, _, stderr := importToy(t, dir, "--sort"); code != exitDone {
		t.Fatal(stderr)
	}
	data := filepath.Join(dir, "data")
	write(t, filepath.Join(data, "mine", "dataset.yaml"), "version: 1\n")
	if code, list, stderr := bench("data", "list", "--data", data); code != exitDone || !regexp.MustCompile(`(?m)^mine .* damaged `).MatchString(list) {
		t.Errorf("exit code %d, stderr %q, no damaged one in\n%s", code, stderr, list)
	} else if regexp.MustCompile(`downloads: .*\bmine\b`).MatchString(list) {
		t.Errorf("the damaged import is offered for download in\n%s", list)
	}
	code, out, stderr := bench("data", "verify", "--data", data)
	if code != exitFailed || !strings.Contains(out, "toy: whole\n") || !strings.HasSuffix(stderr, "bench: 1 of 2 files in "+data+" are damaged or missing\n") {
		t.Errorf("verify: exit code %d, stdout %q, stderr %q", code, out, stderr)
	}
	if code, _, stderr := bench("data", "stats", "toy", "--data", data); code != exitDone {
		t.Errorf("another dataset: exit code %d, stderr %q", code, stderr)
	}
	if code, _, stderr := bench("data", "stats", "mine", "--data", data); code != exitUsage || !strings.Contains(stderr, "dataset.yaml") {
		t.Errorf("the damaged one: exit code %d, stderr %q", code, stderr)
	}
}

// TestImportCannotWrite: a data folder that cannot be made is no wrong use.
func TestImportCannotWrite(t *testing.T) {
	dir := workplace(t)
	write(t, filepath.Join(dir, "taken"), "a file")
	if code, _, stderr := importToy(t, dir, "--sort", "--data", filepath.Join(dir, "taken", "data")); code != exitFailed {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	if code, _, stderr := bench("data", "import", filepath.Join(dir, "none.csv"), "--data", dir, "--name", "x", "--src", "1", "--dst", "2", "--time", "3"); code != exitUsage {
		t.Errorf("no source: exit code %d, stderr %q", code, stderr)
	}
}

// TestImportWrongUse: exit code 2, one line, and nothing in the data folder.
func TestImportWrongUse(t *testing.T) {
	dir := workplace(t)
	for _, c := range []struct {
		more []string
		want string
	}{
		{nil, "log.gz:12: column 3 (t): found 10, expected a time not before the last line's 19; --sort puts events in order of time"},
		{[]string{"--sort", "--name", "toy"}, "the benchmark has a dataset toy of its own"},
		{[]string{"--sort", "--split", "0.5"}, "--split has 3 numbers, expected two"},
		{[]string{"--sort", "--separator", "colon"}, `--separator: a separator "colon", expected auto, comma, tab, semicolon, pipe or space`},
		{[]string{"--separator", "tab"}, `found one column, "src,dst,t,label,a,b", expected columns with the separator tab (comma gives 6); --separator says what stands between fields`},
		{[]string{"--time-unit", "minutes"}, `--time-unit: a unit "minutes", expected auto, s, ms, us or ns`},
		{[]string{"--features", "a,rest"}, "--features a,b,a,rest: rest and none stand alone (a column of that name goes by its number)"},
		{[]string{"--features", "5"}, `column 5 (a): found two uses, "a" for a feature and "5" for a feature, expected one use per column (a number means the column at that place)`},
		{[]string{"--sort", "--dst", "a"}, `found two uses, "a" for the destination and "a" for a feature`},
		{[]string{"--sort", "--src", "srk"}, `expected a column named "srk" (did you mean "src"?)`},
	} {
		code, stdout, stderr := importToy(t, dir, c.more...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q; want one line with %q", c.more, code, stdout, stderr, c.want)
		}
		if found, err := os.ReadDir(filepath.Join(dir, "data")); err != nil || len(found) != 1 {
			t.Errorf("%v: %v is left, error %v", c.more, found, err)
		}
	}
	file := filepath.Join(dir, "new.csv")
	write(t, file, "id,payer,payee,at\r\n1,a,b,5\r\n")
	for name, want := range map[string]string{
		file:                           "required flags are not set: --dst, --name, --time; " + file + ` begins with "id,payer,payee,at"`,
		"-":                            "required flags are not set: --dst, --name, --time\n",
		filepath.Join(dir, "none.csv"): "none.csv: no such file",
	} {
		if code, _, stderr := bench("data", "import", name, "--src", "payer"); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, expected %q:\n%s", code, want, stderr)
		}
	}
}

// TestImportRemedies: what may be no damage is refused with the flag for it,
// and read with that flag.
func TestImportRemedies(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "log.csv")
	t.Cleanup(func() { datasets.SetImported(nil) })
	for name, c := range map[string]struct{ text, want, flags string }{
		"ns":        {"a b t\nu v 1700000000123456789\nu v 1700000001123456789\nu v 1700000002123456790\nv u 1700000002123456791\n", "(such a large number seems to be ns); --time-unit says what they are", "--time-unit ns"},
		"no-header": {"u|v|11\nu|v|12\nu|v|13\nv|u|14\n", "found a time, 11, expected a header line (name the column if it really has this name); --no-header says that the first line is an event", "--no-header"},
		"unsorted":  {"a,b,t\nu,v,2\nu,v,1\nu,v,3\nv,u,4\n", "; --sort puts events in order of time", "--sort"},
	} {
		write(t, file, c.text)
		args := []string{"data", "import", file, "--data", dir, "--name", name, "--src", "1", "--dst", "2", "--time", "3", "--split-by", "row"}
		if code, _, stderr := bench(args...); code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, stderr %q, want %q", name, code, stderr, c.want)
		}
		if code, stdout, stderr := bench(append(args, strings.Fields(c.flags)...)...); code != exitDone || !strings.Contains(stdout, ": 4 events, 2 nodes") {
			t.Errorf("%s %s: exit code %d, stdout %q, stderr %q", name, c.flags, code, stdout, stderr)
		}
	}
	if got, want := read(t, dir, "ns", "events.csv"), "src,dst,time\n0,1,0\n0,1,1\n0,1,2.000000001\n1,0,2.000000002\n"; got != want {
		t.Errorf("nanoseconds: %q, expected %q", got, want)
	}
}

// TestImportWithoutHeader: an event in the place of the header line is told
// from a misspelt name.
func TestImportWithoutHeader(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "log.csv")
	for _, c := range []struct {
		text string
		more []string
		hint bool
	}{
		{text: "1700000000,u4,i1\n1700000001,u5,i1\n", hint: true},
		{text: "2024-05-31T08:15:00Z,u4,i1\n2024-05-31T08:16:00Z,u5,i1\n", hint: true},
		{text: "1700000000,u4,i1\n1700000001,u5,i1\n", more: []string{"--no-header"}},
		{text: "time,src,dest\n1700000001,u5,i1\n"},
		{text: "t,from,2024\n1700000001,u5,7\n", more: []string{"--time", "t"}},
	} {
		write(t, file, c.text)
		code, _, stderr := bench(append([]string{"data", "import", file, "--data", dir, "--name", "x", "--src", "source", "--dst", "target", "--time", "at"}, c.more...)...)
		hint := strings.HasSuffix(stderr, "; --no-header says that the first line is an event, and columns go by number\n")
		if code != exitUsage || !strings.Contains(stderr, "expected a column named") || hint != c.hint {
			t.Errorf("%q %v: exit code %d, stderr %q, want a hint: %t", c.text, c.more, code, stderr, c.hint)
		}
	}
}

// TestImportUnlabelled: no positives are counted where nothing has a class.
func TestImportUnlabelled(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "log.csv")
	write(t, file, "a,b,t\nu,v,1\nu,v,2\nu,v,3\nv,u,4\n")
	t.Cleanup(func() { datasets.SetImported(nil) })
	code, stdout, stderr := bench("data", "import", file, "--data", dir, "--name", "bare", "--src", "a", "--dst", "b", "--time", "t", "--split-by", "row")
	if code != exitDone || !regexp.MustCompile(`(?m)^test +1 +–$`).MatchString(stdout) {
		t.Errorf("import: exit code %d, stdout\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = bench("data", "stats", "bare", "--data", dir)
	for _, want := range []string{`(?m)^  test +1 events, – positive$`, `(?m)^positive labels +–$`} {
		if code != exitDone || !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("stats: exit code %d, no %q in\n%s%s", code, want, stdout, stderr)
		}
	}
	code, stdout, stderr = bench("data", "stats", "bare", "--data", dir, "--json")
	var stats struct {
		Events   int
		Labelled *bool
	}
	if err := json.Unmarshal([]byte(stdout), &stats); code != exitDone || err != nil || stats.Events != 4 || stats.Labelled == nil || *stats.Labelled {
		t.Errorf("stats --json: exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
}

// TestImportInterrupted: a signal ends it with exit code 130 and one line, and
// nothing is left.
func TestImportInterrupted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "log.csv")
	var text strings.Builder
	text.WriteString("a,b,t\n")
	for k := range 2_000_000 {
		fmt.Fprintf(&text, "u%d,v%d,%d\n", k%977, k%31, k)
	}
	write(t, file, text.String())
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		data := filepath.Join(dir, "data")
		cmd, stdout, stderr := process("data", "import", file, "--data", data, "--name", "mine", "--src", "a", "--dst", "b", "--time", "t")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if found, _ := filepath.Glob(filepath.Join(data, ".dgsbench", "tmp", "*", "mine")); len(found) > 0 {
				break
			}
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the exit code is compared
		want := "bench: interrupted: nothing of " + file + " is imported or left behind\n"
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || stdout.Len() > 0 || stderr.String() != want {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q, want %q", signal, code, stdout, stderr, want)
		}
		if left, err := os.ReadDir(data); err != nil || len(left) > 0 {
			t.Errorf("%v: %v is left, error %v", signal, left, err)
		}
	}
}

// TestSuites: one whose dataset is not in the data folder hides no other.
func TestSuites(t *testing.T) {
	withImport(t)
	remove(t, "specs", "tabs.yaml")
	write(t, filepath.Join("specs", "travel.yaml"), "name: travel\ntitle: Travel\nruns: [{task: lp, models: [edgebank], datasets: [tours], settings: [T]}]\n")
	code, stdout, stderr := bench("suites", "--specs", "specs")
	if code != exitDone || !strings.Contains(stdout, "\ntravel ") || stderr != "" {
		t.Errorf("exit code %d\n%s%s", code, stderr, stdout)
	}
	code, stdout, stderr = bench("suites", "--specs", "specs", "--data", "nowhere")
	if code != exitUsage || !strings.HasPrefix(stderr, "bench: suite travel: "+filepath.Join("specs", "travel.yaml")+`:3: `) ||
		!strings.Contains(stderr, `unknown dataset "tours"`) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("without its dataset: exit code %d, expected %d and one line:\n%s", code, exitUsage, stderr)
	}
	if strings.Contains(stdout, "\ntravel ") || !strings.Contains(stdout, "\ntoy ") || !strings.Contains(stdout, "\nquick ") {
		t.Errorf("expected the others:\n%s", stdout)
	}
}
