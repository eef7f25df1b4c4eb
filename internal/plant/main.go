// Command plant puts one bug after another into the sources, builds the tests
// with it (go build's overlay: no file of the tree changes), and says which
// test catches it:
//
//	scripts/plant [-quick] [-build] [-side N] [-timeout D] [-sanitize] [-tests=false] [NAME...]
//
// NAME is a bug's name or file, or how some begin. The bugs are in the YAML files
// of the folder bugs. The tests nearest to a bug run first, and without -quick
// wider ones follow if these do not catch it. With -build nothing runs: every bug
// has to compile. With -sanitize, sanitizers look for the bugs of CUDA kernels that
// the tests miss, and with -tests=false for all.
//
// It ends with 1 if a bug was missed, with 2 if an entry is wrong: it does not
// apply to the sources any more, does not compile, or is called equivalent and
// caught. Bugs that are equivalent, or unseen by tests, run only when named.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

// options say who looks for bugs, and for how long.
type options struct {
	quick, build, tests, sanitize bool
	side                          int
	timeout                       time.Duration
}

func main() {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "run only the tests that are nearest to a bug")
	flag.BoolVar(&o.build, "build", false, "only compile each bug")
	flag.BoolVar(&o.tests, "tests", true, "let the tests look for bugs")
	flag.BoolVar(&o.sanitize, "sanitize", false, "let sanitizers look for the bugs of kernels that the tests miss")
	flag.IntVar(&o.side, "side", 1, "number of bugs side by side, which share the cores")
	flag.DurationVar(&o.timeout, "timeout", 10*time.Minute, "time after which tests that do not end have caught a bug")
	flag.Parse()
	code, err := run(flag.Args(), o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "plant:", err)
	}
	os.Exit(code)
}

// run tries all bugs, or those whose names or files begin so, and gives the exit
// code.
func run(names []string, o options) (code int, err error) {
	const wrong = 2
	switch {
	case !o.tests && !o.sanitize:
		return wrong, errors.New("nobody looks for bugs: add -sanitize")
	case o.side < 1:
		return wrong, fmt.Errorf("-side is %d, expected at least 1", o.side)
	}
	root, err := moduleRoot()
	if err != nil {
		return wrong, err
	}
	all, err := readBugs(root)
	if err != nil {
		return wrong, err
	}
	chosen := choose(all, names)
	if len(chosen) == 0 {
		return wrong, fmt.Errorf("no bug's name or file begins with any of %q", names)
	}
	scratch, err := os.MkdirTemp("", "plant-")
	if err != nil {
		return wrong, err
	}
	defer os.RemoveAll(scratch)
	g := &garden{options: o, root: root, scratch: scratch, clean: map[string]func() error{}}
	count := map[verdict]int{}
	for r := range g.tryAll(chosen, len(names) > 0) {
		count[r.verdict]++
		fmt.Printf("%-10s  %-60s  %3.0f s  %s\n", r.verdict, r.bug.Name, r.took.Seconds(), r.line)
	}
	fmt.Printf("%d bugs", len(chosen))
	for _, v := range verdicts {
		if count[v] > 0 {
			fmt.Printf(", %d %s", count[v], strings.ToLower(string(v)))
		}
	}
	fmt.Println()
	switch {
	case count[wrongEntry] > 0:
		return wrong, nil
	case count[missed] > 0:
		return 1, nil
	}
	return 0, nil
}
