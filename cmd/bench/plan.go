package main

import (
	"fmt"

	"dgsbench/harness/plan"

	"github.com/spf13/cobra"
)

func newPlan(o *options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "plan [SPEC.yaml...]", Short: "Say what a suite takes on this machine: trials, hours, memory, disk",
		Long: "plan measures nothing that is kept: it tries every cell of a suite out for a moment and scales\n" +
			"the time to whole trials, or takes the time from records of this machine. Datasets whose file\n" +
			"is not there are stood in for by simulated streams of the same size, and it says how to get\n" +
			"them. The exit code is 2 when a trial has no room in this machine's memory.\n\n" + ownSpecs,
		Example: "  bench plan --suite paper --data ~/streams\n  bench plan --json",
		RunE: func(cmd *cobra.Command, files []string) error {
			p, err := o.plan(cmd, files)
			if err != nil {
				return err
			}
			write := p.WriteText
			if asJSON {
				write = p.WriteJSON
			}
			if err := write(o.stdout); err != nil {
				return err
			}
			if ok, c := p.Fits(); !ok {
				return fmt.Errorf("suite %s cannot be run on this machine: %s needs %.1f GB of memory, %.1f GB are free; leave it out with --models, or use a machine with more",
					p.Suite, c.CellKey, float64(c.Memory)/1e9, float64(p.Free)/1e9)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	o.addWhere(cmd)
	o.addData(cmd)
	o.addWhat(cmd)
	o.addWorkers(cmd)
	return cmd
}

// plan shows progress on a terminal only: what it prints is short.
func (o *options) plan(cmd *cobra.Command, files []string) (plan.Plan, error) {
	trials, err := o.trials(files, false)
	if err != nil {
		return plan.Plan{}, err
	}
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	b := newBar(o.stderr)
	defer b.close()
	done := 0
	return plan.Make(ctx, plan.Question{Trials: trials, Store: o.store(), DataDir: o.data, Workers: o.workers}, plan.Hooks{
		Start: func(cells int) {
			if isTerminal(o.stderr) {
				b.open(cells, fmt.Sprintf("trying out %d cells", cells))
			}
		},
		Step: func(string) {
			done++
			if b.pending > 0 {
				b.progress(float64(done) / float64(b.pending))
			}
		},
	})
}
