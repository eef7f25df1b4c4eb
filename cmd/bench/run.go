package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"dgsbench/harness"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

func newRun(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use: "run [SPEC.yaml...]", Short: "Measure a suite, or only your own models on it, without printing tables",
		Long:    "run measures what has no record yet.\n\n" + ownSpecs + "\nrun measures only the models of the files, where there are any.",
		Example: "  bench run --suite torch-nc --data ~/streams\n  bench run my-graph-sprints.yaml --suite torch-nc --data ~/streams",
		RunE: func(cmd *cobra.Command, files []string) error {
			trials, err := o.trials(files, true)
			if err != nil {
				return err
			}
			sum, err := o.measure(cmd.Context(), trials)
			if err != nil {
				return err
			}
			return o.lastLine(sum, "records", o.out)
		},
	}
	o.addWhere(cmd)
	o.addData(cmd)
	o.addWhat(cmd)
	o.addWorkers(cmd)
	o.addCheckpoints(cmd)
	return cmd
}

// untilSignal ends ctx at the first signal to stop; a second one ends the
// program at once, as everywhere else.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// measure runs the trials. An error says what is left to do; failed trials
// are none. A signal to stop ends it at the next batch.
func (o *options) measure(ctx context.Context, trials []specs.Trial) (harness.Summary, error) {
	if err := latencyOnly(trials); err != nil {
		return harness.Summary{}, err
	}
	if err := o.makeOut(); err != nil {
		return harness.Summary{}, err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	bar := newBar(o.stderr)
	runner := harness.Runner{Store: o.store(), DataDir: o.data, Workers: o.workers, Checkpoints: o.checkpoints, Hooks: bar.hooks()}
	sum, err := runner.Run(ctx, trials)
	bar.close()
	for _, r := range sum.FailedBefore {
		fmt.Fprintf(o.stderr, "failed before: %s: %s; to run it again, remove %s\n",
			r.Key, r.Error, filepath.Join(o.out, r.Key.Path(r.Identity)))
	}
	var store *harness.StoreError
	switch {
	case harness.Interrupted(err):
		err = fmt.Errorf("interrupted with %d of %d trials measured, their records are in %s; run the same command again to go on: %w",
			len(trials)-sum.Left, len(trials), o.out, err)
	case errors.Is(err, fs.ErrNotExist) && !errors.As(err, &store):
		err = fmt.Errorf("%w; --data DIR says where files are", err)
	}
	return sum, err
}

// makeOut makes the folder of the results before anything is measured.
func (o *options) makeOut() error {
	if o.out == "" {
		return errors.New("--out is empty, expected a folder for the results")
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
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
