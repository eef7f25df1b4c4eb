package cli

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dgsbench/harness/cluster"

	"github.com/google/go-cmp/cmp"
)

// onLocal returns flags that have tasks of this machine measure, each of one trial.
func onLocal(t *testing.T, dir string) []string {
	t.Helper()
	file := filepath.Join(dir, "cluster.yaml")
	write(t, file, "min_minutes: 0\npoll_seconds: 0.02\nretries: 5\n")
	return []string{"--on", "local", "--on-options", file}
}

// same fails unless two folders have the same tables and numbers.
func same(t *testing.T, dir, tables, out, ofTables, of string) {
	t.Helper()
	if diff := cmp.Diff(ofTables, tables); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	numbers := func(out string) string { return read(t, dir, out, "toy", "results.csv") }
	if diff := cmp.Diff(numbers(of), numbers(out)); diff != "" {
		t.Errorf("results.csv (-want +got):\n%s", diff)
	}
}

// TestOn: tasks give the tables and numbers of a run in one process, with locks and
// with leases, and a second call finds all.
func TestOn(t *testing.T) {
	dir := workplace(t)
	on := onLocal(t, dir)
	code, want, stderr := bench(all(dir, "here")...)
	if code != exitDone {
		t.Fatal(stderr)
	}
	for _, locks := range []string{"", "leases"} {
		out := "out" + locks
		t.Setenv("DGSBENCH_LOCKS", locks)
		code, got, stderr := bench(all(dir, out, on...)...)
		if code != exitDone || !strings.Contains(stderr, "done: 15 trials measured, 0 found measured, 0 failed") {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		same(t, dir, got, out, want, "here")
		code, got, stderr = bench(all(dir, out, on...)...)
		if code != exitDone || !strings.Contains(stderr, "done: 0 trials measured, 15 found measured, 0 failed") || got != want {
			t.Errorf("again: exit code %d\n%s", code, stderr)
		}
	}
}

// jobOf waits for the job in a folder of results, and until a task of it runs.
func jobOf(t *testing.T, out string) (j *cluster.Job, running int) {
	t.Helper()
	for range 1000 {
		time.Sleep(10 * time.Millisecond)
		jobs, err := cluster.Jobs(out)
		if err != nil || len(jobs) == 0 || len(jobs[0].Submissions) == 0 {
			continue
		}
		for _, task := range jobs[0].Tasks {
			if r, err := jobs[0].Report(task.Number); err == nil && !r.Started.IsZero() && r.Ended.IsZero() {
				return jobs[0], task.Number
			}
		}
	}
	t.Fatal("no task runs after ten seconds")
	return nil, 0
}

// TestOnKilledTasks: tasks that are killed are started again, and nothing differs.
func TestOnKilledTasks(t *testing.T) {
	dir := workplace(t)
	edit(t, dir, "seeds: 4", "seeds: 40")
	code, want, stderr := bench(all(dir, "here")...)
	if code != exitDone {
		t.Fatal(stderr)
	}
	cmd, stdout, messages := process(all(dir, "out", onLocal(t, dir)...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := 0
	for range 3 {
		j, _ := jobOf(t, filepath.Join(dir, "out"))
		if exec.Command("pkill", "-KILL", "-o", "-f", j.Program+" work .* [1-9]").Run() == nil {
			killed++
		}
	}
	if err := cmd.Wait(); err != nil || killed == 0 {
		t.Fatalf("%v, %d tasks killed\n%s", err, killed, messages)
	}
	same(t, dir, stdout.String(), "out", want, "here")
	if !strings.Contains(messages.String(), "submitted again") {
		t.Errorf("nothing was submitted again:\n%s", messages)
	}
}

// TestCancel: bench status names what runs, bench cancel ends it, and the same command
// goes on.
func TestCancel(t *testing.T) {
	dir := workplace(t)
	edit(t, dir, "seeds: 4", "seeds: 40")
	out := filepath.Join(dir, "out")
	if code, _, stderr := bench("status", "--out", dir); code != exitUsage || !strings.Contains(stderr, "nothing was submitted in "+dir+": bench all --on slurm would") {
		t.Errorf("status of nothing: exit code %d\n%s", code, stderr)
	}
	args := all(dir, "out", onLocal(t, dir)...)
	cmd, _, messages := process(args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	j, _ := jobOf(t, out)
	code, stdout, stderr := bench("status", "--out", out, "--json")
	var all []cluster.Status
	if err := json.Unmarshal([]byte(stdout), &all); err != nil || code != exitDone || len(all) != 1 {
		t.Fatalf("status: exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	s := all[0]
	if s.Done+s.Running+s.Waiting != 7+2*40 || s.Waiting == 0 || len(s.Tasks) != len(j.Tasks) {
		t.Errorf("%d done, %d running, %d waiting in %d tasks", s.Done, s.Running, s.Waiting, len(s.Tasks))
	}
	if code, stdout, _ := bench("status", "--out", out); code != exitDone || !strings.HasPrefix(stdout, "toy on local: ") || !strings.Contains(stdout, "waiting") {
		t.Errorf("status: exit code %d\n%s", code, stdout)
	}
	if code, _, stderr := bench("cancel", "--out", out); code != exitDone || !strings.Contains(stderr, "cancelled the tasks of toy") {
		t.Errorf("cancel: exit code %d\n%s", code, stderr)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(messages.String(), "the job was cancelled; the same command starts what is left") {
		t.Errorf("%v\n%s", err, messages)
	}
	if exec.Command("pgrep", "-f", j.Program+" work").Run() == nil {
		t.Error("tasks are left")
	}
	if code, _, stderr := bench("cancel", "--out", out); code != exitDone || !strings.Contains(stderr, "no task was left to cancel") {
		t.Errorf("cancel again: exit code %d\n%s", code, stderr)
	}
	if code, _, stderr := bench(args...); code != exitDone || !strings.Contains(stderr, ", 0 failed") {
		t.Errorf("the same command: exit code %d\n%s", code, stderr)
	}
}

// TestWork: a task stops when it is asked to, goes on when it is started again, and
// does nothing when its work is done.
func TestWork(t *testing.T) {
	dir := workplace(t)
	edit(t, dir, "seeds: 4", "seeds: 200")
	options := filepath.Join(dir, "cluster.yaml")
	write(t, options, "min_minutes: 1000\npoll_seconds: 0.02\n")
	cmd, _, _ := process(all(dir, "out", "--on", "local", "--on-options", options)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	j, number := jobOf(t, filepath.Join(dir, "out"))
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for exec.Command("pkill", "-KILL", "-f", j.Program+" work").Run() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	// Nobody takes tasks for alive whose processes have ended.
	if code, stdout, _ := bench("status", "--out", filepath.Join(dir, "out")); code != exitFailed || !strings.Contains(stdout, "lost; over") {
		t.Errorf("status after all was killed: exit code %d\n%s", code, stdout)
	}
	work := j.Arguments(number)[1:]
	task, _, messages := process(work...)
	if err := task.Start(); err != nil {
		t.Fatal(err)
	}
	before, err := j.Report(number)
	for r := before; err == nil && len(r.Measured) <= len(before.Measured); r, err = j.Report(number) {
		time.Sleep(5 * time.Millisecond)
	}
	if err := errors.Join(err, task.Process.Signal(syscall.SIGTERM)); err != nil {
		t.Fatal(err)
	}
	if _ = task.Wait(); task.ProcessState.ExitCode() != cluster.ExitAgain {
		t.Errorf("exit code %d, expected %d\n%s", task.ProcessState.ExitCode(), cluster.ExitAgain, messages)
	}
	r, err := j.Report(number)
	if err != nil || !r.Again || r.Over() || len(r.Measured) == len(j.Tasks[number-1].Trials) {
		t.Errorf("%+v, %v", r, err)
	}
	if code, _, stderr := bench(work...); code != exitDone {
		t.Fatalf("started again: exit code %d\n%s", code, stderr)
	}
	if r, err := j.Report(number); err != nil || !r.Over() || r.Attempts < 3 {
		t.Errorf("%+v, %v", r, err)
	}
	if code, stdout, stderr := bench(work...); code != exitDone || stdout+stderr != "" {
		t.Errorf("of a task that is done: exit code %d\n%s%s", code, stdout, stderr)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"work", j.Folder, "77"}, "has the tasks 1 to"},
		{[]string{"work", j.Folder, "first"}, `the task is "first", expected a number`},
		{[]string{"work", dir, "1"}, "job.json"},
	} {
		if code, _, stderr := bench(c.args...); code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit code %d, expected %q\n%s", c.args, code, c.want, stderr)
		}
	}
	j.Code, j.Tasks[number-1].Trials = "another", []string{"nothing"}
	if err := os.Remove(filepath.Join(j.Folder, "reports", work[2]+".json")); err != nil {
		t.Fatal(err)
	}
	if err := j.Write(); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := bench(work...); code == exitDone || !strings.Contains(stderr, "expected another, which has submitted the job") {
		t.Errorf("another version: exit code %d\n%s", code, stderr)
	}
}

// TestOnRefused: what cannot work is found out before anything is submitted.
func TestOnRefused(t *testing.T) {
	dir := workplace(t)
	write(t, filepath.Join(dir, "unknown.yaml"), "min_minute: 3\n")
	write(t, filepath.Join(dir, "text.yaml"), "poll_seconds: 0.02\nprogram: "+filepath.Join(dir, "unknown.yaml")+"\n")
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--on-options", filepath.Join(dir, "text.yaml")}, "--on-options: expected --on, too"},
		{[]string{"--on", "pbs"}, `--on: "pbs" is no engine, expected local, slurm, ray`},
		{[]string{"--on", "local", "--on-options", filepath.Join(dir, "unknown.yaml")}, "unknown.yaml"},
		{[]string{"--on", "local", "--on-options", filepath.Join(dir, "text.yaml")}, "the probe ended without an answer"},
	} {
		code, _, stderr := bench(all(dir, "out", c.flags...)...)
		if code == exitDone || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit code %d, expected %q\n%s", c.flags, code, c.want, stderr)
		}
		if jobs, err := cluster.Jobs(filepath.Join(dir, "out")); len(jobs) > 0 || err != nil {
			t.Errorf("%q: left the jobs %v, %v", c.flags, jobs, err)
		}
	}
}

// TestTuneOn: a search whose trials are measured by tasks has the trials and values of
// one in this process.
func TestTuneOn(t *testing.T) {
	dir := workplace(t)
	search := func(out string, flags ...string) any {
		t.Helper()
		code, stdout, stderr := bench(append([]string{
			"tune", "--model", "raw", "--dataset", "toy", "--task", "nc", "--trials", "3", "--random", "2", "--epochs", "2", "--json",
			"--data", filepath.Join(dir, "data"), "--out", filepath.Join(dir, out),
		}, flags...)...)
		var value any
		if err := json.Unmarshal([]byte(stdout), &value); err != nil || code != exitDone {
			t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
		}
		return withoutTimes(value)
	}
	want := search("here", "--workers", "1")
	if diff := cmp.Diff(want, search("out", onLocal(t, dir)...)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// withoutTimes leaves out keys of times and of folders, at any depth.
func withoutTimes(value any) any {
	switch value := value.(type) {
	case []any:
		for i, v := range value {
			value[i] = withoutTimes(v)
		}
	case map[string]any:
		for key, v := range value {
			if value[key] = withoutTimes(v); strings.Contains(key, "seconds") || key == "out" || key == "folder" {
				delete(value, key)
			}
		}
	}
	return value
}

// TestLatencyOn: latency tests name the node that they had.
func TestLatencyOn(t *testing.T) {
	dir := latencyWorkplace(t, latencySuite)
	code, stdout, stderr := bench(append(latencyArgs(dir), onLocal(t, dir)...)...)
	if code != exitDone || !strings.Contains(stdout, "Graph-Sprints") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	name, err := os.Hostname()
	if want := "latency tests (3 models) had node " + name + " for themselves"; err != nil || !strings.Contains(stderr, want) {
		t.Errorf("%v, expected %q in\n%s", err, want, stderr)
	}
}

// TestPlanOn: the plan of a cluster says tasks, hours and scripts, and leaves nothing.
func TestPlanOn(t *testing.T) {
	dir := workplace(t)
	options := filepath.Join(dir, "cluster.yaml")
	write(t, options, "nodes: 4\nnode_cores: 2\nmin_minutes: 0.0001\n")
	args := append([]string{"plan", "--data", filepath.Join(dir, "data"), "--on", "slurm", "--on-options", options}, where(dir)...)
	code, stdout, stderr := bench(args...)
	for _, want := range []string{"Suite toy on slurm: 15 trials in ", "critical path: ", "on 4 nodes of 2 cores, if all are free: "} {
		if code != exitDone || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, expected %q\n%s%s", code, want, stdout, stderr)
		}
	}
	code, stdout, stderr = bench(append(args, "--json")...)
	var p jobPlan
	if err := json.Unmarshal([]byte(stdout), &p); err != nil || code != exitDone || len(p.Tasks) < 2 || p.Seconds < p.Critical || p.Critical > p.Sum {
		t.Errorf("exit code %d, %v, %+v\n%s", code, err, p, stderr)
	}
	_, script, _ := bench(append(args, "--dry-run")...)
	for _, want := range []string{"#SBATCH --array=1", "#SBATCH --requeue", "#SBATCH --dependency=afterany:$ID", "/bench work "} {
		if !strings.Contains(script, want) {
			t.Errorf("expected %q in\n%s", want, script)
		}
	}
	if jobs, err := cluster.Jobs(filepath.Join(dir, "out")); len(jobs) > 0 || err != nil {
		t.Errorf("left the jobs %v, %v", jobs, err)
	}
}

func TestWithoutEngine(t *testing.T) {
	for _, c := range [][2]string{
		{"all --on slurm --seeds 2", "all --seeds 2"},
		{"all --on=ray --on-options=a.yaml my.yaml", "all my.yaml"},
		{"run --on-options a.yaml --quiet", "run --quiet"},
		{"run -- --on slurm", "run -- --on slurm"},
		{"run --only x", "run --only x"},
	} {
		if got := withoutEngine(strings.Fields(c[0])); !slices.Equal(got, strings.Fields(c[1])) {
			t.Errorf("%s: %q, expected %s", c[0], got, c[1])
		}
	}
}
