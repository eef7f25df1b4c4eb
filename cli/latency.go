package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"dgsbench/harness"
	"dgsbench/harness/latency"
	"dgsbench/harness/plan"
	"dgsbench/kernels/devices"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// timing is bench latency with its flags.
type timing struct {
	options
	threads      int
	seed         uint64 // of the order in which models take turns
	format       string
	old          string // the build to compare with
	alternations int
}

func newLatency(o options) *cobra.Command {
	l := &timing{options: o}
	cmd := l.with(folderFlags+"models datasets device on on-options dry-run quiet verbose", &cobra.Command{
		Use: "latency [SPEC.yaml...]", Short: "Time how fast models answer batches and single events",
		Long: "latency times node classification on the last events of a stream, from a state\n" +
			"warmed up with everything before: the paper's 200 batches of 200 events, then\n" +
			"other batch sizes. It measures anew each time, prints the tables and keeps\n" +
			"records, with every batch's time, in the folder of the results. Times are\n" +
			"compared within a run alone. On a card it also times all batches as one graph,\n" +
			"apart from these.\n\nWith --compare, this build and another one alternate. It fails when this one is\nslower: median ratio of the pairs at least 1.15, and p below .01.\n\n" + ownSpecs,
		Example: "  bench latency --datasets wikipedia-sim\n" +
			"  bench latency --suite latency-real --data ~/streams\n" +
			"  bench latency --suite latency-small --compare ./bench-before",
		RunE: l.choosing(true, l.run),
	})
	flags := cmd.Flags()
	flags.StringVar(&l.suite, "suite", "latency", "what to measure")
	flags.IntVar(&l.threads, "threads", runtime.GOMAXPROCS(0), "threads a model may use")
	flags.Lookup("threads").DefValue = "all cores"
	flags.Uint64Var(&l.seed, "seed", 0, "of the order in which models take turns")
	formatFlag(cmd, &l.format, tableFormats)
	flags.BoolVar(&l.asJSON, "json", false, "print JSON instead of tables, or of verdicts")
	flags.StringVar(&l.old, "compare", "", "another build of bench, to alternate with")
	cmd.MarkFlagsMutuallyExclusive("on", "compare")
	flags.IntVar(&l.alternations, "alternations", latency.FewestAlternations, "pairs of runs, for --compare")
	return cmd
}

// run measures the latency tests among the trials that were chosen.
func (l *timing) run(ctx context.Context, all selection) error {
	if err := cmp.Or(checkFormat(l.format, tableFormats), inRange("threads", l.threads, 1, maxThreads)); err != nil {
		return err
	}
	if l.old != "" && l.format != "text" {
		return fmt.Errorf("--format is %q, which --compare has not: expected text, or --json", l.format)
	}
	all.trials = l.withoutMissing(all.trials)
	s := all
	if s.trials = specs.LatencyTests(all.trials); len(s.trials) == 0 {
		return fmt.Errorf("suite %s has no latency test: no protocol of it has `latency:`; measure it with bench all", s.suite)
	}
	if p := partOf(ctx); p != nil {
		return l.runTask(ctx, s, p)
	}
	old, err := otherBuild(l.old)
	if err != nil {
		return err
	}
	if l.dryRun {
		return s.wouldMeasure(func(p plan.Plan) string {
			if old == "" {
				return everythingLine(p)
			}
			return fmt.Sprintf("%d trials would be measured by this build and by %s, %d times each", p.Trials, old, l.alternations)
		})
	}
	on, err := l.ready(s.trials)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	if old != "" {
		return l.compare(ctx, old, s)
	}
	if err := s.makeTableFolder(); err != nil {
		return err
	}
	p := l.planOf(s.trials, on)
	var measured []latency.Measured
	if l.on == "" {
		measured, err = l.timeHere(ctx, p)
	} else {
		measured, err = l.timeOn(ctx, s, on)
	}
	if harness.Interrupted(err) {
		return fmt.Errorf("interrupted; datasets that were finished have their records in %s: %w", l.out, err)
	} else if err != nil {
		return explainMissing(err)
	}
	summary := latency.NewSummary(p, measured)
	if l.on != "" && len(measured) > 0 {
		summary.Machine, summary.Threads = measured[0].Record.Machine, measured[0].Record.Threads
	}
	if err := l.report(all, s, summary); err != nil {
		return err
	}
	failed := summary.Failed()
	line := fmt.Sprintf("%d models measured, %d failed; records are in %s", len(measured)-failed, failed, filepath.Join(l.out, s.suite))
	return l.done(line, failed > 0)
}

