package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// probeTask asks one node what it has.
var probeTask = Task{Kind: Probe, Need: Need{Cores: 1, Memory: 1 << 30}, Seconds: 1}

// Ask runs a task of a second that says whether a node has what the job's tasks
// need, and returns its report. It waits as long as the engine lets the task wait.
func (j *Job) Ask(ctx context.Context, e Engine) (Report, error) {
	asked := *j // what it submits is no part of the job
	asked.Submissions = nil
	ids, err := e.Submit(ctx, &asked, []Task{probeTask})
	if err != nil {
		return Report{}, err
	}
	asked.Submissions = []Submission{{IDs: ids, Tasks: []int{0}}}
	for gone := 0; ; {
		states, err := e.States(ctx, &asked)
		if err != nil {
			return Report{}, err
		}
		r, err := j.Report(0)
		switch {
		case err != nil:
			return r, err
		case !r.Ended.IsZero() && r.Error != "":
			return r, fmt.Errorf("node %s cannot run the tasks: %s", r.Node, r.Error)
		case !r.Ended.IsZero():
			return r, nil
		}
		if state, ok := states[0]; !ok || state.Phase == Done || state.Phase == Failed {
			if gone++; gone >= settle {
				return r, j.unanswered(state.Reason)
			}
		}
		select {
		case <-ctx.Done():
			return r, errors.Join(context.Cause(ctx), e.Cancel(context.WithoutCancel(ctx), &asked))
		case <-time.After(j.Options.Poll()):
		}
	}
}

// unanswered says why there is no answer.
func (j *Job) unanswered(reason string) error {
	text := fmt.Sprintf("the probe ended without an answer (%s): expected nodes that have the folder %s and can run %s",
		cmp.Or(reason, "the engine gives no reason"), j.Folder, j.Program)
	if lines := lastLines(j.Log(0)); lines != "" {
		text += "; it printed:\n" + lines
	}
	return errors.New(text)
}
