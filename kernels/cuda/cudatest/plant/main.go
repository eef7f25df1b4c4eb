// Command plant puts one bug after another into the CUDA kernels and the Go
// code around them, builds their tests with it (go build's overlay: no file of
// the tree changes), runs them on the emulator, and says how many bugs they
// catch:
//
//	go run ./kernels/cuda/cudatest/plant [-quick] [-sanitize] [NAME...]
//
// NAME is a bug's, or how some begin. With -quick, of each bug only those tests
// run that are nearest to its file; with -sanitize, sanitizers look for those
// that the tests miss (scripts/sanitize-kernels). All takes an hour or more. It
// ends with 1 if a bug was missed, with 2 if one does not fit the sources any
// more. Without -sanitize those that only sanitizers see do not count as missed.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "run only the tests that are nearest to a bug's file")
	sanitize := flag.Bool("sanitize", false, "let sanitizers look for the bugs that the tests miss")
	flag.Parse()
	missed, err := run(flag.Args(), *quick, *sanitize)
	if err != nil {
		fmt.Fprintln(os.Stderr, "plant:", err)
		os.Exit(2)
	}
	if missed > 0 {
		os.Exit(1)
	}
}

// run plants all bugs, or those whose names begin so.
func run(names []string, quick, sanitize bool) (missed int, err error) {
	chosen := choose(names)
	if len(chosen) == 0 {
		return 0, fmt.Errorf("no bug's name begins with any of %q", names)
	}
	g, err := newGarden(quick, sanitize)
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
		case known && !sanitize:
			verdict, line = "unseen", why
		default:
			verdict, line = "MISSED", "all tests pass"
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