// runTask times the tests of a task, unless that was done since it was submitted.
func (l *timing) runTask(ctx context.Context, s selection, part *part) error {
	var err error
	if s.trials, err = part.of(s.trials); err != nil {
		return err
	}
	on, err := l.ready(s.trials)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	if err := l.makeOut(); err != nil {
		return err
	}
	missing, found, err := latency.Missing(l.store(), l.data, on, s.trials)
	if err != nil {
		return err
	}
	before := func(r record.Record) bool {
		at, err := time.Parse(time.RFC3339Nano, r.Run())
		return err != nil || at.Before(part.job.Created)
	}
	if len(missing) == 0 && !slices.ContainsFunc(found, before) {
		return nil
	}
	_, err = l.timeHere(ctx, l.planOf(s.trials, on))
	return err
}

func (l *timing) planOf(trials []specs.Trial, on devices.Target) latency.Plan {
	return latency.Plan{Trials: trials, DataDir: l.data, Device: on, Threads: l.threads, Seed: l.seed}
}

// timeHere times the tests with this machine for itself.
func (l *timing) timeHere(ctx context.Context, p latency.Plan) ([]latency.Measured, error) {
	return exclusively(ctx, &l.options, func(ctx context.Context, b *bar) ([]latency.Measured, error) { return l.time(ctx, p, b) })
}

// timeOn has the tests timed by tasks of an engine, and returns what they have stored.
func (l *timing) timeOn(ctx context.Context, s selection, on devices.Target) ([]latency.Measured, error) {
	p, err := s.plan(ctx, on)
	if err != nil {
		return nil, err
	}
	for i, c := range p.Cells {
		p.Cells[i].ToDo = c.Trials // whether they have records or not
	}
	if _, err := s.runOn(ctx, p, "latency-"+s.suite, false); err != nil {
		return nil, err
	}
	missing, found, err := latency.Missing(l.store(), l.data, on, s.trials)
	if err == nil && len(missing) > 0 {
		err = missingRecordsError(missing, len(s.trials))
	}
	var all []latency.Measured
	for _, r := range found {
		if err != nil {
			break
		}
		m := latency.Measured{Record: r}
		if !r.Failed() {
			m.Times, err = l.store().Times(r)
		}
		all = append(all, m)
	}
	return all, err
}

// report prints what was measured, and writes the tables of the whole suite.
func (l *timing) report(all, timed selection, summary latency.Summary) error {
	r, err := timed.report(true)
	whole := r
	if err == nil && len(all.trials) > len(timed.trials) {
		whole, err = all.report(false)
	}
	if err == nil {
		err = all.writeTables(whole)
	}
	switch {
	case err != nil:
		return err
	case l.asJSON:
		return writeJSON(l.stdout, summary)
	case l.format == "csv":
		return results.WriteCSV(l.stdout, r.Rows)
	}
	return writeReport(l.stdout, r, l.format)
}

// otherBuild returns the absolute path of the build to compare with.
func otherBuild(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return "", fmt.Errorf("--compare is %q, expected a build of bench", path)
	}
	return filepath.Abs(path)
}

// compare lets this build and the other one alternate. A slower one is a failure.
func (l *timing) compare(ctx context.Context, old string, s selection) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	args := slices.Concat(s.files, flagWords("suite", s.suite, "data", l.data, "specs", l.specs, "device", l.deviceWord(),
		"threads", strconv.Itoa(l.threads), "models", strings.Join(l.models, ","), "datasets", strings.Join(l.datasets, ",")))
	c := latency.Comparison{Old: old, New: own, Args: args, Alternations: l.alternations, Seed: l.seed}
	verdicts, err := exclusively(ctx, &l.options, func(ctx context.Context, b *bar) ([]latency.Verdict, error) {
		return latency.Compare(ctx, c, b.timing("pairs of runs"))
	})
	if harness.Interrupted(err) {
		return fmt.Errorf("interrupted; nothing was compared: %w", err)
	} else if err != nil {
		return err
	}
	if l.asJSON {
		if err := writeJSON(l.stdout, verdicts); err != nil {
			return err
		}
	}
	if v := verdicts[0]; v.OldMachine != v.NewMachine {
		fmt.Fprintf(l.stderr, "the builds report different machines or kernels: %s (%s) and %s (this one)\n",
			v.OldMachine, old, v.NewMachine)
	}
	var slower []string
	for _, v := range verdicts {
		if !l.asJSON {
			fmt.Fprintf(l.stdout, "%v: median of new/old %.3f over %d pairs, p %.2g\n", v, v.Ratio, len(v.New), v.P)
		}
		if v.Slower {
			slower = append(slower, v.String())
		}
	}
	if len(slower) > 0 {
		return failure{fmt.Errorf("this build is slower than %s: %s", old, strings.Join(slower, "; "))}
	}
	return nil
}
