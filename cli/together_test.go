//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dgsbench/internal/lock"
	"dgsbench/results/record"
)

// through makes a process start by another program.
func through(cmd *exec.Cmd, program ...string) error {
	path, err := exec.LookPath(program[0])
	cmd.Args = append(program, append([]string{cmd.Path}, cmd.Args[1:]...)...)
	cmd.Path = path
	return err
}

// namespace starts a process as number 1 of a namespace of its own, as in a
// container.
var namespace = []string{"unshare", "--pid", "--fork", "--kill-child", "--mount-proc"}

func needNamespaces(t *testing.T) {
	t.Helper()
	if out, err := exec.Command(namespace[0], append(namespace[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("a namespace of processes needs rights that this user lacks: %v %s", err, out)
	}
}

// twoRuns starts two runs of the suite in one folder and expects that they
// share the work and that both print all of it.
func twoRuns(t *testing.T, prepare func(*exec.Cmd) error) {
	t.Helper()
	dir := workplace(t)
	var whole undisturbed
	whole.run(t, dir)
	var cmds [2]*exec.Cmd
	var outs, errs [2]*bytes.Buffer
	for i := range cmds {
		cmds[i], outs[i], errs[i] = process(all(dir, "shared")...)
		if err := prepare(cmds[i]); err != nil {
			t.Fatal(err)
		}
	}
	// A file of somebody else's, which looks like one that a process is
	// writing.
	foreign := filepath.Join(dir, "shared", "backup", "db.tmp-99999-1")
	write(t, foreign, "precious")
	for _, cmd := range cmds {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, errs[0], errs[1])
		}
	}
	if read(t, foreign) != "precious" {
		t.Error("a file of somebody else's was changed")
	}
	if err := os.RemoveAll(filepath.Dir(foreign)); err != nil {
		t.Fatal(err)
	}
	whole.compare(t, "first", outs[0].String(), filepath.Join(dir, "shared"))
	whole.compare(t, "second", outs[1].String(), filepath.Join(dir, "shared"))
	mine, theirs := measuredBy(t, errs[0].String()), measuredBy(t, errs[1].String())
	if want := len(records(whole.files)); mine+theirs != want {
		t.Errorf("%d and %d trials measured, expected %d together", mine, theirs, want)
	}
}

// TestTwoRunsAtOnce: two runs in one folder share the work, whatever tells
// their processes apart.
func TestTwoRunsAtOnce(t *testing.T) {
	twoRuns(t, func(*exec.Cmd) error { return nil })
}

// TestTwoRunsInNamespaces: the same of two processes that both have the
// number 1.
func TestTwoRunsInNamespaces(t *testing.T) {
	needNamespaces(t)
	twoRuns(t, func(cmd *exec.Cmd) error { return through(cmd, namespace...) })
}

// TestTwoRunsWithLeases: the same where the file system has no locks.
func TestTwoRunsWithLeases(t *testing.T) {
	twoRuns(t, func(cmd *exec.Cmd) error {
		cmd.Env = append(cmd.Env, "DGSBENCH_LOCKS=leases")
		return nil
	})
}

const sleepySuite = `name: toy-latency
title: Toy
protocol: {batch: 20}
runs:
  - {task: nc, datasets: [toy], models: [user-count]}
  - {task: nc, datasets: [toy], models: [user-count, sleeper], protocol: {latency: {batches: 20, iterations: 3, lead: 40}}}
`

// sleepy is a workplace with a suite whose latency test takes a while, in a
// folder of its own for the caches of users.
func sleepy(t *testing.T) (dir string, args []string) {
	t.Helper()
	dir = latencyWorkplace(t, sleepySuite)
	write(t, filepath.Join(dir, "specs", "sleeper.yaml"), "id: sleeper\nmodel: sleeper\ntitle: Sleeper\n")
	t.Setenv(sleep, "5ms")
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	return dir, latencyArgs(dir)
}

const waitsToTime = "another process is timing models on this machine: waiting until it releases "

// twiceAtOnce runs a command in two processes, which must end well with the same
// tables, and gives what each of them wrote to standard error.
func twiceAtOnce(t *testing.T, args ...string) (first, second string) {
	t.Helper()
	one, out1, err1 := process(args...)
	other, out2, err2 := process(args...)
	for _, cmd := range []*exec.Cmd{one, other} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range []*exec.Cmd{one, other} {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s\n%s", err, err1, err2)
		}
	}
	if out1.String() != out2.String() || out1.Len() == 0 {
		t.Errorf("tables differ:\n%s\n%s", out1, out2)
	}
	return err1.String(), err2.String()
}

