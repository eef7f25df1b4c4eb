package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dgsbench/harness/plan"
	"dgsbench/internal/ram"
	"dgsbench/models"
	"dgsbench/protocol"
)

func init() {
	models.Register(models.Kind{
		Name: "vast", Class: protocol.Learned, Tasks: []protocol.Task{protocol.NodeClassification},
		Options: func() models.Options { return &noOptions{} },
		Bytes:   func(models.Setup, models.Options) int64 { return 1 << 60 },
		New:     func(models.Setup, models.Options) (models.Model, error) { panic("built") },
	})
}

// planArgs plan the toy suite.
func planArgs(dir string, more ...string) []string {
	args := append([]string{"plan", "--data", filepath.Join(dir, "data")}, where(dir)...)
	return append(args, more...)
}

// TestPlan: a plan is on standard output, for readers or machines, measures
// nothing, and knows what has been measured.
func TestPlan(t *testing.T) {
	dir := workplace(t)
	code, stdout, stderr := bench(planArgs(dir)...)
	for _, want := range []string{"DATASET", "15 trials, 15 to do: about", "memory: up to", "estimated"} {
		if code != exitDone || stderr != "" || !strings.Contains(stdout, want) {
			t.Fatalf("exit code %d, no %q in\n%s%s", code, want, stdout, stderr)
		}
	}
	if code, _, stderr := bench(all(dir, "out")...); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	code, stdout, stderr = bench(planArgs(dir, "--json")...)
	var p plan.Plan
	if err := json.Unmarshal([]byte(stdout), &p); err != nil || code != exitDone {
		t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
	}
	if p.Trials != 15 || p.ToDo != 0 || p.Seconds != 0 || p.Suite != "toy" || p.Cells[0].Source != plan.Recorded {
		t.Errorf("after measuring: %+v", p)
	}
}

// TestPlanWithoutRoom: the plan is printed, and the exit code says that it
// cannot be run.
func TestPlanWithoutRoom(t *testing.T) {
	if _, known := ram.Available(); !known {
		t.Skip("the system does not say how much memory is free")
	}
	dir := workplace(t)
	file := filepath.Join(dir, "vast.yaml")
	write(t, file, "id: vast\nmodel: vast\ntitle: Vast\n")
	code, stdout, stderr := bench(planArgs(dir, file)...)
	if code != exitUsage || !strings.Contains(stdout, "not planned") || !strings.Contains(stderr, "cannot be run on this machine: vast on toy") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestPlanMissingData says how to get what is not there, and plans all the
// same.
func TestPlanMissingData(t *testing.T) {
	code, stdout, stderr := bench("plan", "--suite", "torch-lp", "--seeds", "1", "--data", t.TempDir(), "--out", t.TempDir())
	if code != exitDone || !strings.Contains(stdout, "stand-in") || !strings.Contains(stdout, "no file wikipedia-nofeat.csv") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestAnnounced: all and run begin with the plan of everything that they will
// measure, latency tests included, in a line. Where nothing is left to do they
// say nothing of it.
func TestAnnounced(t *testing.T) {
	for _, command := range []string{"all", "run"} {
		dir := latencyWorkplace(t, mixedSuite)
		args := latencyArgs(dir)
		args[0] = command
		code, _, stderr := bench(args...)
		first, _, _ := strings.Cut(stderr, "\n")
		if code != exitDone || !strings.HasPrefix(first, "plan: 3 to do: about ") || strings.Count(stderr, "plan: ") != 1 {
			t.Errorf("%s: exit code %d, no plan at first in\n%s", command, code, stderr)
		}
		for _, want := range []string{"latency tests: ", "memory: up to ", "disk: "} {
			if !strings.Contains(first, want) {
				t.Errorf("%s: no %q in %s", command, want, first)
			}
		}
		if code, _, stderr = bench(args...); code != exitDone || !strings.HasPrefix(stderr, "done: 0 trials measured, 3 found") {
			t.Errorf("%s again: exit code %d\n%s", command, code, stderr)
		}
		remove(t, dir, "out/toy-latency/toy/nc-latency/user-age")
		if code, _, stderr = bench(args...); code != exitDone || !strings.HasPrefix(stderr, "plan: 2 to do: ") {
			t.Errorf("%s: tests of a dataset are timed together: exit code %d\n%s", command, code, stderr)
		}
	}
}

// TestExpectedLeft: until something is done, what was planned is left.
func TestExpectedLeft(t *testing.T) {
	b := (&options{}).newBar()
	if got := b.left(); got != "?" {
		t.Errorf("%s left of what nobody knows", got)
	}
	b.expected = time.Hour
	if got := b.left(); got != "1h0m0s" {
		t.Errorf("%s left of an hour", got)
	}
	b.expected, b.started = time.Minute, b.started.Add(-time.Hour)
	if got := b.left(); got != "0s" {
		t.Errorf("%s left when it takes longer", got)
	}
}
