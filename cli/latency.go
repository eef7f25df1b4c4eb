package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"dgsbench/harness"
	"dgsbench/harness/latency"
	"dgsbench/harness/plan"
	"dgsbench/results"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// timing is bench latency with its flags.
type timing struct {
	shared       *options
	suite        string
	trials       []specs.Trial // of the suite, also those that are no latency tests
	plan         latency.Plan
	format       string
	asJSON       bool
	old          string // the build to compare with
	alternations int
}

func newLatency(o *options) *cobra.Command {
	l := &timing{shared: o}
	cmd := &cobra.Command{
		Use: "latency [SPEC.yaml...]", Short: "Time how fast models answer: the 200x200 test, single events, batch sizes",
		Long: "latency times node classification on the last events of a stream, from a state warmed up\n" +
			"with everything before: the paper's 200 batches of 200 events, then other batch sizes. It\n" +
			"measures anew each time, prints the tables and keeps records, with every batch's time, in\n" +
			"the folder of the results. Times are compared within a run alone. On a card it also times all\n" +
			"batches as one graph, apart from these.\n\n" +
			"With --compare, this build and another one alternate. It fails when this one is slower:\n" +
			"median ratio of the pairs at least 1.15, and p below .01.\n\n" + ownSpecs,
		Example: "  bench latency --datasets wikipedia-sim\n" +
			"  bench latency --suite latency-real --data ~/streams\n" +
			"  bench latency --suite latency-small --compare ./bench-before",
		RunE: func(cmd *cobra.Command, files []string) error { return l.run(cmd.Context(), files) },
	}
	o.addWhere(cmd)
	o.addData(cmd)
	o.addModels(cmd)
	o.addDevice(cmd)
	o.addDryRun(cmd)
	flags := cmd.Flags()
	flags.StringVar(&l.suite, "suite", "latency", "what to measure")
	flags.IntVar(&l.plan.Threads, "threads", runtime.GOMAXPROCS(0), "threads a model may use")
	flags.Lookup("threads").DefValue = "all cores"
	flags.Uint64Var(&l.plan.Seed, "seed", 0, "of the order in which models take turns")
	flags.StringVar(&l.format, "format", "text", formatNames())
	flags.BoolVar(&l.asJSON, "json", false, "print JSON instead of tables, or of verdicts")
	flags.StringVar(&l.old, "compare", "", "another build of bench, to alternate with")
	flags.IntVar(&l.alternations, "alternations", latency.FewestAlternations, "pairs of runs, for --compare")
	return cmd
}

func (l *timing) run(ctx context.Context, files []string) error {
	write, err := tableWriter(l.format)
	if err != nil {
		return err
	}
	if l.old != "" && l.format != "text" {
		return fmt.Errorf("--format is %q, which --compare has not: expected text, or --json", l.format)
	}
	if err := within("threads", l.plan.Threads, 1, mostThreads); err != nil {
		return err
	}
	o := l.shared
	o.suite = l.suite
	if l.trials, err = o.trials(files, true); err != nil {
		return err
	}
	if _, l.plan.Trials = specs.SplitLatency(l.trials); len(l.plan.Trials) == 0 {
		return fmt.Errorf("suite %s has no latency test: no protocol of it has `latency:`; measure it with bench all", o.suite)
	}
	if l.old != "" {
		if l.old, err = otherBuild(l.old); err != nil {
			return err
		}
	}
	if o.dryRun {
		return o.wouldMeasure(l.plan.Trials, l.would)
	}
	if err := o.findDevice(); err != nil {
		return err
	}
	l.plan.DataDir, l.plan.Device = o.data, o.target
	ctx, stop := untilSignal(ctx)
	defer stop()
	if l.old != "" {
		return l.compare(ctx, files)
	}
	if err := o.canLeave(); err != nil {
		return err
	}
	var all []latency.Measured
	err = o.alone(ctx, func(ctx context.Context) (err error) {
		all, err = o.time(ctx, l.plan)
		return err
	})
	switch {
	case harness.Interrupted(err):
		return fmt.Errorf("interrupted; datasets that were finished have their records in %s: %w", o.out, err)
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w; --data DIR says where files are", err)
	case err != nil:
		return err
	}
	if err := l.report(all, files, write); err != nil {
		return err
	}
	return l.lastLine(all)
}

// time measures latency tests and keeps the records of every dataset as soon
// as it is done: those are returned, also with an error.
func (o *options) time(ctx context.Context, p latency.Plan) ([]latency.Measured, error) {
	if err := harness.CheckStore(o.store(), p.Trials, p.Trials); err != nil {
		return nil, err
	}
	var all []latency.Measured
	bar, hooks := o.steps("steps of the latency test")
	defer bar.close()
	err := latency.Run(ctx, p, hooks, func(some []latency.Measured) error {
		if err := latency.Keep(o.store(), some); err != nil {
			return err
		}
		all = append(all, some...)
		return nil
	})
	return all, err
}

// steps prints a line a step. A bar would be drawn while the clock runs.
func (o *options) steps(what string) (*bar, latency.Hooks) {
	b := newBar(struct{ io.Writer }{o.stderr})
	done := 0
	return b, latency.Hooks{
		Start: func(steps int) { b.open(steps, fmt.Sprintf("%d %s", steps, what)) },
		Step: func(what string, took time.Duration) {
			done++
			b.progress(float64(done) / float64(b.pending))
			b.finished(what, took.Seconds())
		},
	}
}

// report prints what was measured and leaves tables and rows beside the
// records.
func (l *timing) report(all []latency.Measured, files []string, write writer) error {
	o := l.shared
	r, err := o.wholeReport(l.plan.Trials, files)
	if err != nil {
		return err
	}
	whole := r
	if len(l.trials) > len(l.plan.Trials) {
		if whole, err = o.newReport(l.trials, files); err != nil {
			return err
		}
	}
	if err := o.leave(whole); err != nil {
		return err
	}
	switch {
	case l.asJSON:
		return latency.NewSummary(l.plan, all).WriteJSON(o.stdout)
	case l.format == "csv":
		return results.WriteCSV(o.stdout, r.Rows)
	}
	return o.print(r, write)
}

func (l *timing) lastLine(all []latency.Measured) error {
	failed := latency.NewSummary(l.plan, all).Failed()
	line := fmt.Sprintf("%d models measured, %d failed; records are in %s", len(all)-failed, failed, filepath.Join(l.shared.out, l.shared.suite))
	if failed > 0 {
		return failure{errors.New(line)}
	}
	fmt.Fprintln(l.shared.stderr, "done:", line)
	return nil
}

// would is the last line of --dry-run.
func (l *timing) would(p plan.Plan) string {
	if l.old == "" {
		return anew(p)
	}
	return fmt.Sprintf("%d trials would be measured by this build and by %s, %d times each", p.Trials, l.old, l.alternations)
}