// TestTwoLatencyTestsAtOnce: of two runs in one folder, one times and the
// other waits for its records; both end well, with the same tables.
func TestTwoLatencyTestsAtOnce(t *testing.T) {
	_, args := sleepy(t)
	args[0] = "all"
	err1, err2 := twiceAtOnce(t, args...)
	if n := strings.Count(err1+err2, waitsToTime+timingLock); n != 1 {
		t.Errorf("%d runs waited, expected one\n%s\n%s", n, err1, err2)
	}
	if mine, theirs := measuredBy(t, err1), measuredBy(t, err2); mine+theirs != 3 {
		t.Errorf("%d and %d trials measured, expected 3 together", mine, theirs)
	}
}

// TestReadWhileLatencyIsMeasuredAgain: tables of a folder whose records
// another run replaces are never refused as damaged or replaced.
func TestReadWhileLatencyIsMeasuredAgain(t *testing.T) {
	dir, args := sleepy(t)
	t.Setenv(sleep, "0")
	args[0] = "all"
	if code, _, stderr := inProcess(t, args...); code != exitDone {
		t.Fatal(stderr)
	}
	store := record.Store{Dir: filepath.Join(dir, "out")}
	measured, _, err := store.Load("toy-latency")
	measured = slices.DeleteFunc(measured, func(r record.Record) bool { return r.Latency == nil })
	if err != nil || len(measured) == 0 {
		t.Fatal(measured, err)
	}
	again := func(r record.Record) error {
		times, err := store.Times(r)
		if err != nil {
			return err
		}
		for _, ns := range times {
			ns[0]++
		}
		_, err = store.Write(r, times)
		return err
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 30 {
			for i, r := range measured {
				err := again(r)
				if err == nil {
					measured[i], _, err = store.Find(r.Key, r.Identity)
				}
				if err != nil {
					t.Error(err)
				}
			}
		}
	}()
	for more, read := true, 0; more; read++ {
		select {
		case <-done:
			more = false
		default:
		}
		command := append([]string{[]string{"tables", "all"}[read%2]}, args[1:]...)
		if code, _, stderr := bench(command...); code != exitDone || strings.Contains(stderr, "sidecar") {
			t.Fatalf("after %d times: exit code %d\n%s", read, code, stderr)
		}
	}
}

// TestTimingWaits: whatever times models waits while another process does,
// says so, and can be interrupted.
func TestTimingWaits(t *testing.T) {
	dir, args := sleepy(t)
	held, err := lock.Try(timingLock)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	everything := append([]string{"all"}, args[1:]...)
	for name, args := range map[string][]string{
		"latency": args,
		"compare": append(args, "--compare", os.Args[0]),
		"all":     everything,
		"live":    append([]string{"live", "--suite", "toy"}, args[3:]...),
		"scale":   {"scale", "user-count", "--length", "2000", "--nodes", "100", "--out", filepath.Join(dir, "scaled")},
	} {
		cmd, stdout, stderr := process(args...)
		log, err := os.Create(filepath.Join(dir, name+".log"))
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		cmd.Stderr = log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, name+" waits", func() bool { return strings.Contains(read(t, log.Name()), waitsToTime+timingLock+"\n") })
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the exit code is compared
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, %q, expected %d\n%s%s", name, code, stdout, exitInterrupted, read(t, log.Name()), stderr)
		}
	}
}

