package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"dgsbench/harness"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/regular"
	"dgsbench/kernels/devices"
	"dgsbench/results"
	"dgsbench/results/baseline"
	"dgsbench/results/record"
	"dgsbench/results/regression"

	"github.com/spf13/cobra"
)

// maxBaseline is the largest size of a baseline, in bytes.
const maxBaseline = 64 << 20

// baselineFile is the file of the project's baseline.
const baselineFile = "results/baseline/ci.json"

// checking is bench check with its flags.
type checking struct {
	options
	folder      string // of the records; empty for a temporary one
	baseline    string // a file; empty for the built-in one
	statistical bool
	accept      bool
}

func newCheck(o options) *cobra.Command {
	c := &checking{options: o}
	cmd := c.with("specs data workers device dry-run json quiet verbose", &cobra.Command{
		Use: "check", Short: "Compare this build's numbers with those it is known to give", Args: cobra.NoArgs,
		Long: "check measures a small suite on simulated streams, in about half a minute, and\n" +
			"compares every test metric of every seed with the baseline: bit for bit, or on\n" +
			"other kernels than the baseline's by a permutation test a row. An improvement is\n" +
			"a change too: --accept makes what was measured the new baseline.\n\nExit codes: 0 the same, 1 something moved, 2 wrong use or nothing to compare\n" +
			"with.",
		Example: "  bench check\n  bench check --accept\n  bench check --statistical --first-seed 10",
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	})
	flags := cmd.Flags()
	flags.StringVar(&c.suite, "suite", "ci", "what to measure")
	flags.StringVar(&c.baseline, "baseline", "", "file to compare with, and to be rewritten (default: built in, from "+baselineFile+")")
	flags.BoolVar(&c.statistical, "statistical", false, "take seeds as samples although bits could be compared")
	flags.Uint64Var(&c.firstSeed, "first-seed", 0, "lowest seed, for fresh ones; needs --statistical")
	flags.BoolVar(&c.accept, "accept", false, "make what was measured the baseline, if it moved")
	flags.StringVar(&c.folder, "out", "", "keep the records below this folder; the same build then continues where it was interrupted")
	cmd.MarkFlagsMutuallyExclusive("accept", "statistical")
	return cmd
}

func (c *checking) run(ctx context.Context) error {
	if c.firstSeed > 0 && !c.statistical {
		return errors.New("--first-seed needs --statistical: other seeds give other bits")
	}
	on, err := c.findDevice()
	if err != nil {
		return err
	}
	build := regression.Build{Code: harness.CodeVersion(), Numerics: harness.Numerics, Kernels: on.Name(), Go: runtime.Version()}
	if c.accept && c.baseline == "" {
		c.baseline = baselineFile
		if _, err := os.Stat(filepath.Dir(baselineFile)); err != nil {
			return fmt.Errorf("--accept rewrites %s: call it in the project's folder, or say --baseline FILE", baselineFile)
		}
	}
	b, err := c.readBaseline(build)
	if err != nil {
		return err
	}
	if b.Suite != c.suite {
		return fmt.Errorf("the baseline is of the suite %s, not of %s; --suite and --baseline belong together", b.Suite, c.suite)
	}
	s, err := c.choose(ctx, nil, false)
	if err != nil {
		return err
	}
	remove := func() {}
	if c.folder == "" {
		s.out, remove, err = atomicfile.Scratch()
	} else {
		s.out, err = buildFolder(c.folder)
	}
	if err != nil {
		return err
	}
	defer remove()
	if c.dryRun {
		lastLine := everythingLine
		if c.folder != "" {
			lastLine = s.missingLine
		}
		return s.wouldMeasure(lastLine)
	}
	if err := c.measure(ctx, s, on); err != nil {
		return err
	}
	now, r, err := c.compare(b, build, s)
	if err != nil {
		return err
	}
	if err := c.printValue(r, r.WriteText); err != nil {
		return err
	}
	return c.finish(b, now, r)
}

// readBaseline reads the file of the flag, or the built-in one. A file that
// is to be accepted need not be there yet: then it has the limits of the
// built-in one and no numbers.
func (c *checking) readBaseline(build regression.Build) (regression.Baseline, error) {
	if c.baseline == "" {
		return builtIn()
	}
	data, err := regular.Read(c.baseline, maxBaseline)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.accept:
		b, err := builtIn()
		b.Measurement = regression.Measurement{Suite: c.suite, Build: build}
		return b, err
	case errors.Is(err, fs.ErrNotExist):
		return regression.Baseline{}, fmt.Errorf("--baseline: %w; --accept makes it", err)
	case err != nil:
		return regression.Baseline{}, fmt.Errorf("--baseline: %w", err)
	}
	b, err := regression.ParseBaseline(c.baseline, data)
	if err != nil {
		err = fmt.Errorf("%w; restore it, as from git, or remove it: bench check --accept then writes one", err)
	}
	return b, err
}

// builtIn returns the baseline with which the program was built.
func builtIn() (regression.Baseline, error) {
	b, err := regression.ParseBaseline(baselineFile, baseline.CI)
	if err != nil {
		err = fmt.Errorf("built in: %w; restore it from git and build anew", err)
	}
	return b, err
}

// buildFolder returns a folder with twelve digits of the program's SHA-256, so that
// no other build's records are taken for its own.
func buildFolder(parent string) (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(path)
	return filepath.Join(parent, fmt.Sprintf("build-%.6x", sha256.Sum256(program))), err
}

// measure prints nothing but a bar on a terminal, unless --verbose is set: failures are in the report.
func (c *checking) measure(ctx context.Context, s selection, on devices.Target) error {
	if !isTerminal(s.stderr) && !s.verbose {
		s.stderr = io.Discard
	}
	_, err := s.measure(ctx, on, false)
	if harness.Interrupted(err) && c.folder == "" {
		return fmt.Errorf("interrupted, and nothing is kept; with --out DIR the same command continues where it stopped: %w", context.Canceled)
	}
	return err
}

func (c *checking) compare(b regression.Baseline, build regression.Build, s selection) (
	now regression.Measurement, r regression.Outcome, err error,
) {
	records, err := s.records()
	if err != nil {
		return now, r, err
	}
	var keys []record.Key
	for _, t := range s.trials {
		keys = append(keys, results.KeyOf(t))
	}
	faults, err := regression.Faults(s.store(), keys, records)
	if err != nil {
		return now, r, err
	}
	now = regression.Measure(s.suite, build, records)
	r, err = regression.Compare(b, now, faults, c.statistical)
	return now, r, err
}

// finish accepts what was measured, or fails where something moved.
func (c *checking) finish(b regression.Baseline, now regression.Measurement, r regression.Outcome) error {
	switch {
	case r.Same():
		return nil
	case !c.accept:
		return failure{errors.New("something moved; if it should have, bench check --accept makes it the baseline")}
	case !r.Sound():
		return failure{errors.New("not accepted: what was measured is wrong by itself")}
	}
	b.Measurement = now
	data, err := b.Encode()
	if err != nil {
		return fmt.Errorf("not accepted: %w; %s can be given one by hand", err, c.baseline)
	}
	if err := atomicfile.Write(c.baseline, data); err != nil {
		return &harness.StoreError{Err: err}
	}
	fmt.Fprintf(c.progress(), "accepted: %s is rewritten; look at its difference and commit it with the change\n", c.baseline)
	return nil
}
