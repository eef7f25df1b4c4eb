// Command plant puts one bug after another into the CUDA kernels and the Go
// code around them, builds their tests with it (go build's overlay: no file of
// the tree changes), runs them on the emulator, and says how many bugs they
// catch:
//
//	go run ./kernels/cuda/cudatest/plant [-quick] [-sanitize] [-tests=false] [NAME...]
//
// NAME is a bug's, or how some begin. With -quick, of each bug only those tests
// run that are nearest to its file; with -sanitize, sanitizers look for those
// that the tests miss (scripts/sanitize-kernels), and with -tests=false for all.
// It ends with 1 if a bug was missed, with 2 if one does not fit the sources any
// more. Without -sanitize those that only sanitizers see do not count as missed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// options say who looks for bugs.
type options struct{ quick, tests, sanitize bool }

func main() {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "run only the tests that are nearest to a bug's file")
	flag.BoolVar(&o.tests, "tests", true, "let the tests look for bugs")
	flag.BoolVar(&o.sanitize, "sanitize", false, "let sanitizers look for the bugs that the tests miss")
	flag.Parse()
	missed, err := run(flag.Args(), o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "plant:", err)
		os.Exit(2)
	}
	if missed > 0 {
		os.Exit(1)
	}
}

// run plants all bugs, or those whose names begin so.
func run(names []string, o options) (missed int, err error) {
	if !o.tests && !o.sanitize {
		return 0, errors.New("nobody looks for bugs: add -sanitize")
	}
	chosen := choose(names)
	if len(chosen) == 0 {
		return 0, fmt.Errorf("no bug's name begins with any of %q", names)
	}
	g, err := newGarden(o)
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(g.scratch)
	if err := g.check(chosen); err != nil {
		return 0, err
	}
	caught := 0
	for _, b := range chosen {
		start := time.Now()
		found, line, err := g.try(b)
		if err != nil {
			return 0, fmt.Errorf("bug %q: %w", b.name, err)
		}
		verdict := "caught"
		switch why, known := unseenByTests[b.name]; {
		case found:
			caught++
		case known && !o.sanitize:
			verdict, line = "unseen", why
		default:
			verdict, line = "MISSED", "nobody sees it"
			missed++
		}
		fmt.Printf("%-6s  %-52s  %3.0f s  %s\n", verdict, b.name, time.Since(start).Seconds(), line)
	}
	fmt.Printf("%d of %d bugs caught\n", caught, len(chosen))
	return missed, nil
}

// choose are the bugs whose names begin so, or all.
func choose(names []string) (chosen []bug) {
	for _, b := range bugs {
		begins := func(name string) bool { return strings.HasPrefix(b.name, name) }
		if len(names) == 0 || slices.ContainsFunc(names, begins) {
			chosen = append(chosen, b)
		}
	}
	return chosen
}
