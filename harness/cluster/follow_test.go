package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// following is a job whose program is a shell script, as it is called by bench:
// work FOLDER NUMBER. The script can write reports with the function report.
func following(t *testing.T, script string, tasks int) *Job {
	t.Helper()
	out := t.TempDir()
	j := &Job{Folder: filepath.Join(Root(out), "a-job"), Name: "a-job", Dir: out, Options: DefaultOptions(), Engine: "local"}
	j.Program, j.Options.PollSeconds = filepath.Join(j.Folder, "bench"), .01
	for n := 1; n <= tasks; n++ {
		j.Tasks = append(j.Tasks, Task{Number: n, Kind: Trials, Trials: []string{fmt.Sprint("trial ", n)}, Need: Need{Cores: 1}, Seconds: 1})
	}
	if err := errors.Join(os.MkdirAll(j.Folder, 0o777), j.MakeFolders(), j.Write()); err != nil {
		t.Fatal(err)
	}
	const head = `#!/bin/sh
folder=$2 number=$3
report() { echo "{\"node\": \"here\", \"started\": \"2026-01-01T00:00:00Z\", $1}" >"$folder/reports/new.$number" && mv "$folder/reports/new.$number" "$folder/reports/$number.json"; }
over='"ended": "2026-01-01T00:00:01Z", "share": 1'
`
	if err := os.WriteFile(j.Program, []byte(head+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return j
}

// followed is what the hooks of a run were told.
type followed struct {
	started  int
	measured []string
	again    []string
	share    float64
}

func (f *followed) hooks() Hooks {
	return Hooks{
		Start:    func(n int) { f.started = n },
		Measured: func(_ Task, m Measured) { f.measured = append(f.measured, m.Key) },
		Progress: func(share float64) { f.share = share },
		Again:    func(n int, why string) { f.again = append(f.again, fmt.Sprint(n, " ", why)) },
	}
}

func runJob(t *testing.T, j *Job) (followed, error) {
	t.Helper()
	e, err := Open(j.Engine, j.Options)
	if err != nil {
		t.Fatal(err)
	}
	var f followed
	err = j.Run(t.Context(), e, f.hooks())
	return f, err
}

// TestRun: tasks are done, those that ask for it run again, and all records are
// reported once and in order.
func TestRun(t *testing.T) {
	j := following(t, `
if [ $number = 2 ] && [ ! -e "$folder/asked" ]; then
	touch "$folder/asked"
	report '"again": true, "ended": "2026-01-01T00:00:01Z", "measured": [{"key": "2a"}]'
	exit 75
fi
[ $number = 4 ] && ls "$folder/reports" >"$folder/before"
report "$over, \"measured\": [{\"key\": \"${number}a\"}, {\"key\": \"${number}b\"}]"
`, 4)
	j.Tasks[3].Last = true
	f, err := runJob(t, j)
	if err != nil || f.started != 4 || len(f.again) != 0 || f.share != 1 {
		t.Fatalf("%+v: %v", f, err)
	}
	slices.Sort(f.measured)
	if want := []string{"1a", "1b", "2a", "2b", "3a", "3b", "4a", "4b"}; !slices.Equal(f.measured, want) {
		t.Errorf("measured %v, expected %v", f.measured, want)
	}
	before, err := os.ReadFile(filepath.Join(j.Folder, "before"))
	if err != nil || string(before) != "1.json\n2.json\n3.json\n" {
		t.Errorf("the last task has found %q, %v", before, err)
	}
	if read, err := Read(j.Folder); err != nil || len(read.Submissions) != 1 || !slices.Equal(read.Submissions[0].Tasks, []int{1, 2, 3, 4}) {
		t.Errorf("%+v, %v", read, err)
	}
	// Waiting again submits nothing.
	if err := os.Remove(j.Program); err != nil {
		t.Fatal(err)
	}
	if f, err := runJob(t, j); err != nil || len(f.measured) != 8 {
		t.Errorf("waiting again: %+v, %v", f, err)
	}
}

// TestRunLost: a task that ends without a report is submitted again, until it was
// submitted too often; all others are done all the same.
func TestRunLost(t *testing.T) {
	j := following(t, `
echo "line of $number"
echo run >>"$folder/runs.$number"
[ $number = 1 ] && kill -KILL $$
[ $number = 2 ] && [ $(wc -l <"$folder/runs.2") -lt 2 ] && exit 1
[ $number = 3 ] && { report '"ended": "2026-01-01T00:00:01Z", "error": "no space left on device"'; exit 1; }
report "$over"
`, 4)
	j.Options.Retries = 2
	f, err := runJob(t, j)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"2 of 4 tasks failed", "task 1: signal: killed; its log is " + j.Log(1) + ", which ends:\n    line of 1",
		"task 3 on here: no space left on device; its log is " + j.Log(3),
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nexpected %q", err, want)
		}
	}
	for n, want := range map[int]int{1: 3, 2: 2, 3: 1, 4: 1} {
		data, _ := os.ReadFile(filepath.Join(j.Folder, fmt.Sprint("runs.", n)))
		if got := strings.Count(string(data), "run"); got != want {
			t.Errorf("task %d has run %d times, expected %d", n, got, want)
		}
	}
	if len(f.again) == 0 || !strings.Contains(strings.Join(f.again, "\n"), "signal: killed") {
		t.Errorf("again: %q", f.again)
	}
}

