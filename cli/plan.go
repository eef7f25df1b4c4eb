package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/harness/plan"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

func newPlan(o *options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "plan [SPEC.yaml...]", Short: "Say what a suite takes on this machine: trials, hours, memory, disk",
		Long: "plan measures nothing that is kept: it tries every cell of a suite out for a moment and scales\n" +
			"the time to whole trials, or takes the time from records of this machine. Datasets whose file\n" +
			"is not there are stood in for by simulated streams of the same size, and it says how to get\n" +
			"them. On a card (--device cuda) it tries them out there, and says how many hours one card\n" +
			"takes and how much of its memory. The exit code is 2 when a trial has no room in the memory.\n\n" + ownSpecs,
		Example: "  bench plan --suite paper --data ~/streams\n  bench plan --suite paper --device cuda\n  bench plan --json",
		RunE: func(cmd *cobra.Command, files []string) error {
			trials, err := o.trials(files, false)
			if err != nil {
				return err
			}
			if o.dryRun {
				_, err := o.count(trials, o.goOn)
				return err
			}
			if err := o.findDevice(); err != nil {
				return err
			}
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			p, err := o.plan(ctx, trials)
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
			return unlessItFits(p)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	o.addWhere(cmd)
	o.addData(cmd)
	o.addWhat(cmd)
	o.addDevice(cmd)
	o.addWorkers(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "count trials only, and try nothing out")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "json")
	return cmd
}

// unlessItFits is an error if a trial has no room.
func unlessItFits(p plan.Plan) error {
	ok, c := p.Fits()
	switch {
	case ok:
		return nil
	case p.Card != nil:
		return fmt.Errorf("suite %s cannot be run on this card: %s needs %.1f GB of its memory, %.1f GB are free; leave it out with --models, or use a card with more",
			p.Suite, c.CellKey, float64(c.OnCard)/1e9, float64(p.Card.Free)/1e9)
	}
	return fmt.Errorf("suite %s cannot be run on this machine: %s needs %.1f GB of memory beside the data, %.1f GB are free; leave it out with --models, or use a machine with more",
		p.Suite, c.CellKey, float64(c.Memory)/1e9, float64(p.Free-p.Data)/1e9)
}

// plan shows progress on a terminal only: what it prints is short.
func (o *options) plan(ctx context.Context, trials []specs.Trial) (plan.Plan, error) {
	b := newBar(o.stderr)
	defer b.close()
	return plan.Make(ctx, o.question(trials), b.planning("cells"))
}

// question is what plans of the trials answer.
func (o *options) question(trials []specs.Trial) plan.Question {
	return plan.Question{Trials: trials, Store: o.store(), Checkpoints: o.checkpoints, DataDir: o.data, Workers: o.workers, Device: o.target}
}

// planning shows, on a terminal only, how much of what a plan tries out is
// done.
func (b *bar) planning(what string) plan.Hooks {
	done := 0
	return plan.Hooks{
		Start: func(n int) {
			if isTerminal(b.out) {
				b.open(n, fmt.Sprintf("trying out %d %s", n, what))
			}
		},
		Step: func(string) {
			done++
			if b.pending > 0 {
				b.progress(float64(done) / float64(b.pending))
			}
		},
	}
}

// announce prints, before anything is measured, what it will take. It is silent
// where nothing is to be done, or files are missing: measuring says which.
func (o *options) announce(ctx context.Context, trials []specs.Trial) error {
	if !o.allHere(trials) {
		return nil
	}
	p, err := o.plan(ctx, trials)
	switch {
	case harness.Interrupted(err):
		return nil // measuring ends at once too, and knows what is left
	case err != nil || p.ToDo == 0:
		return err
	}
	o.expected = time.Duration((p.Seconds - p.Latency) * float64(time.Second))
	fmt.Fprintf(o.stderr, "plan: %s\n", p.Short())
	return nil
}

// allHere reports whether all datasets of the trials can be read.
func (o *options) allHere(trials []specs.Trial) bool {
	return !slices.ContainsFunc(trials, func(t specs.Trial) bool {
		d, err := datasets.Lookup(t.Dataset)
		return err != nil || o.here(d) == "no" || o.here(d) == "damaged"
	})
}
