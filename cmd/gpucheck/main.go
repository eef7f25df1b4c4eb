//go:build gpu

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

// errFailed: it was all done, and some of it failed.
var errFailed = errors.New("some steps failed")

func main() {
	out := flag.String("out", "recorded", "folder of the results")
	tiny := flag.Bool("tiny", false, "small sizes: does all of it work?")
	goals := flag.Bool("goals", false, "print what the newest results in the folder make of the goals, and do nothing else")
	measure := flag.String("measure", "", "only measure this, and print the times as JSON: a check runs itself so for some steps")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch {
	case *goals:
		var text string
		text, err = goalsText(*out)
		fmt.Print(text)
	case *measure != "":
		err = measureOwn(*measure, *tiny, flag.Args())
	case flag.NArg() > 0:
		err = fmt.Errorf("%w: %q, expected flags alone; see -h", errUsage, flag.Args())
	default:
		err = run(ctx, *out, *tiny)
	}
	if err != nil {
		fmt.Fprintln(escape.NewMessageWriter(os.Stderr), "gpucheck:", err)
		stop()
		os.Exit(exitCode(err))
	}
}

func exitCode(err error) int {
	if errors.Is(err, errNoCard) || errors.Is(err, errUsage) {
		return 2
	}
	return 1
}

var (
	// errNoCard: there is nothing to check.
	errNoCard = errors.New("there is no card to check")
	errUsage  = errors.New("unknown arguments")
)

// run makes all steps and writes the results.
func run(ctx context.Context, out string, tiny bool) error {
	c, err := newCheck(out, tiny)
	if err != nil {
		return err
	}
	defer c.remove()
	ctx, stop := context.WithTimeout(ctx, c.patient(longest))
	defer stop()
	fmt.Printf("at most %v, results after each step in %s\n", c.patient(longest).Round(time.Minute), out)
	if err := c.findCard(ctx); err != nil {
		return fmt.Errorf("%w: %w\nnvidia-smi should show one; %s names another driver, such as that of the emulated card", errNoCard, err, devices.LibraryVariable)
	}
	c.all(ctx)
	if err := c.save(); err != nil {
		return err
	}
	fmt.Println("results are in", c.name()+".json and .md")
	if n := c.report.failed(); n > 0 {
		return fmt.Errorf("%w: %d of %d", errFailed, n, len(c.report.Steps))
	}
	return nil
}
