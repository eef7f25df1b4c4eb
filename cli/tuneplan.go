package cli

import (
	"context"
	"fmt"

	"dgsbench/harness/plan"
	"dgsbench/harness/tune"
)

// plan prints what would be done and what it takes.
func (t *tuning) plan(ctx context.Context, studies []tune.Study) error {
	p, err := t.makePlan(ctx, studies)
	if err != nil {
		return err
	}
	write := p.WriteText
	if t.asJSON {
		write = p.WriteJSON
	}
	if err := write(t.shared.stdout); err != nil {
		return err
	}
	if ok, s := p.Fits(); !ok {
		return fmt.Errorf("trials of %s need %.1f GB of memory, %.1f GB are free; leave it out with --model, narrow its ranges down, or use a machine with more",
			s, float64(s.Memory)/1e9, float64(p.Free)/1e9)
	}
	return nil
}

// makePlan shows progress on a terminal only, as bench plan does.
func (t *tuning) makePlan(ctx context.Context, studies []tune.Study) (plan.Tuning, error) {
	ctx, stop := untilSignal(ctx)
	defer stop()
	b := newBar(t.shared.stderr)
	defer b.close()
	q := plan.TuningQuestion{
		Studies: studies, Out: t.shared.out, DataDir: t.shared.data, Workers: t.shared.workers, Device: t.shared.target,
	}
	return plan.MakeTuning(ctx, q, b.planning("trials"))
}
