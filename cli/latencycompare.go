package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"dgsbench/harness"
	"dgsbench/harness/latency"
)

// compare lets this build and the other one alternate.
func (l *timing) compare(ctx context.Context, files []string) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	var verdicts []latency.Verdict
	err = l.shared.alone(ctx, func(ctx context.Context) (err error) {
		bar, hooks := l.shared.steps("pairs of runs")
		defer bar.close()
		verdicts, err = latency.Compare(ctx, latency.Comparison{
			Old: l.old, New: own, Args: l.childArgs(files), Alternations: l.alternations, Seed: l.plan.Seed,
		}, hooks)
		return err
	})
	switch {
	case harness.Interrupted(err):
		return fmt.Errorf("interrupted; nothing was compared: %w", err)
	case err != nil:
		return err
	}
	return l.verdicts(verdicts)
}

// otherBuild is the absolute path of the build to compare with.
func otherBuild(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return "", fmt.Errorf("--compare is %q, expected a build of bench", path)
	}
	return filepath.Abs(path)
}

// childArgs are what both builds are asked to measure.
func (l *timing) childArgs(files []string) []string {
	o := l.shared
	args := append([]string{}, files...)
	for _, flag := range []struct{ name, value string }{
		{"suite", o.suite},
		{"data", o.data},
		{"specs", o.specs},
		{"device", o.elsewhere()},
		{"threads", strconv.Itoa(l.plan.Threads)},
		{"models", strings.Join(o.models, ",")},
		{"datasets", strings.Join(o.datasets, ",")},
	} {
		if flag.value != "" {
			args = append(args, "--"+flag.name, flag.value)
		}
	}
	return args
}

// verdicts are printed; a slower build is a failure.
func (l *timing) verdicts(all []latency.Verdict) error {
	if l.asJSON {
		if err := latency.WriteVerdicts(l.shared.stdout, all); err != nil {
			return err
		}
	}
	if v := all[0]; v.OldMachine != v.NewMachine {
		fmt.Fprintf(l.shared.stderr, "the builds say different things of machine or kernels: %s (%s) and %s (this one)\n", v.OldMachine, l.old, v.NewMachine)
	}
	var slower []string
	for _, v := range all {
		if !l.asJSON {
			fmt.Fprintf(l.shared.stdout, "%s on %s: median of new/old %.3f over %d pairs, p %.2g\n", v.Model, v.Dataset, v.Ratio, len(v.New), v.P)
		}
		if v.Slower {
			slower = append(slower, v.Model+" on "+v.Dataset)
		}
	}
	if len(slower) > 0 {
		return failure{fmt.Errorf("this build is slower than %s: %s", l.old, strings.Join(slower, ", "))}
	}
	return nil
}
