package latency

import (
	"context"
	"slices"

	"dgsbench/harness"
	"dgsbench/kernels"
	"dgsbench/results/record"
)

// records reports whether the plan's device can record.
func records(p Plan) (bool, error) {
	d, err := p.Device.New(p.Threads)
	if err != nil {
		return false, err
	}
	_, ok := d.(kernels.Recorder)
	return ok, nil
}

// hasGraphs reports whether a dataset's tests are also measured as graphs.
func (r *runner) hasGraphs(p Plan) bool { return r.records && mode(p.Trials[0]) == record.Streaming }

// graphs lets the models take turns with the headline as one graph. What
// fails there leaves the times of streaming alone.
func (r *runner) graphs(ctx context.Context, subjects []*subject) error {
	var all []*graph
	defer func() {
		for _, g := range all {
			g.close()
		}
	}()
	for _, s := range subjects {
		if s.record.Failed() || s.device == nil {
			continue
		}
		for _, in := range []string{record.Graph, record.GraphWithCopies} {
			if err := ctx.Err(); err != nil {
				return err
			}
			var g *graph
			err := harness.Guard(func() (err error) {
				g, err = newGraph(s, in)
				return err
			})
			if err != nil {
				g = &graph{subject: s, mode: in, err: err}
			}
			all = append(all, g)
		}
	}
	if err := r.takeTurns(ctx, all); err != nil {
		return err
	}
	for _, g := range all {
		g.finish()
	}
	return nil
}

// takeTurns has rounds in random order, after one that warms up.
func (r *runner) takeTurns(ctx context.Context, all []*graph) error {
	turns := slices.Clone(all)
	if len(turns) == 0 {
		return nil
	}
	for round := range turns[0].timings[0].iterations + 1 {
		r.rng.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
		for _, g := range turns {
			if err := ctx.Err(); err != nil {
				return err
			}
			g.take(round)
		}
	}
	return nil
}
