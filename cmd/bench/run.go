package main

import (
	"context"
	"fmt"

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
			return withHint(o.measure(cmd.Context(), trials))
		},
	}
	o.addWhere(cmd)
	o.addData(cmd)
	o.addWhat(cmd)
	o.addWorkers(cmd)
	return cmd
}

// measure runs the trials and says what was done, what failed and where it
// is. A failed trial makes the command fail.
func (o *options) measure(ctx context.Context, trials []specs.Trial) error {
	bar := newBar(o.stderr)
	runner := harness.Runner{Store: o.store(), DataDir: o.data, Workers: o.workers, Hooks: bar.hooks()}
	sum, err := runner.Run(ctx, trials)
	bar.close()
	if harness.Interrupted(err) {
		return fmt.Errorf("interrupted with %d of %d trials measured; run the same command again to go on: %w",
			len(trials)-sum.Left, len(trials), err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(o.stderr, "done: %d trials measured, %d found measured, %d failed; records are in %s\n",
		sum.Finished, sum.Found, sum.Failed, o.out)
	if sum.Failed > 0 {
		return failure{fmt.Errorf("%d of %d trials failed; their records say why", sum.Failed, len(trials))}
	}
	return nil
}
