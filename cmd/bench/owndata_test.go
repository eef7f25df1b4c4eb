package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
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
	t.Cleanup(func() { _ = datasets.SetImported(nil) })
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
		{[]string{"--sort", "--separator", "pipe"}, `--separator: a separator "pipe", expected auto, comma, tab or semicolon`},
		{[]string{"--sort", "--dst", "a"}, "found a layout that uses this column twice"},
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
	if code, _, stderr := bench("data", "import", "x.csv"); code != exitUsage || !strings.Contains(stderr, `required flag(s) "dst", "name", "src", "time" not set`) {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// fetching is bench in a process of its own, in which the dataset "served" is
// on the test's server.
func fetching(srv *httptest.Server, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	cmd, stdout, stderr = process(args...)
	cmd.Env = append(cmd.Env, served+"="+srv.URL)
	return cmd, stdout, stderr
}

// TestFetchAndVerify: silent but for the last line where nobody watches.
func TestFetchAndVerify(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, servedText) }))
	defer srv.Close()
	dir := filepath.Join(t.TempDir(), "data")
	file := filepath.Join(dir, "served.csv")
	step := func(args string, wantCode int, wantOut, wantErr string) {
		t.Helper()
		cmd, stdout, stderr := fetching(srv, append(strings.Fields(args), "--data", dir)...)
		_ = cmd.Run() // the exit code is compared
		if code := cmd.ProcessState.ExitCode(); code != wantCode || stdout.String() != wantOut || !strings.HasSuffix(stderr.String(), wantErr) || wantErr == "" && stderr.Len() > 0 {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q; want %d, %q, %q", args, code, stdout, stderr, wantCode, wantOut, wantErr)
		}
	}
	step("data verify", exitDone, "no files of datasets in "+dir+"\n", "")
	step("data fetch served", exitDone, "", "done: served is in "+file+"\n")
	step("data fetch served", exitDone, "", "nothing to do: "+file+" is there already, and whole\n")
	step("data verify", exitDone, "served: whole\n", "")
	step("data verify served", exitDone, "served: whole\n", "")
	step("data verify toy", exitFailed, "", "bench: 1 of 1 files in "+dir+" are damaged or missing\n")
	step("data verify shop-sim", exitUsage, "", "bench: dataset shop-sim is made when it is used: there is no file to verify\n")
	step("data fetch shop-sim", exitUsage, "", "bench: dataset shop-sim is made when it is used: there is nothing to fetch\n")
	write(t, file, "a,b,t\nu,v,1\nv,w,3\n")
	step("data verify", exitFailed, "", "it is damaged or another version; get it again from "+srv.URL+"\nbench: 1 of 1 files in "+dir+" are damaged or missing\n")
	step("data fetch served", exitFailed, "", "remove the file to fetch it again\n")
}

// TestFetchInterrupted: a signal ends it with exit code 130 and a message
// that says how to go on.
func TestFetchInterrupted(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(servedText)))
		fmt.Fprint(w, servedText[:9])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer srv.Close()
	dir := t.TempDir()
	part := filepath.Join(dir, "served.csv.part")
	cmd, _, stderr := fetching(srv, "data", "fetch", "served", "--data", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // also when it does not end
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(part); err == nil && info.Size() == 9 {
			break
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is compared
	want := "9 bytes are kept in " + part + ", and the same command goes on"
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(stderr.String(), want) {
		t.Errorf("exit code %d, stderr %q, want %q", code, stderr, want)
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		done, all, first int64
		spent            time.Duration
		want             string
	}{
		{60e6, 100e6, 20e6, 10 * time.Second, "  60.0 of 100.0 MB  4.0 MB/s  10s left"},
		{20e6, 100e6, 20e6, time.Second, "  20.0 MB  0.0 MB/s"},
		{5e6, 5e6, 0, time.Second, "  5.0 MB  5.0 MB/s"},
	} {
		if got := rate(c.done, c.all, c.first, c.spent); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
