package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"dgsbench/harness"
	"dgsbench/harness/latency"
	"dgsbench/harness/live"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/lists"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

func newAll(o options) *cobra.Command {
	return o.with(folderFlags+suiteFlags+"hours label-delay tune device workers on on-options checkpoints allow-stale dry-run quiet verbose", &cobra.Command{
		Use: "all [SPEC.yaml...]", Short: "Measure a suite and print its tables",
		Long: "all says what it will take, measures what has no record yet, prints the tables\n" +
			"and writes them, with the numbers as CSV, to the folder of the results; or\nprints them alone where flags leave something of the suite out.\n\n" + ownSpecs,
		Example: "  bench all\n  bench all --dry-run\n  bench all --suite torch-nc --data ~/streams",
		RunE:    o.choosing(false, func(ctx context.Context, s selection) error { return s.runSuite(ctx, true) }),
	})
}

func newRun(o options) *cobra.Command {
	return o.with(folderFlags+suiteFlags+"hours label-delay device workers on on-options checkpoints dry-run quiet verbose", &cobra.Command{
		Use: "run [SPEC.yaml...]", Short: "Measure a suite, or only your own models, and print no tables",
		Long: "run says what it will take, and measures what has no record yet.\n\n" + ownSpecs +
			"\nrun measures only the models of the files, where there are any.",
		Example: "  bench run --suite torch-nc --data ~/streams\n  bench run my-sprints.yaml --suite torch-nc --data ~/streams",
		RunE:    o.choosing(true, func(ctx context.Context, s selection) error { return s.runSuite(ctx, false) }),
	})
}

// runSuite measures the selection, and prints and writes its tables if asked for.
func (s selection) runSuite(ctx context.Context, tables bool) error {
	s.trials = s.withoutMissing(s.trials)
	if p := partOf(ctx); p != nil {
		return s.runTask(ctx, p)
	}
	if s.dryRun {
		return s.wouldMeasure(s.missingLine)
	}
	if s.tune != 0 {
		var err error
		if s, err = s.tuned(ctx); err != nil {
			return err
		}
	}
	unmeasured, err := s.unmeasured()
	if err != nil {
		return err
	}
	on, err := s.ready(unmeasured)
	if err != nil {
		return err
	}
	if tables {
		if err := s.makeTableFolder(); err != nil {
			return err
		}
	}
	var sum harness.Summary
	if s.on == "" {
		sum, err = s.measure(ctx, on, true)
	} else {
		sum, err = s.measureOn(ctx, on, tables)
	}
	if err != nil {
		return err
	}
	what, where := "records", s.out
	if tables {
		if err := s.printAndWrite(); err != nil {
			return err
		}
		if where = filepath.Join(s.out, s.suite); !s.isFiltered() {
			what = "records, tables, figures and results.csv"
		}
	}
	line := fmt.Sprintf("%d trials measured, %d found measured, %d failed; %s are in %s", sum.Finished, sum.Found, sum.Failed, what, where)
	return s.done(line, sum.Failed > 0)
}

// done prints the last line of a command, or returns it as a failure.
func (o *options) done(line string, failed bool) error {
	if failed {
		return failure{errors.New(line)}
	}
	fmt.Fprintln(o.progress(), "done:", line)
	return nil
}

func (s selection) printAndWrite() error {
	r, err := s.report(true)
	if err != nil {
		return err
	}
	if err := writeReport(s.stdout, r, "text"); err != nil {
		return err
	}
	return s.writeTables(r)
}

// untilSignal ends ctx at the first signal to stop; a second one ends the
// program at once, as everywhere else.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// measure runs the trials that have no record, until a signal to stop comes. It
// prints what they will take first if announced is set.
func (s selection) measure(ctx context.Context, on devices.Target, announced bool) (harness.Summary, error) {
	if err := s.makeOut(); err != nil {
		return harness.Summary{}, err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	var expected time.Duration
	if announced {
		var err error
		if expected, err = s.announce(ctx, on); err != nil {
			return harness.Summary{}, err
		}
	}
	return s.runTrials(ctx, on, expected)
}

// runTrials runs first the trials that are scored, side by side, then latency and live
// tests, which need an idle machine. An error says what is left to do; failed
// trials are no error. Scored trials are expected to take that long; 0 if unknown.
func (s selection) runTrials(ctx context.Context, on devices.Target, expected time.Duration) (harness.Summary, error) {
	timed, loaded := specs.LatencyTests(s.trials), specs.LiveTests(s.trials)
	if err := harness.CheckStore(s.store(), slices.Concat(timed, loaded), nil); err != nil {
		return harness.Summary{}, err
	}
	bar := s.newBar()
	bar.expected = expected
	runner := harness.Runner{Store: s.store(), DataDir: s.data, Workers: s.workers, Device: on, Checkpoints: s.checkpoints, Hooks: partOf(ctx).hooks(bar.hooks())}
	sum, err := runner.Run(ctx, specs.Scored(s.trials))
	bar.close()
	sum.Left += len(timed) + len(loaded)
	if err == nil && len(timed) > 0 {
		sum, err = s.timeMissing(ctx, on, timed, sum, s.timeLatency)
	}
	if err == nil && len(loaded) > 0 {
		sum, err = s.timeMissing(ctx, on, loaded, sum, s.timeLive)
	}
	for _, r := range sum.FailedBefore {
		fmt.Fprintf(s.stderr, "failed before: %s: %s; to run it again, remove %s\n",
			r.Key, r.Error, s.store().Path(r.Key, r.Identity))
	}
	if harness.Interrupted(err) {
		return sum, fmt.Errorf("interrupted with %d of %d trials measured, their records are in %s; run the same command again to go on: %w",
			len(s.trials)-sum.Left, len(s.trials), s.out, err)
	}
	return sum, explainMissing(err)
}

// explainMissing names the flag for data that was not found.
func explainMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) && !errors.As(err, new(*harness.StoreError)) {
		return fmt.Errorf("%w; --data DIR says where files are", err)
	}
	return err
}

