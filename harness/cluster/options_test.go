package cluster

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestReadOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	read := func(text string) (Options, error) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return ReadOptions(file)
	}
	for text, want := range map[string]string{
		"min_minute: 3":                     `min_minute`,
		"min_minutes: -1":                   "min_minutes is -1, expected 0 to 10000",
		"cores: 0":                          "cores is 0, expected 1 to 1024",
		"time_factor: .5":                   "time_factor is 0.5, expected 1 to 100",
		"memory_gb: -2":                     "memory_gb is -2, expected 0 or more",
		"retries: 101":                      "retries is 101, expected 0 to 100",
		"poll_seconds: 0":                   "poll_seconds is 0, expected 0.01 to 3600",
		"nodes: -1":                         "nodes is -1, expected 0 or more",
		"node_cores: -1":                    "node_cores is -1, expected 0 or more",
		"slurm: {sbatch: [partition=long]}": `slurm.sbatch has "partition=long", expected options of sbatch`,
		"slurm: {sbatch: [\"--a\\n#SBATCH --b\"]}": "expected options of sbatch",
		"ray: {adress: x}":                         "adress",
		"cores: many":                              "cores",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%q: %v, expected %q and the file", text, err, want)
		}
	}
	o, err := read("cores: 4\nslurm: {sbatch: [--partition=long]}")
	want := DefaultOptions()
	want.Cores, want.Slurm.Sbatch = 4, []string{"--partition=long"}
	if err != nil || !reflect.DeepEqual(o, want) {
		t.Errorf("%+v, %v, expected %+v", o, err, want)
	}
	if _, err := ReadOptions(filepath.Join(t.TempDir(), "none.yaml")); err == nil {
		t.Error("a file that is not there is no error")
	}
	if _, err := Open("pbs", want); err == nil || !strings.Contains(err.Error(), "expected local, slurm, ray") {
		t.Errorf("an unknown engine: %v", err)
	}
}

// TestReadDamagedJob: a file that is no job is one error with its name.
func TestReadDamagedJob(t *testing.T) {
	j := following(t, "", 2)
	if _, err := j.Task(3); err == nil || !strings.Contains(err.Error(), "the tasks 1 to 2") {
		t.Errorf("a task that is not there: %v", err)
	}
	file := filepath.Join(j.Folder, jobFile)
	if err := os.WriteFile(file, []byte(`{"name": "cut sh`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Jobs(j.Dir); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("%v, expected %s", err, file)
	}
}

// TestStatusCounts counts trials by what tasks report and where the engine has them.
func TestStatusCounts(t *testing.T) {
	report := func(keys int, more string) string {
		return `{"node": "n", "started": "2026-01-01T00:00:00Z", "measured": [` +
			strings.TrimSuffix(strings.Repeat(`{"key": "k"},`, keys), ",") + `]` + more + `}`
	}
	j := following(t, "", 4)
	for i := range j.Tasks {
		j.Tasks[i].Trials, j.Tasks[i].Seconds = []string{"a", "b", "c", "d"}, 100
	}
	for n, text := range map[string]string{
		"1": report(4, `, "share": 1, "failed": 1, "ended": "2026-01-01T00:01:00Z"`),
		"2": report(1, `, "share": 0.25`),
		"4": report(2, `, "share": 0.5, "error": "no memory", "ended": "2026-01-01T00:01:00Z"`),
	} {
		if err := os.WriteFile(filepath.Join(j.Folder, "reports", n+".json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := j.Status(t.Context(), said{1: {Phase: Done}, 2: {Phase: Running, Node: "m"}, 3: {Phase: Waiting, Reason: "Priority"}})
	if err != nil {
		t.Fatal(err)
	}
	got := []int{s.Done, s.Failed, s.Running, s.Waiting, s.Lost}
	if want := []int{7, 1, 1, 6, 2}; !reflect.DeepEqual(got, want) {
		t.Errorf("done, failed, running, waiting, lost: %v, expected %v", got, want)
	}
	if s.Share != (100+25+50)/400. || s.Left != 75+100+50 {
		t.Errorf("%g done, %g s left", s.Share, s.Left)
	}
	if s.Tasks[1].Node != "m" || s.Tasks[2].Reason != "Priority" || s.Tasks[3].Reason != "no memory" || s.Tasks[0].Spent != 60 {
		t.Errorf("%+v", s.Tasks)
	}
}

// said is an engine that says this of tasks.
type said map[int]State

func (said) Submit(context.Context, *Job, []Task) ([]string, error) { return nil, nil }
func (s said) States(context.Context, *Job) (map[int]State, error)  { return s, nil }
func (said) Cancel(context.Context, *Job) error                     { return nil }
func (said) Script(*Job, []Task) (string, error)                    { return "", nil }
