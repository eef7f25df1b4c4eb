package cli

import (
	"cmp"
	"context"
	"errors"
	"io"

	"dgsbench/harness"
	"dgsbench/harness/cluster"
	"dgsbench/harness/tune"
	"dgsbench/kernels/devices"
)

// searchMemory is what a task of a search takes, unless the options say otherwise:
// nobody knows what it will propose.
const searchMemory = 3 << 30

// searchOn runs a search whose trials are measured by tasks of an engine: as many as
// --workers, or one for each model, with which its result is that of one process.
func (t *tuning) searchOn(ctx context.Context, tuner tune.Tuner, studies []tune.Study) ([]*tune.History, harness.Summary, error) {
	e, settings, err := t.engine()
	if err != nil {
		return nil, harness.Summary{}, err
	}
	left := 0
	for _, s := range studies {
		past, err := s.Past(t.out)
		if err != nil {
			return nil, harness.Summary{}, err
		}
		left += max(0, s.Trials+1-len(past))
	}
	if tuner.Workers = cmp.Or(t.workers, len(studies)); left == 0 {
		return tuner.Run(ctx, studies)
	}
	cards := 0
	if t.deviceName() == devices.CUDA {
		cards = 1
	}
	tasks := cluster.SearchTasks(min(tuner.Workers, left), searchMemory, 0, cards, settings)
	j, err := t.newJob(ctx, "tune", settings, tasks, nil)
	if err != nil {
		return nil, harness.Summary{}, err
	}
	p := proposals(j)
	tuner.Proposals = &p

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	started, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := t.submit(ctx, e, j, &bar{out: io.Discard, errors: t.stderr}, func() { close(started) })
		if err != nil {
			stop(err)
		}
		ended <- err
	}()
	select {
	case <-started:
	case err := <-ended:
		return nil, harness.Summary{Left: left}, err
	}
	histories, sum, err := tuner.Run(ctx, studies)
	if err == nil {
		err = p.End()
	}
	if err != nil {
		stop(err)
	}
	if jobErr := <-ended; jobErr != nil && !errors.Is(err, jobErr) {
		err = cmp.Or(err, jobErr)
	}
	return histories, sum, err
}
