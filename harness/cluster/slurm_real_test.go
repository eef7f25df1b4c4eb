package cluster

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSlurmReal runs tasks on a real Slurm, if it is called by one:
//
//	go test -c -o /tmp/cluster.test ./harness/cluster
//	DGSBENCH_SLURM=1 scripts/slurm-here 3 /tmp/slurm /tmp/cluster.test -test.run SlurmReal -test.v
func TestSlurmReal(t *testing.T) {
	if os.Getenv("DGSBENCH_SLURM") == "" {
		t.Skip("no Slurm: DGSBENCH_SLURM is not set")
	}
	folder := filepath.Join(t.TempDir(), "a folder's %d#1")
	if err := os.MkdirAll(filepath.Join(folder, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "bench")
	const text = "#!/bin/bash\necho \"$* on $DGSBENCH_NODE in $PWD\"\n[ $3 != 5 ] || [ -e \"$2/again\" ] || { touch \"$2/again\"; exit 75; }\n[ $3 != 2 ] || exit 3\n[ $3 != 1 ] || sleep 5\n"
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	j := &Job{Folder: folder, Name: "a job", Dir: folder, Program: program}
	o := DefaultOptions()
	o.Slurm.Before = []string{"echo before"}
	e, err := newSlurm(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	small, whole := Need{Cores: 1, Memory: 10 << 20}, Need{Cores: 1, Memory: 10 << 20, Exclusive: true}
	tasks := []Task{
		{Number: 1, Need: small, Seconds: 1}, {Number: 2, Need: small}, {Number: 3, Need: whole}, {Number: 1500, Need: small},
		{Number: 5, Need: small}, {Number: 6, Need: small, Last: true},
	}
	begin := time.Now()
	submit := func(tasks ...Task) {
		t.Helper()
		ids, err := e.Submit(ctx, j, tasks)
		if err != nil {
			t.Fatal(err)
		}
		sub := Submission{IDs: ids}
		for _, task := range tasks {
			sub.Tasks = append(sub.Tasks, task.Number)
		}
		j.Submissions = append(j.Submissions, sub)
	}
	wait := func(over func(map[int]State) bool) map[int]State {
		t.Helper()
		for {
			states, err := e.States(ctx, j)
			if err != nil {
				t.Fatal(err)
			}
			if over(states) {
				return states
			}
			if time.Since(begin) > 2*time.Minute {
				t.Fatal("not over after two minutes:", states)
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
	submit(tasks...)
	t.Log(j.Submissions[0].IDs)
	wait(func(s map[int]State) bool { return s[1].Phase == Running })
	t.Log("the first task runs after", time.Since(begin))
	states := wait(func(s map[int]State) bool { return s[6].Phase == Done })
	t.Log("all have ended after", time.Since(begin), states)
	for n, phase := range map[int]Phase{1: Done, 2: Failed, 3: Done, 1500: Done, 5: Done, 6: Done} {
		if states[n].Phase != phase || states[n].Node == "" {
			t.Errorf("task %d: %+v, expected phase %s and a node", n, states[n], phase)
		}
	}
	for n, times := range map[int]int{1: 1, 5: 2, 6: 1, 1500: 1} {
		data, err := os.ReadFile(j.Log(n))
		if want := strings.Join(j.Arguments(n)[1:], " ") + " on n"; err != nil || strings.Count(string(data), want) != times {
			t.Errorf("task %d printed %q (%v), expected %q %d times", n, data, err, want, times)
		}
	}

	if out, err := exec.Command("scontrol", "update", "partitionname=low", "state=down").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	submit(Task{Number: 2, Need: small})
	states = wait(func(s map[int]State) bool { return s[2].Reason == "PartitionDown" })
	t.Log(states[2])
	if err := e.Cancel(ctx, j); err != nil {
		t.Fatal(err)
	}
	states = wait(func(s map[int]State) bool { return s[2].Phase != Waiting })
	t.Log("cancelled:", states[2])
	e.(*slurm).options.Slurm.Sbatch = []string{"--partition=long"}
	_, err = e.Submit(ctx, j, tasks)
	t.Log(err)
	if err == nil || !strings.Contains(err.Error(), "expected a partition") {
		t.Error("expected a message about the partition")
	}
}
