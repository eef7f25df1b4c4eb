//go:build gpu

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "dgsbench/datasets/sim"
	_ "dgsbench/models/standard"
	"dgsbench/specs"
)

// TestSuites: bench takes all of them, and tiny ones have the same names.
func TestSuites(t *testing.T) {
	for _, size := range []string{"full", "tiny"} {
		for _, name := range []string{"agreement", "latency", "training"} {
			lib, err := specs.NewLibrary("")
			if err != nil {
				t.Fatal(err)
			}
			entry, err := lib.AddFile(filepath.Join("suites", size, name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			suite, err := lib.LoadSuite(entry.Name)
			if err != nil {
				t.Fatal(err)
			}
			if trials, err := suite.Trials(specs.Filter{}); err != nil || len(trials) == 0 || entry.Name != "gpu-"+name {
				t.Errorf("%s/%s: suite %s with %d trials, error %v", size, name, entry.Name, len(trials), err)
			}
		}
	}
}

func TestSteps(t *testing.T) {
	c := &check{}
	steps := []struct {
		outcome string
		do      func(context.Context) error
	}{
		{"passed", func(context.Context) error { return nil }},
		{"FAILED", func(context.Context) error { return errors.New("no") }},
		{"skipped", func(context.Context) error { return fmt.Errorf("%w: no torch", errSkipped) }},
		{"FAILED", func(ctx context.Context) error { <-ctx.Done(); return nil }},
	}
	for i, s := range steps {
		c.step(t.Context(), fmt.Sprint(i), 50*time.Millisecond, s.do)
		if got := c.report.Steps[i]; got.Outcome != s.outcome {
			t.Errorf("step %d: %+v, expected %s", i, got, s.outcome)
		}
	}
	if n := c.report.failed(); n != 2 {
		t.Errorf("%d failed, expected 2", n)
	}
	if text := string(c.report.markdown()); !strings.Contains(text, "| 1 | FAILED no |") {
		t.Errorf("a failure is not told:\n%s", text)
	}
}

// TestCompare: scores of the same trial on both devices stand beside each
// other, and those of one alone do not.
func TestCompare(t *testing.T) {
	on := func(device, model string, value float64) record {
		r := record{Device: device, Key: key{Dataset: "d", Task: "nc", Model: model}}
		r.Scores = append(r.Scores, struct {
			Split, Metric string
			Value         float64
		}{"test", "auc", value})
		return r
	}
	got := compare([]record{on("cuda", "a", .5), on("cpu", "a", .75), on("cpu", "b", .25)})
	if len(got) != 1 || got[0] != (Agreement{Cell: "a on d nc", Metric: "test auc", CPU: .75, CUDA: .5}) {
		t.Errorf("%+v", got)
	}
}

func TestFileName(t *testing.T) {
	if got := fileName("NVIDIA H200 (80GB), CUDA 12.4"); got != "nvidia-h200-80gb" {
		t.Error(got)
	}
}
