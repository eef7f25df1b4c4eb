package cluster

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dgsbench/internal/golden"
)

// fakeSlurm puts commands on a PATH of their own that print recorded answers, one for
// each call and then the last one again. It returns a function that returns what
// they were called with.
func fakeSlurm(t *testing.T, answers map[string][]string) (calls func() string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "calls")
	for name, each := range answers {
		for i, answer := range each {
			// An answer that begins with ! is an error.
			words, failed := strings.CutPrefix(answer, "!")
			code := 0
			if failed {
				code = 1
			}
			text := fmt.Sprintf("cat <<'END' >&%d\n%s\nEND\nexit %d\n", code+1, words, code)
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s.%d", name, i+1)), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		script := fmt.Sprintf(`#!/bin/sh
n=$(($(cat %[1]s/%[2]s.n 2>/dev/null || echo 0) + 1))
echo $n >%[1]s/%[2]s.n
{ echo "%[2]s $*"; [ %[2]s != sbatch ] || cat; } >>%[1]s/calls
[ $n -le %[3]d ] || n=%[3]d
. %[1]s/%[2]s.$n
`, dir, name, len(each))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, tool := range []string{"cat", "sh"} { // nothing else of the machine, such as a Slurm
		for _, bin := range []string{"/bin/", "/usr/bin/"} {
			if _, err := os.Stat(bin + tool); err == nil {
				if err := os.Symlink(bin+tool, filepath.Join(dir, tool)); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
	}
	t.Setenv("PATH", dir)
	return func() string {
		data, _ := os.ReadFile(log)
		return string(data)
	}
}

func testSlurm(t *testing.T, o Options) *slurm {
	t.Helper()
	e, err := Open("slurm", o)
	if err != nil {
		t.Fatal(err)
	}
	s := e.(*slurm)
	s.tools.pauses = []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}
	return s
}

var slurmJob = &Job{Folder: "/shared/my results/.dgsbench/cluster/run-1", Name: "run-1", Dir: "/home/me", Program: "/shared/it's/bench"}

func TestSlurmScript(t *testing.T) {
	small := Need{Cores: 1, Memory: 1<<30 + 1}
	fakeSlurm(t, map[string][]string{"scontrol": {"MaxArraySize            = 101"}})
	o := DefaultOptions()
	o.Slurm = SlurmOptions{Sbatch: []string{"--partition=long", "--time=7"}, Before: []string{"module load cuda"}, Gres: "gpu:h100"}
	got, err := testSlurm(t, o).Script(slurmJob, []Task{
		{Number: 1, Need: small, Seconds: 3000},
		{Number: 2, Need: Need{Cores: 4, Memory: 2 << 30, Cards: 2}, Seconds: 60},
		{Number: 3, Need: small, Seconds: 100},
		{Number: 5, Need: small}, {Number: 6, Need: small}, {Number: 7, Need: small},
		{Number: 8, Need: Need{Cores: 1, Exclusive: true}},
		{Number: 100, Need: small}, {Number: 101, Need: small}, {Number: 205, Need: small},
		{Number: 4, Need: small, Last: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/slurm_script.txt", got)
}

func TestSlurmSubmit(t *testing.T) {
	calls := fakeSlurm(t, map[string][]string{"scontrol": {"!slurm_load_ctl_conf error: Unable to contact slurm controller (connect failure)"}, "sbatch": {"17", "18;cluster"}})
	s := testSlurm(t, DefaultOptions())
	need := Need{Cores: 1, Memory: 1 << 20}
	for range 2 {
		ids, err := s.Submit(context.Background(), slurmJob, []Task{{Number: 1, Need: need}, {Number: 1200, Need: need}})
		if err != nil || (fmt.Sprint(ids) != "[17 18+1001]" && fmt.Sprint(ids) != "[18 18+1001]") {
			t.Errorf("submitted as %v, %v", ids, err)
		}
	}
	if n := strings.Count(calls(), "scontrol"); n != 1 {
		t.Errorf("scontrol was called %d times, expected 1", n)
	}
	if n := strings.Count(calls(), "#SBATCH --array=1\n"); n != 2 || !strings.Contains(calls(), "#SBATCH --array=199\n") {
		t.Errorf("called as\n%s", calls())
	}
}

func TestSlurmSubmitRefused(t *testing.T) {
	need := Need{Cores: 2, Memory: 1 << 20, Cards: 1}
	for _, test := range []struct{ answer, expected string }{
		{"sbatch: error: invalid partition specified: long\nsbatch: error: Batch job submission failed: Invalid partition name specified", "(each takes cores: 2, memory: 1 MB, cards: 1): sbatch: invalid partition specified: long; Batch job submission failed: Invalid partition name specified; expected a partition that sinfo lists"},
		{"sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified", "expected an account"},
		{"sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)", "AssocMaxSubmitJobLimit; Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits); expected room for all"},
		{"sbatch: error: Memory specification can not be satisfied\nsbatch: error: Batch job submission failed: Requested node configuration is not available", "expected a node of the partition"},
		{"sbatch: error: Batch job submission failed: Invalid generic resource (gres) specification", "slurm.gres"},
		{"sbatch: error: Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)", "time_factor"},
		{"sbatch: error: Invalid --time specification", "slurm.sbatch"},
		{"sbatch: unrecognized option '--nonsense'\nTry \"sbatch --help\" for more information", "unrecognized option '--nonsense'; Try"},
		{"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)", "slurmctld runs"},
		{"sbatch: error: Batch job submission failed: Socket timed out on send/recv operation", "Socket timed out"},
		{"sbatch: error: words of a newer version", "words of a newer version"},
	} {
		calls := fakeSlurm(t, map[string][]string{"scontrol": {"MaxArraySize = 1001"}, "sbatch": {"17", "!" + test.answer}, "scancel": {""}})
		_, err := testSlurm(t, DefaultOptions()).Submit(context.Background(), slurmJob, []Task{{Number: 9, Need: Need{Cores: 1}}, {Number: 1, Need: need}, {Number: 2, Need: need}})
		if err == nil || !strings.Contains(err.Error(), test.expected) || !strings.Contains(err.Error(), "tasks 1-2 ") ||
			!strings.Contains(err.Error(), "the jobs 17 that were submitted before it are cancelled") {
			t.Errorf("the error is %v, expected %q in it", err, test.expected)
		}
		if !strings.Contains(calls(), "scancel 17\n") {
			t.Errorf("the first job was not cancelled:\n%s", calls())
		}
		tries := 2
		if strings.Contains(test.answer, "Unable to contact") {
			tries = 5
		}
		if n := strings.Count(calls(), "sbatch --parsable\n"); n != tries {
			t.Errorf("%s: sbatch was called %d times, expected %d", test.answer, n, tries)
		}
	}
}

func TestSlurmMissing(t *testing.T) {
	fakeSlurm(t, nil)
	s := testSlurm(t, DefaultOptions())
	const expected = " is not on this machine: --on slurm is called where jobs are submitted"
	if _, err := s.Submit(context.Background(), slurmJob, []Task{{Number: 1}}); err == nil || !strings.HasPrefix(err.Error(), "sbatch"+expected) {
		t.Errorf("the error is %v, expected sbatch%s", err, expected)
	}
	j := &Job{Submissions: []Submission{{IDs: []string{"1"}, Tasks: []int{1}}}}
	if _, err := s.States(context.Background(), j); err == nil || !strings.HasPrefix(err.Error(), "squeue"+expected) {
		t.Errorf("the error is %v, expected squeue%s", err, expected)
	}
}

// twice is a job whose tasks 2 and 3 were submitted twice.
var twice = &Job{Submissions: []Submission{
	{IDs: []string{"17", "18+1001"}, Tasks: []int{1, 2, 3, 4, 1200}},
	{IDs: []string{"20"}, Tasks: []int{2, 3}},
}}

const (
	squeueAnswer = `17|1|RUNNING|n1|None
17|2|FAILED|n2|NonZeroExitCode
17|4|PENDING||Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions
18|199|CANCELLED|n3|None
20|3|PENDING||BeginTime
20|N/A|CANCELLED||None`
	noAccounting = "!Slurm accounting storage is disabled"
)

func TestSlurmStates(t *testing.T) {
	squeued := map[int]State{
		1: {Running, "n1", ""}, 3: {Waiting, "", "BeginTime"}, 1200: {Failed, "n3", "CANCELLED"},
		4: {Waiting, "", "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"},
	}
	more := func(number int, s State) map[int]State {
		all := maps.Clone(squeued)
		all[number] = s
		return all
	}
	for _, test := range []struct {
		name          string
		squeue, sacct []string
		expected      map[int]State
	}{
		{"no accounting", []string{squeueAnswer}, []string{noAccounting}, squeued},
		{"restart", []string{"!slurm_load_jobs error: Unable to contact slurm controller (connect failure)", "!slurm_load_jobs error: Socket timed out on send/recv operation", squeueAnswer}, []string{noAccounting}, squeued},
		{"accounting", []string{squeueAnswer}, []string{"20_2|OUT_OF_MEMORY|0:125|n2\n20_3|FAILED|1:0|n2\n17_2|COMPLETED|0:0|n1"}, more(2, State{Failed, "n2", "OUT_OF_MEMORY, exit code 0:125"})},
		{"done", []string{squeueAnswer}, []string{"20_2|COMPLETED|0:0|n2"}, more(2, State{Done, "n2", ""})},
		{"cancelled", []string{squeueAnswer}, []string{"20_2|CANCELLED by 1000|0:0|None assigned"}, more(2, State{Failed, "", "CANCELLED"})},
		{"time limit", []string{squeueAnswer + "\n20|2|TIMEOUT|n2|TimeLimit"}, []string{noAccounting}, more(2, State{Failed, "n2", "TIMEOUT, TimeLimit"})},
		{"node", []string{squeueAnswer + "\n20|2|NODE_FAIL|n2|NodeDown"}, []string{noAccounting}, more(2, State{Failed, "n2", "NODE_FAIL, NodeDown"})},
		{"partition", []string{squeueAnswer + "\n20|2|PENDING||PartitionTimeLimit"}, []string{noAccounting}, more(2, State{Waiting, "", "PartitionTimeLimit"})},
		{"forgotten", []string{"!slurm_load_jobs error: Invalid job id specified"}, []string{noAccounting}, map[int]State{}},
	} {
		calls := fakeSlurm(t, map[string][]string{"squeue": test.squeue, "sacct": test.sacct})
		s := testSlurm(t, DefaultOptions())
		for range 2 {
			got, err := s.States(context.Background(), twice)
			if err != nil || !maps.Equal(got, test.expected) {
				t.Errorf("%s: %v, %v, expected %v", test.name, got, err, test.expected)
			}
		}
		if !strings.Contains(calls(), "squeue --noheader --array --states=all --jobs=17,18,20 --format=%F|%K|%T|%N|%r\n") {
			t.Errorf("%s: called as\n%s", test.name, calls())
		}
		if n := strings.Count(calls(), "sacct"); n > 1 && test.sacct[0] == noAccounting {
			t.Errorf("%s: sacct was called %d times", test.name, n)
		}
	}
}

func TestSlurmStatesUnreachable(t *testing.T) {
	fakeSlurm(t, map[string][]string{"squeue": {"!slurm_load_jobs error: Unable to contact slurm controller (connect failure)"}})
	s := testSlurm(t, DefaultOptions())
	if _, err := s.States(context.Background(), twice); err == nil || !strings.Contains(err.Error(), "Unable to contact slurm controller") {
		t.Errorf("the error is %v", err)
	}
	s.tools.pauses = []time.Duration{time.Hour}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := s.States(ctx, twice); err == nil || ctx.Err() == nil {
		t.Errorf("the error is %v, expected the end of the context", err)
	}
}

func TestSlurmCancel(t *testing.T) {
	calls := fakeSlurm(t, map[string][]string{"scancel": {""}})
	s := testSlurm(t, DefaultOptions())
	for _, j := range []*Job{twice, {}} {
		if err := s.Cancel(context.Background(), j); err != nil {
			t.Error(err)
		}
	}
	if calls() != "scancel 17 18 20\n" {
		t.Errorf("called as %q", calls())
	}
}