// exclusively times models, with a bar, while no other process of the machine does.
func exclusively[T any](ctx context.Context, o *options, do func(context.Context, *bar) (T, error)) (result T, err error) {
	err = harness.ExclusiveTiming(ctx, func(file string) {
		fmt.Fprintf(o.progress(), "another process is timing models on this machine: waiting until it releases %s\n", file)
	}, func(ctx context.Context) (err error) {
		bar := o.newBar()
		defer bar.close()
		result, err = do(ctx, bar)
		return err
	})
	return result, err
}

// timeMissing measures, by time, the latency or live tests of the datasets that lack any,
// which another run may have measured meanwhile. sum.Left already counts all of the tests.
func (s selection) timeMissing(ctx context.Context, on devices.Target, tests []specs.Trial, sum harness.Summary,
	time func(context.Context, devices.Target, []specs.Trial, *bar) ([]record.Record, error)) (harness.Summary, error) {
	missing, found, err := latency.Missing(s.store(), s.data, on, tests)
	if err == nil && len(missing) > 0 {
		var all []record.Record
		all, err = exclusively(ctx, &s.options, func(ctx context.Context, b *bar) (_ []record.Record, err error) {
			if missing, found, err = latency.Missing(s.store(), s.data, on, tests); err != nil || len(missing) == 0 {
				return nil, err
			}
			return time(ctx, on, missing, b)
		})
		for _, r := range all {
			sum.Add(r, true)
		}
		sum.Left -= len(all)
	}
	for _, r := range found {
		sum.Add(r, false)
	}
	sum.Left -= len(found)
	if err != nil {
		return sum, err
	}
	if missing, _, err = latency.Missing(s.store(), s.data, on, tests); err == nil && len(missing) > 0 {
		sum.Left += len(missing)
		err = missingRecordsError(missing, len(tests))
	}
	return sum, err
}

// timeLatency measures latency tests on all cores, and returns their records.
func (o *options) timeLatency(ctx context.Context, on devices.Target, tests []specs.Trial, b *bar) ([]record.Record, error) {
	all, err := o.time(ctx, latency.Plan{Trials: tests, DataDir: o.data, Device: on, Threads: runtime.GOMAXPROCS(0)}, b)
	return lists.Map(all, func(m latency.Measured) record.Record { return m.Record }), err
}

// timeLive measures live tests on all cores, and returns their records.
func (o *options) timeLive(ctx context.Context, on devices.Target, tests []specs.Trial, b *bar) ([]record.Record, error) {
	return o.load(ctx, live.Plan{Trials: tests, DataDir: o.data, Device: on, Threads: runtime.GOMAXPROCS(0), Store: o.store()}, b)
}

// load measures live tests and stores the records of every dataset as soon as it is
// done: those are returned, also with an error.
func (o *options) load(ctx context.Context, p live.Plan, b *bar) (all []record.Record, err error) {
	if err := harness.CheckStore(o.store(), p.Trials, p.Trials); err != nil {
		return nil, err
	}
	err = live.Run(ctx, p, b.timing("steps of the live test"), func(some []live.Measured) error {
		for _, m := range some {
			all = append(all, m.Record)
		}
		return errors.Join(live.Keep(o.store(), some), partOf(ctx).allMeasured(all[len(all)-len(some):]))
	})
	return all, err
}

// time measures latency tests and stores the records of every dataset as soon
// as it is done: those are returned, also with an error.
func (o *options) time(ctx context.Context, p latency.Plan, b *bar) (all []latency.Measured, err error) {
	if err := harness.CheckStore(o.store(), p.Trials, p.Trials); err != nil {
		return nil, err
	}
	err = latency.Run(ctx, p, b.timing("steps of the latency test"), func(some []latency.Measured) error {
		if err := latency.Keep(o.store(), some); err != nil {
			return err
		}
		all = append(all, some...)
		return partOf(ctx).allMeasured(lists.Map(some, func(m latency.Measured) record.Record { return m.Record }))
	})
	return all, err
}

func (o *options) checkOut() error {
	if o.out == "" {
		return errors.New("--out is empty, expected a folder for the results")
	}
	switch info, err := os.Stat(o.out); {
	case err == nil && !info.IsDir():
		return fmt.Errorf("--out: %s is not a folder", o.out)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// makeOut makes the folder of the results, and removes what killed runs have left.
func (o *options) makeOut() error {
	if err := o.checkOut(); err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	root := atomicfile.Root(o.out)
	if err := root.Probe(); err != nil {
		return fmt.Errorf("--out: nothing can be written there: %w", err)
	}
	if err := root.Clean(); err != nil {
		return fmt.Errorf("--out: remove what a killed run has left: %w", err)
	}
	return nil
}
