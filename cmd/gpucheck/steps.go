//go:build gpu

package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"dgsbench/kernels/devices"
)

// longest is how long all of it may take together.
const longest = 8*time.Minute - 10*time.Second

// patience is how many times as long all of it may take with small sizes, which
// are for emulated cards and busy machines.
const patience = 10

// all makes the steps: first those that show whether the kernels can be
// believed, then the times that goals are about, ours before those of others,
// then what else there is to check, last what takes long.
func (c *check) all(ctx context.Context) {
	c.step(ctx, "driver", 20*time.Second, c.tests("kernels/cuda/driver", "."))
	c.step(ctx, "kernels", 75*time.Second, c.tests("kernels/cuda", c.pick("Conformance|Chain|Recorded|Answer|ComesBack|TooMuch|AllTiles|RankWaits|SideBySide", "TooMuch")))
	c.step(ctx, "latency", 80*time.Second, c.latency(devices.CUDA))
	c.step(ctx, "epochs", 60*time.Second, c.own("epochs"))
	c.step(ctx, "ranking", 40*time.Second, c.own("ranking"))
	for _, p := range peers {
		c.step(ctx, "PyTorch: "+p.title, p.limit, c.peer(p))
	}
	c.step(ctx, "layers", 40*time.Second, c.tests("nn", "/cuda$"))
	c.step(ctx, "fixtures of DGS", 30*time.Second, c.tests("models/dgs", "PyTorch/cuda$"))
	c.step(ctx, "fixtures of Graph-Sprints", 20*time.Second, c.tests("models/graphsprints", "Fixture/cuda$"))
	c.step(ctx, "fixtures of TGN and Jodie", 30*time.Second, c.tests("models/internal/memory", "PyTorch|LastUpdates"))
	c.step(ctx, "conformance of models", 40*time.Second, c.tests("models/standard", c.pick("OnCard|RecordedPass", "OnCard/^raw")))
	c.step(ctx, "trainings agree", 80*time.Second, c.smallTrainings)
	c.step(ctx, "speed of the driver", 20*time.Second, c.own("driver"))
	c.step(ctx, "latency on the processor", 60*time.Second, c.latency(devices.CPU))
	c.step(ctx, "trainings agree, simulated Wikipedia", 110*time.Second, c.largeTrainings)
	for _, tool := range []string{"memcheck", "racecheck"} {
		c.step(ctx, tool, 50*time.Second, c.sanitizer(tool))
	}
}

// pick is one of two patterns: an emulated card is too slow for all tests.
func (c *check) pick(full, tiny string) string {
	if c.report.Tiny {
		return tiny
	}
	return full
}

func (c *check) patient(limit time.Duration) time.Duration {
	if c.report.Tiny {
		return patience * limit
	}
	return limit
}

// errSkipped is the error of a step that does not apply to this machine.
var errSkipped = errors.New("skipped")

// step makes one.
func (c *check) step(ctx context.Context, name string, limit time.Duration, do func(context.Context) error) {
	start := time.Now()
	err := within(ctx, c.patient(limit), do)
	s := Step{Name: name, Outcome: passed, Seconds: time.Since(start).Seconds()}
	switch {
	case errors.Is(err, errSkipped):
		s.Outcome, s.Detail = skipped, strings.TrimPrefix(err.Error(), errSkipped.Error()+": ")
	case err != nil:
		s.Outcome, s.Detail = failed, strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	c.note(s)
}

// note says how a step went, and keeps the results.
func (c *check) note(s Step) {
	fmt.Printf("%4.0f s  %-36s %-8s %5.1f s  %s\n", time.Since(c.began).Seconds(), s.Name, s.Outcome, s.Seconds, s.Detail)
	c.report.Steps = append(c.report.Steps, s)
	if err := c.save(); err != nil {
		fmt.Println("the results could not be written:", err)
	}
}

// within does it, for so long at most, and not at all when the time of the
// whole check is over. That it was ended with the check is no fault of its own.
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
		return fmt.Errorf("over its limit of %v", limit)
	}
	return err
}

// find skips the step where the machine lacks a program.
func find(program string) error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("%w: there is no %s", errSkipped, program)
	}
	return nil
}
