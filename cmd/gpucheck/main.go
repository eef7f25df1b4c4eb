//go:build gpu

// Command gpucheck checks and measures the project on a card, from binaries
// that scripts/gpu-check has built: the target needs neither Go nor a network.
// docs/cuda.md lists the steps.
//
//	gpu-check/run [-out DIR] [-tiny]
//	go run -tags gpu ./cmd/gpucheck -goals -out results/recorded
//
// Each step is a program of its own with a time limit, and all of them together
// have eight minutes: a step that fails, or breaks the card, does not stop the
// others. The results are a JSON file, written anew after each step, and the
// same as Markdown. With -goals it only compares the newest results in the
// folder with the project's goals, which are in goals.yaml.
//
// It takes the build tag gpu. Exit codes: 0 all steps passed, 1 some failed, 2
// there is no card, or an unknown argument.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	_ "dgsbench/datasets/sim"
	"dgsbench/internal/escape"
	"dgsbench/kernels/devices"
	_ "dgsbench/models/standard"
)

var (
	errNoCard = errors.New("there is no card to check")
	errUsage  = errors.New("unknown arguments")
)

func main() {
	out := flag.String("out", "recorded", "folder of the results")
	tiny := flag.Bool("tiny", false, "small sizes: does all of it work?")
	goals := flag.Bool("goals", false, "compare the newest results in the folder with the goals, and do nothing else")
	measure := flag.String("measure", "", "only measure this, and print the times as JSON: a check runs itself so for some steps")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch {
	case flag.NArg() > 0:
		err = fmt.Errorf("%w: %q, expected flags alone; see -h", errUsage, flag.Args())
	case *goals:
		var text string
		text, err = goalsText(*out)
		fmt.Print(text)
	case *measure != "":
		err = measureOwn(*measure, *tiny)
	default:
		err = run(ctx, *out, *tiny)
	}
	if err != nil {
		fmt.Fprintln(escape.NewMessageWriter(os.Stderr), "gpucheck:", err)
		stop()
		code := 1
		if errors.Is(err, errNoCard) || errors.Is(err, errUsage) {
			code = 2
		}
		os.Exit(code)
	}
}

// run runs all steps and writes the results.
func run(ctx context.Context, out string, tiny bool) error {
	c, err := newCheck(out, tiny)
	if err != nil {
		return err
	}
	defer c.removeWork()
	limit := c.limit(total)
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	fmt.Printf("at most %v, results after each step in %s\n", limit.Round(time.Minute), out)
	if err := c.findCard(ctx); err != nil {
		return fmt.Errorf("%w: %w\nnvidia-smi should show one; %s names another driver, such as that of the emulated card", errNoCard, err, devices.LibraryVariable)
	}
	for _, s := range c.steps() {
		c.run(ctx, s)
	}
	if err := c.save(); err != nil {
		return err
	}
	fmt.Println("results are in", c.path()+".json and .md")
	if n := c.results.failed(); n > 0 {
		return fmt.Errorf("some steps failed: %d of %d", n, len(c.results.Steps))
	}
	return nil
}