// TestKilledLatency: what a killed one was writing is removed by the next, in
// the folder of the results and in the user's cache.
func TestKilledLatency(t *testing.T) {
	dir, args := sleepy(t)
	left := filepath.Join(dir, "out", lock.Folder, "tmp", strings.Repeat("A", 26), "tables.md")
	write(t, left, "half")
	compare := append(args, "--compare", os.Args[0])
	scratch := func() []string {
		found, _ := filepath.Glob(filepath.Join(dir, "cache", "dgsbench", lock.Folder, "tmp", strings.Repeat("?", 26)))
		return found
	}
	var killed []string
	for try := 0; len(killed) != 1; try++ { // it may be killed when it has just removed one folder
		cmd, _, stderr := process(compare...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it compares", func() bool { return len(scratch()) == 1 })
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil { // a build that it runs would write to the folder again
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if killed = scratch(); try == 5 {
			t.Fatalf("nothing was left to remove: %v\n%s", killed, stderr)
		}
	}
	next, _, _ := process(compare...)
	if err := next.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the next one removes it", func() bool { _, err := os.Stat(killed[0]); return err != nil })
	_ = next.Process.Signal(syscall.SIGTERM)
	_ = next.Wait()
	if got := scratch(); len(got) != 0 {
		t.Errorf("left %v of %v", got, killed)
	}
	if code, _, stderr := inProcess(t, args...); code != exitDone {
		t.Error(stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", lock.Folder)); err == nil {
		t.Error("what a killed process was writing is still there")
	}
}

// TestTwoSearchesAtOnce: the second continues from what the first has written.
func TestTwoSearchesAtOnce(t *testing.T) {
	dir := workplace(t)
	args := tuneModels("graph-sprints", dir, "out")
	err1, err2 := twiceAtOnce(t, args...)
	if both := err1 + err2; !strings.Contains(both, "done: 7 trials measured, 0 found") || !strings.Contains(both, "done: 0 trials measured, 7 found") {
		t.Errorf("expected that one measures all trials and the other finds them\n%s", both)
	}
}

// TestTwoFetchesAtOnce: of two downloads into one folder, the second waits and
// finds the file, which stays whole.
func TestTwoFetchesAtOnce(t *testing.T) {
	asked := make(chan bool, 2)
	more := make(chan bool)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- true
		w.Header().Set("Content-Length", fmt.Sprint(len(servedText)))
		fmt.Fprint(w, servedText[:9])
		w.(http.Flusher).Flush()
		<-more
		fmt.Fprint(w, servedText[9:])
	}))
	defer srv.Close()
	dir := t.TempDir()
	first, _, err1 := fetching(srv, "data", "fetch", "served", "--data", dir)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	second, _, _ := fetching(srv, "data", "fetch", "served", "--data", dir)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	second.Stderr = log
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "served.csv")
	waits := "another process is downloading " + path + ": waiting for it\n"
	for start := time.Now(); !strings.Contains(read(t, log.Name()), waits) && len(asked) == 0 && time.Since(start) < 20*time.Second; {
		time.Sleep(5 * time.Millisecond)
	}
	close(more)
	if err := first.Wait(); err != nil {
		t.Errorf("%v\n%s", err, err1)
	}
	if err := second.Wait(); err != nil {
		t.Errorf("%v\n%s", err, read(t, log.Name()))
	}
	if got, want := read(t, log.Name()), waits+"nothing to do: "+path+" exists already and is complete\n"; got != want {
		t.Errorf("the second said %q, expected %q", got, want)
	}
	if got := read(t, path); got != servedText || len(asked) > 0 {
		t.Errorf("%q, asked again %v, expected %q by one", got, len(asked) > 0, servedText)
	}
}

// TestStoppedSearch: a search that stood still while another one took its
// lease over ends and says why; the other one's history is whole.
func TestStoppedSearch(t *testing.T) {
	t.Parallel() // it waits for most of its time
	dir := workplace(t)
	args := append(tuneModels("dgs", dir, "out"), "--trials", "400", "--epochs", "100")
	stood, _, err1 := process(args...)
	stood.Env = append(stood.Env, "DGSBENCH_LOCKS=leases")
	if err := stood.Start(); err != nil {
		t.Fatal(err)
	}
	defer stood.Process.Kill() // where the test fails
	lease := lock.In(filepath.Join(dir, "out"), "tune") + ".lease"
	eventually(t, "the search has begun", func() bool {
		found, err := filepath.Glob(filepath.Join(dir, "out", "tuned", "*", "*.jsonl"))
		return err == nil && len(found) > 0
	})
	if err := stood.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	was := read(t, lease)
	second, _, err2 := process(args...)
	second.Env = append(second.Env, "DGSBENCH_LOCKS=leases")
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	defer second.Process.Kill()
	eventually(t, "the lease is taken over", func() bool { return read(t, lease) != was })
	if err := stood.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	_ = stood.Wait() // the exit code tells
	if code := stood.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(err1.String(), lock.ErrLost.Error()) {
		t.Errorf("exit code %d, expected %d\n%s", code, exitFailed, err1)
	}
	if err := second.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = second.Wait()
	if code := second.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("the other one: exit code %d, expected %d\n%s", code, exitInterrupted, err2)
	}
}
