package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/harness/plan"
	"dgsbench/kernels/devices"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

func newPlan(o options) *cobra.Command {
	cmd := o.with(folderFlags+suiteFlags+"hours label-delay device workers on on-options json quiet", &cobra.Command{
		Use: "plan [SPEC.yaml...]", Short: "Estimate trials, hours, memory and disk of a suite on this machine",
		Long: "plan measures nothing that is kept: it runs a few windows of every cell of a\n" +
			"suite and scales their time to whole trials, or takes the time from records of\n" +
			"this machine. Datasets whose file is missing are replaced by simulated streams\n" +
			"of the same size, and it says how to get them. On a card (--device cuda) it runs\n" +
			"the windows there, and says how many hours one card takes and how much of its\nmemory. The exit code is 2 when a trial does not fit into the memory.\n\nWith --on it says which tasks would be submitted, and what they take.\n\n" + ownSpecs,
		Example: "  bench plan --suite paper --data ~/streams\n  bench plan --suite paper --device cuda\n  bench plan --json",
		RunE: o.choosing(false, func(ctx context.Context, s selection) error {
			s.trials = s.withoutMissing(s.trials)
			if o.dryRun && o.on == "" {
				_, err := s.count(s.missingLine)
				return err
			}
			unmeasured, err := s.unmeasured()
			if err != nil {
				return err
			}
			on, err := s.ready(unmeasured)
			if err != nil {
				return err
			}
			ctx, stop := untilSignal(ctx)
			defer stop()
			p, err := s.plan(ctx, on)
			if err != nil {
				return err
			}
			if o.on != "" {
				return s.planOn(ctx, p)
			}
			if err := o.printValue(p, p.WriteText); err != nil {
				return err
			}
			return unlessItFits(p)
		}),
	})
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "count trials only, and run nothing; with --on, also print what would be handed over")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "json")
	return cmd
}

// unlessItFits returns an error if a trial needs more memory than there is.
func unlessItFits(p plan.Plan) error {
	c, found := p.TooLarge()
	switch {
	case !found:
		return nil
	case p.Card != nil:
		return fmt.Errorf("suite %s cannot be run on this card: %s needs %.1f GB of its memory, %.1f GB are free; "+
			"leave it out with --models, or use a card with more",
			p.Suite, c.CellKey, float64(c.OnCard)/1e9, float64(p.Card.Free)/1e9)
	}
	return fmt.Errorf("suite %s cannot be run on this machine: %s needs %.1f GB of memory beside the data, %.1f GB are free; "+
		"leave it out with --models, or use a machine with more",
		p.Suite, c.CellKey, float64(c.Memory)/1e9, float64(p.Free-p.Data)/1e9)
}

// plan reports progress on a terminal only: what it prints is short.
func (s selection) plan(ctx context.Context, on devices.Target) (plan.Plan, error) {
	b := s.newBar()
	defer b.close()
	return plan.Make(ctx, s.question(on), b.planning("cells"))
}

func (s selection) question(on devices.Target) plan.Question {
	return plan.Question{Trials: s.trials, Store: s.store(), Checkpoints: s.checkpoints, DataDir: s.data, Workers: s.workers, Device: on}
}

// announce prints, before anything is measured, what it will take, and returns
// how long the trials that are scored should take. It prints nothing where
// nothing is to be done, or files are missing, which measuring then reports.
func (s selection) announce(ctx context.Context, on devices.Target) (time.Duration, error) {
	missing := func(t specs.Trial) bool {
		d, err := datasets.Lookup(t.Dataset)
		return err != nil || d.Present(s.data) != nil
	}
	if slices.ContainsFunc(s.trials, missing) {
		return 0, nil
	}
	p, err := s.plan(ctx, on)
	switch {
	case harness.Interrupted(err):
		return 0, nil // measuring ends at once too, and reports what is left
	case err != nil || p.ToDo == 0:
		return 0, err
	}
	fmt.Fprintf(s.progress(), "plan: %s\n", p.Short())
	return time.Duration((p.Seconds - p.Latency - p.Live) * float64(time.Second)), nil
}

// count prints which trials have been measured, and last what would happen.
func (s selection) count(lastLine func(plan.Plan) string) (plan.Plan, error) {
	if err := s.checkOut(); err != nil {
		return plan.Plan{}, err
	}
	on, err := s.findDevice()
	if err != nil {
		return plan.Plan{}, err
	}
	p, err := plan.Count(s.question(on))
	if err != nil {
		return p, err
	}
	if err := p.WriteCounts(s.stdout); err != nil {
		return p, err
	}
	_, err = fmt.Fprintf(s.stdout, "\n%s\n", lastLine(p))
	return p, err
}

// wouldMeasure is like count, and fails where files are missing, as measuring does.
func (s selection) wouldMeasure(lastLine func(plan.Plan) string) error {
	p, err := s.count(lastLine)
	if err != nil || len(p.Missing) == 0 {
		return err
	}
	var names []string
	for _, m := range p.Missing {
		names = append(names, m.Dataset)
	}
	return fmt.Errorf("no file of %s; --data DIR says where files are", strings.Join(names, ", "))
}

// missingLine is the last line of commands that measure what has no record.
func (s selection) missingLine(p plan.Plan) string {
	return fmt.Sprintf("%d trials: %d found measured in %s, %d would be measured", p.Trials, p.Trials-p.ToDo, s.out, p.ToDo)
}

// everythingLine is the last line of commands that measure everything again.
func everythingLine(p plan.Plan) string {
	return fmt.Sprintf("%d trials would be measured, whether they have a record or not", p.Trials)
}