// TestRunCancelled: another process cancels the job, and its tasks end.
func TestRunCancelled(t *testing.T) {
	j := following(t, `echo $$ >"$folder/pid.$number"; exec sleep 100`, 2)
	ended := make(chan error)
	go func() {
		_, err := runJob(t, j)
		ended <- err
	}()
	waitFor(t, func() bool { pids, _ := filepath.Glob(filepath.Join(j.Folder, "pid.*")); return len(pids) > 0 })
	other, err := Read(j.Folder)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open("local", j.Options)
	if err == nil {
		err = other.Cancel(t.Context(), e)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ErrCancelled) {
		t.Errorf("%v, expected %v", err, ErrCancelled)
	}
	waitFor(t, func() bool { return !j.anyRuns(t) })
}

// anyRuns reports whether a process of a task is there.
func (j *Job) anyRuns(t *testing.T) bool {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(j.Folder, "pid.*"))
	for _, file := range files {
		pid, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat("/proc/" + strings.TrimSpace(string(pid))); err == nil {
			return true
		}
	}
	return false
}

func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	for range 1000 {
		if what() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("not after ten seconds")
}

// TestRunInterrupted: tasks that are processes of this one end with it.
func TestRunInterrupted(t *testing.T) {
	j := following(t, `echo $$ >"$folder/pid.$number"; exec sleep 100`, 2)
	e, err := Open("local", j.Options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for !j.anyRuns(t) {
			time.Sleep(10 * time.Millisecond)
		}
		stop()
	}()
	var f followed
	if err := j.Run(ctx, e, f.hooks()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected %v", err, context.Canceled)
	}
	waitFor(t, func() bool { return !j.anyRuns(t) })
}

// TestAsk: the probe is answered, or the error says why it is not.
func TestAsk(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   []string // nil is no error
	}{
		"a node with everything": {`report "$over"`, nil},
		"a node without data":    {`report '"ended": "2026-01-01T00:00:01Z", "error": "no data here"'; exit 2`, []string{"node here cannot run the tasks: no data here"}},
		"a crash":                {`echo some words; exit 3`, []string{"the probe ended without an answer (exit status 3)", "some words", "expected nodes that have the folder"}},
	} {
		j := following(t, c.script, 1)
		e, err := Open("local", j.Options)
		if err != nil {
			t.Fatal(err)
		}
		r, err := j.Ask(t.Context(), e)
		if c.want == nil && (err != nil || r.Node != "here") {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, expected %q", name, err, want)
			}
		}
		if len(j.Submissions) > 0 {
			t.Errorf("%s: the probe counts as a submission", name)
		}
	}
}

// TestAskAnotherArchitecture: a program that this machine cannot run is named.
func TestAskAnotherArchitecture(t *testing.T) {
	j := following(t, "", 1)
	header := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 64)...)
	header[16], header[18] = 2, 0xf3 // an executable for RISC-V
	if err := os.WriteFile(j.Program, header, 0o755); err != nil {
		t.Fatal(err)
	}
	e, err := Open("local", j.Options)
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.Ask(t.Context(), e)
	if err == nil || !strings.Contains(err.Error(), "exec format error") || !strings.Contains(err.Error(), j.Program) {
		t.Errorf("%v, expected the format and %s", err, j.Program)
	}
}
