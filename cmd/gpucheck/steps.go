//go:build gpu

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dgsbench/kernels/devices"
)

const (
	// total is the limit of all steps together.
	total = 8*time.Minute - 10*time.Second
	// patience is the factor on limits of a tiny check, on a busy machine.
	patience = 10
)

type step struct {
	name    string
	seconds int // its limit
	do      func(context.Context) error
}

// steps are first the tests of the kernels, then the times that the goals need,
// ours before PyTorch's, then the other tests, and last what takes long.
func (c *check) steps() []step {
	return []step{
		{"driver", 20, c.tests("kernels/cuda/driver", ".")},
		{"kernels", 75, c.tests("kernels/cuda", c.pick("Conformance|Chain|Recorded|Answer|ComesBack|TooMuch|AllTiles|RankWaits|SideBySide", "TooMuch"))},
		{"latency", 150, c.latency(devices.CUDA)},
		{"epochs", 60, c.own("epochs")},
		{"ranking", 40, c.own("ranking")},
		{"PyTorch: inference of DGS", 70, c.torch("dgs_card.py")},
		{"PyTorch: inference of TGN and Jodie", 90, c.torch("tgn_card.py")},
		{"PyTorch: training of DGS", 50, c.torch("dgs_training_card.py")},
		{"PyTorch: training of TGN and Jodie", 50, c.torch("tgn_training_card.py")},
		{"PyTorch: ranking", 40, c.torch("ranking_card.py")},
		{"layers", 40, c.tests("nn", "/cuda$")},
		{"fixtures of DGS", 30, c.tests("models/dgs", "PyTorch/cuda$")},
		{"fixtures of Graph-Sprints", 20, c.tests("models/graphsprints", "Fixture/cuda$")},
		{"fixtures of TGN and Jodie", 30, c.tests("models/internal/memory", "PyTorch|LastUpdates")},
		{"encoder of TPNet", 20, c.tests("models/tpnet", "OnCard")},
		{"conformance of models", 40, c.tests("models/standard", c.pick("OnCard|RecordedPass", "OnCard/^raw"))},
		{"trainings agree", 40, c.trainings("agreement", sameScores)},
		{"trainings agree, sensitive models", 40, c.trainings("sensitive", closeScores)},
		{"speed of the driver", 20, c.own("driver")},
		{"latency on the processor", 60, c.latency(devices.CPU)},
		{"trainings agree, simulated Wikipedia", 110, c.trainings("training", .02)},
		{"memcheck", 50, c.sanitizer("memcheck")},
		{"racecheck", 50, c.sanitizer("racecheck")},
	}
}

func (c *check) limit(full time.Duration) time.Duration {
	if c.results.Tiny {
		return patience * full
	}
	return full
}

// errSkipped is the error of a step that does not apply to this machine.
var errSkipped = errors.New("skipped")

// run runs a step and adds how it went to the results.
// One that passed in the check that is resumed is not run again.
func (c *check) run(ctx context.Context, s step) {
	if c.results.passed(s.name) {
		return
	}
	start := time.Now()
	err := within(ctx, c.limit(time.Duration(s.seconds)*time.Second), s.do)
	outcome := Step{Name: s.name, Outcome: passed, Seconds: time.Since(start).Seconds()}
	switch {
	case errors.Is(err, errSkipped):
		outcome.Outcome, outcome.Detail = skipped, strings.TrimPrefix(err.Error(), errSkipped.Error()+": ")
	case err != nil:
		outcome.Outcome, outcome.Detail = failed, strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	c.add(outcome)
}

// add prints how a step went, and saves the results.
func (c *check) add(s Step) {
	fmt.Printf("%4.0f s  %-36s %-8s %5.1f s  %s\n", time.Since(c.began).Seconds(), s.Name, s.Outcome, s.Seconds, s.Detail)
	c.results.Steps = append(slices.DeleteFunc(c.results.Steps, func(o Step) bool { return o.Name == s.Name }), s)
	if err := c.save(); err != nil {
		fmt.Println("the results could not be written:", err)
	}
}

// within runs do with a time limit, or skips it when the time of the whole check
// is over. That it was ended with the check is no failure of its own.
func within(whole context.Context, limit time.Duration, do func(context.Context) error) error {
	if whole.Err() != nil {
		return fmt.Errorf("%w: the check's time is over", errSkipped)
	}
	ctx, stop := context.WithTimeout(whole, limit)
	defer stop()
	err := do(ctx)
	switch {
	case whole.Err() != nil:
		return fmt.Errorf("%w: the check's time was over before it ended", errSkipped)
	case ctx.Err() != nil:
		return errors.Join(fmt.Errorf("over its limit of %v", limit), err)
	}
	return err
}
