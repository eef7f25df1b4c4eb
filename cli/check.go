package cli

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"dgsbench/harness"
	"dgsbench/harness/plan"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/regular"
	"dgsbench/results"
	"dgsbench/results/baseline"
	"dgsbench/results/record"
	"dgsbench/results/regression"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// mostBaseline is more bytes than a baseline has.
const mostBaseline = 64 << 20

// baselineFile is where the baseline of the project lies.
const baselineFile = "results/baseline/ci.json"

// checking is bench check with its flags.
type checking struct {
	shared      *options
	suite       string
	keep        string // the folder of the records; empty keeps none
	baseline    string // a file; empty for the built-in one
	statistical bool
	accept      bool
	asJSON      bool
}

func newCheck(o *options) *cobra.Command {
	c := &checking{shared: o}
	cmd := &cobra.Command{
		Use: "check", Short: "Compare this build's numbers with those it is known to give", Args: cobra.NoArgs,
		Long: "check measures a small suite on simulated streams, in about half a minute, and compares every\n" +
			"test metric of every seed with the baseline: bit for bit, or on other kernels than the\n" +
			"baseline's by a permutation test a row. An improvement is a change too: --accept makes what\n" +
			"was measured the new baseline.\n\n" +
			"Exit codes: 0 the same, 1 something moved, 2 wrong use or nothing to compare with.",
		Example: "  bench check\n  bench check --accept\n  bench check --statistical --first-seed 10",
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&c.suite, "suite", "ci", "what to measure")
	flags.StringVar(&c.baseline, "baseline", "", "file to compare with, and to be rewritten (default: built in, from "+baselineFile+")")
	flags.BoolVar(&c.statistical, "statistical", false, "take seeds as samples although bits could be compared")
	flags.Uint64Var(&o.firstSeed, "first-seed", 0, "lowest seed, for fresh ones; needs --statistical")
	flags.BoolVar(&c.accept, "accept", false, "make what was measured the baseline, if it moved")
	flags.BoolVar(&c.asJSON, "json", false, "print JSON")
	flags.StringVar(&c.keep, "out", "", "keep the records below this folder; the same build then goes on where it was interrupted")
	cmd.MarkFlagsMutuallyExclusive("accept", "statistical")
	o.addSpecs(cmd)
	o.addData(cmd)
	o.addWorkers(cmd)
	o.addDevice(cmd)
	o.addDryRun(cmd)
	return cmd
}

func (c *checking) run(ctx context.Context) error {
	o := c.shared
	if o.firstSeed > 0 && !c.statistical {
		return errors.New("--first-seed needs --statistical: other seeds give other bits")
	}
	if err := o.findDevice(); err != nil {
		return err
	}
	b, err := c.readBaseline()
	if err != nil {
		return err
	}
	if b.Suite != c.suite {
		return fmt.Errorf("the baseline is of the suite %s, not of %s; --suite and --baseline belong together", b.Suite, c.suite)
	}
	o.suite = c.suite
	trials, err := o.trials(nil, false)
	if err != nil {
		return err
	}
	remove, err := c.chooseOut()
	if err != nil {
		return err
	}
	defer remove()
	if o.dryRun {
		return o.wouldMeasure(trials, c.would)
	}
	if err := c.measure(ctx, trials); err != nil {
		return err
	}
	now, r, err := c.compare(b, trials)
	if err != nil {
		return err
	}
	if err := c.print(r); err != nil {
		return err
	}
	return c.finish(b, now, r)
}

// would is the last line of --dry-run.
func (c *checking) would(p plan.Plan) string {
	if c.keep == "" {
		return anew(p)
	}
	return c.shared.goOn(p)
}

// readBaseline reads the file of the flag, or the built-in one. A file that
// is to be accepted need not be there yet.
func (c *checking) readBaseline() (regression.Baseline, error) {
	if c.baseline == "" && !c.accept {
		return builtIn()
	}
	if c.baseline == "" {
		c.baseline = baselineFile
		if _, err := os.Stat(filepath.Dir(baselineFile)); err != nil {
			return regression.Baseline{}, fmt.Errorf("--accept rewrites %s: call it in the project's folder, or say --baseline FILE", baselineFile)
		}
	}
	data, err := regular.Read(c.baseline, mostBaseline)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.accept:
		return c.firstBaseline()
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

// builtIn is the baseline that was there when the program was built.
func builtIn() (regression.Baseline, error) {
	b, err := regression.ParseBaseline(baselineFile, baseline.CI)
	if err != nil {
		err = fmt.Errorf("built in: %w; restore it from git and build anew", err)
	}
	return b, err
}

// firstBaseline has no numbers yet, and the limits of the built-in one.
func (c *checking) firstBaseline() (regression.Baseline, error) {
	b, err := builtIn()
	b.Measurement = regression.Measurement{Suite: c.suite, Build: c.thisBuild()}
	return b, err
}

// chooseOut decides where the records go: a folder of this very build, so
// that no other build's records are taken for its own.
func (c *checking) chooseOut() (remove func(), err error) {
	if c.keep == "" {
		c.shared.out, remove, err = atomicfile.Scratch()
		return remove, err
	}
	build, err := buildSum()
	c.shared.out = filepath.Join(c.keep, "build-"+build)
	return func() {}, err
}

// buildSum tells builds apart: twelve digits of the program's SHA-256.
func buildSum() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer program.Close()
	h := sha256.New()
	if _, err := io.Copy(h, program); err != nil {
		return "", err
	}
	return fmt.Sprintf("%.6x", h.Sum(nil)), nil
}

// measure is silent where nobody watches: what failed is in the report.
func (c *checking) measure(ctx context.Context, trials []specs.Trial) error {
	quiet := *c.shared
	if !isTerminal(quiet.stderr) {
		quiet.stderr = io.Discard
	}
	_, err := quiet.measure(ctx, trials)
	if harness.Interrupted(err) && c.keep == "" {
		return fmt.Errorf("interrupted, and nothing is kept; with --out DIR the same command goes on where it stopped: %w", context.Canceled)
	}
	return err
}

func (c *checking) compare(b regression.Baseline, trials []specs.Trial) (regression.Measurement, regression.Report, error) {
	records, err := c.shared.records(trials)
	if err != nil {
		return regression.Measurement{}, regression.Report{}, err
	}
	var keys []record.Key
	for _, t := range trials {
		keys = append(keys, results.KeyOf(t))
	}
	faults, err := regression.Faults(c.shared.store(), keys, records)
	if err != nil {
		return regression.Measurement{}, regression.Report{}, err
	}
	now := regression.Measure(c.suite, c.thisBuild(), records)
	r, err := regression.Compare(b, now, faults, c.statistical)
	return now, r, err
}

func (c *checking) thisBuild() regression.Build {
	return regression.Build{
		Code: harness.CodeVersion(), Numerics: harness.Numerics, Kernels: c.shared.target.Name(), Go: runtime.Version(),
	}
}

func (c *checking) print(r regression.Report) error {
	if !c.asJSON {
		return r.WriteText(c.shared.stdout)
	}
	e := json.NewEncoder(c.shared.stdout)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// finish accepts what was measured, or fails where something moved.
func (c *checking) finish(b regression.Baseline, now regression.Measurement, r regression.Report) error {
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
	fmt.Fprintf(c.shared.stderr, "accepted: %s is rewritten; look at its difference and commit it with the change\n", c.baseline)
	return nil
}
