package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"dgsbench/harness"
	"dgsbench/harness/latency"
	"dgsbench/internal/atomicfile"
	"dgsbench/results"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

func newRun(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use: "run [SPEC.yaml...]", Short: "Measure a suite, or only your own models on it, without printing tables",
		Long:    "run says what it will take, and measures what has no record yet.\n\n" + ownSpecs + "\nrun measures only the models of the files, where there are any.",
		Example: "  bench run --suite torch-nc --data ~/streams\n  bench run my-sprints.yaml --suite torch-nc --data ~/streams",
		RunE: func(cmd *cobra.Command, files []string) error {
			trials, err := o.trials(files, true)
			if err != nil {
				return err
			}
			if o.dryRun {
				return o.wouldMeasure(trials, o.goOn)
			}
			sum, err := o.planAndMeasure(cmd.Context(), trials)
			if err != nil {
				return err
			}
			return o.lastLine(sum, "records", o.out)
		},
	}
	o.addWhere(cmd)
	o.addData(cmd)
	o.addWhat(cmd)
	o.addDevice(cmd)
	o.addWorkers(cmd)
	o.addCheckpoints(cmd)
	o.addDryRun(cmd)
	return cmd
}

// untilSignal ends ctx at the first signal to stop; a second one ends the
// program at once, as everywhere else.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// planAndMeasure says what the trials take before it measures them.
func (o *options) planAndMeasure(ctx context.Context, trials []specs.Trial) (harness.Summary, error) {
	return o.prepared(ctx, func(ctx context.Context) (harness.Summary, error) {
		if err := o.announce(ctx, trials); err != nil {
			return harness.Summary{}, err
		}
		return o.work(ctx, trials)
	})
}

// measure runs the trials without a word before.
func (o *options) measure(ctx context.Context, trials []specs.Trial) (harness.Summary, error) {
	return o.prepared(ctx, func(ctx context.Context) (harness.Summary, error) { return o.work(ctx, trials) })
}

// prepared does something when the device and the folder of the results are
// there, until it is done or a signal to stop comes.
func (o *options) prepared(ctx context.Context, do func(context.Context) (harness.Summary, error)) (harness.Summary, error) {
	if err := o.findDevice(); err != nil {
		return harness.Summary{}, err
	}
	if err := o.makeOut(); err != nil {
		return harness.Summary{}, err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	return do(ctx)
}

// work runs the trials: first those that are scored, side by side, then the
// latency tests, which need an idle machine. An error says what is left to do;
// failed trials are none. When ctx ends it stops at the next batch.
func (o *options) work(ctx context.Context, trials []specs.Trial) (harness.Summary, error) {
	scored, timed := specs.SplitLatency(trials)
	if err := harness.CheckStore(o.store(), timed, nil); err != nil {
		return harness.Summary{}, err
	}
	sum, err := o.score(ctx, scored)
	sum.Left += len(timed)
	if err == nil && len(timed) > 0 {
		sum, err = o.timeMissing(ctx, timed, sum)
	}
	for _, r := range sum.FailedBefore {
		fmt.Fprintf(o.stderr, "failed before: %s: %s; to run it again, remove %s\n",
			r.Key, r.Error, o.store().Path(r.Key, r.Identity))
	}
	return sum, o.explain(err, sum, trials)
}

// score measures what is no latency test.
func (o *options) score(ctx context.Context, trials []specs.Trial) (harness.Summary, error) {
	bar := newBar(o.stderr)
	bar.expected = o.expected
	defer bar.close()
	runner := harness.Runner{Store: o.store(), DataDir: o.data, Workers: o.workers, Device: o.target, Checkpoints: o.checkpoints, Hooks: bar.hooks()}
	return runner.Run(ctx, trials)
}

// alone does something that times models, while no other process of the
// machine does.
func (o *options) alone(ctx context.Context, do func(context.Context) error) error {
	return harness.Alone(ctx, func(file string) {
		fmt.Fprintf(o.stderr, "another process is timing models on this machine: waiting until it releases %s\n", file)
	}, do)
}

// timeMissing measures the latency tests of the datasets that lack any, which
// another run may have measured while this one waited. Left already counts all
// of the tests.
func (o *options) timeMissing(ctx context.Context, tests []specs.Trial, sum harness.Summary) (harness.Summary, error) {
	missing, found, err := latency.Missing(o.store(), o.data, o.target, tests)
	if err == nil && len(missing) > 0 {
		err = o.alone(ctx, func(ctx context.Context) (err error) {
			if missing, found, err = latency.Missing(o.store(), o.data, o.target, tests); err == nil {
				sum, err = o.timeNow(ctx, missing, sum)
			}
			return err
		})
	}
	for _, r := range found {
		sum.Left--
		if r.Failed() {
			sum.Failed++
			sum.FailedBefore = append(sum.FailedBefore, r)
		} else {
			sum.Found++
		}
	}
	if err != nil {
		return sum, err
	}
	if missing, _, err = latency.Missing(o.store(), o.data, o.target, tests); err == nil && len(missing) > 0 {
		sum.Left += len(missing)
		err = gone(missing, len(tests))
	}
	return sum, err
}

// timeNow measures latency tests and counts them.
func (o *options) timeNow(ctx context.Context, missing []specs.Trial, sum harness.Summary) (harness.Summary, error) {
	if len(missing) == 0 {
		return sum, nil
	}
	all, err := o.time(ctx, latency.Plan{Trials: missing, DataDir: o.data, Device: o.target, Threads: runtime.GOMAXPROCS(0)})
	for _, m := range all {
		sum.Left--
		if m.Record.Failed() {
			sum.Failed++
		} else {
			sum.Finished++
		}
	}
	return sum, err
}

// gone is the error of trials whose records are not there any more.
func gone(trials []specs.Trial, of int) error {
	return failure{fmt.Errorf("the records of %d of %d trials were there and are gone, among them that of %s; the same command measures them again",
		len(trials), of, results.KeyOf(trials[0]))}
}

// explain says what an error leaves to do.
func (o *options) explain(err error, sum harness.Summary, trials []specs.Trial) error {
	var store *harness.StoreError
	switch {
	case harness.Interrupted(err):
		return fmt.Errorf("interrupted with %d of %d trials measured, their records are in %s; run the same command again to go on: %w",
			len(trials)-sum.Left, len(trials), o.out, err)
	case errors.Is(err, fs.ErrNotExist) && !errors.As(err, &store):
		return fmt.Errorf("%w; --data DIR says where files are", err)
	}
	return err
}

// checkOut refuses results that have no folder.
func (o *options) checkOut() error {
	if o.out == "" {
		return errors.New("--out is empty, expected a folder for the results")
	}
	return nil
}

// makeOut makes the folder of the results before anything is measured, and
// removes what killed runs were writing there.
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

// lastLine says what was done, what failed and where it is. Failed trials
// make it an error.
func (o *options) lastLine(sum harness.Summary, what, where string) error {
	line := fmt.Sprintf("%d trials measured, %d found measured, %d failed; %s are in %s", sum.Finished, sum.Found, sum.Failed, what, where)
	if sum.Failed > 0 {
		return failure{errors.New(line)}
	}
	fmt.Fprintln(o.stderr, "done:", line)
	return nil
}
