package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Hooks report what is going on; all must be set. They are called one at a time.
type Hooks struct {
	Start    func(tasks int)
	Measured func(Task, Measured)        // a record that is new, in the order of each task
	Progress func(share float64)         // of the work that is done, 0 to 1, and what is known to run
	Again    func(tasks int, why string) // lost tasks are submitted again
}

// ErrCancelled says that the job was cancelled.
var ErrCancelled = errors.New("the job was cancelled; the same command starts what is left")

// settle is how often the engine must say that a task has ended, before its report
// counts as final: a shared folder may show it late.
const settle = 3

// Run submits the tasks of the job that were not submitted before, and waits until
// all of them are over. Lost tasks are submitted again, as often as the options say.
// The error names tasks that failed, with the last lines of their logs. Cancelling ctx
// leaves the tasks to the engine, unless they are processes of this one.
func (j *Job) Run(ctx context.Context, e Engine, h Hooks) error {
	if len(j.Submissions) == 0 {
		if err := j.submit(ctx, e, j.Tasks); err != nil {
			return err
		}
	}
	h.Start(len(j.Tasks))
	f := follower{Job: j, engine: e, hooks: h, seen: map[int]int{}, gone: map[int]int{}}
	for {
		if j.isCancelled() {
			return errors.Join(ErrCancelled, e.Cancel(ctx, j))
		}
		over, err := f.look(ctx)
		if over || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			if _, ok := e.(*local); ok { // its processes would have no parent
				_ = e.Cancel(context.WithoutCancel(ctx), j)
				return context.Cause(ctx)
			}
			return fmt.Errorf("the tasks go on: bench status says where they are, bench cancel ends them, and the same command waits for them: %w", context.Cause(ctx))
		case <-time.After(j.Options.Poll()):
		}
	}
}

// submit submits tasks, and writes that it has. Where that cannot be written, it tries
// again, as the disk may have room later, and at last ends what nobody would know of.
func (j *Job) submit(ctx context.Context, e Engine, tasks []Task) error {
	ids, err := e.Submit(ctx, j, tasks)
	if err != nil {
		return err
	}
	s := Submission{IDs: ids, At: time.Now().UTC()}
	for _, t := range tasks {
		s.Tasks = append(s.Tasks, t.Number)
	}
	j.Submissions = append(j.Submissions, s)
	for range writes {
		if err = j.Write(); err == nil || ctx.Err() != nil {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(j.Options.Poll()):
		}
	}
	if err != nil {
		return errors.Join(err, e.Cancel(context.WithoutCancel(ctx), j))
	}
	return nil
}

// writes is how often submit tries to write that tasks were submitted.
const writes = 60

// submitted returns how often a task was submitted.
func (j *Job) submitted(number int) (n int) {
	for _, s := range j.Submissions {
		if slices.Contains(s.Tasks, number) {
			n++
		}
	}
	return n
}

// follower is a job that is being waited for.
type follower struct {
	*Job
	engine Engine
	hooks  Hooks
	seen   map[int]int // records of a task that were reported
	gone   map[int]int // how often the engine has said that a task has ended
}

// look looks at all tasks once. It reports whether all of them are over.
func (f *follower) look(ctx context.Context) (over bool, err error) {
	status, err := f.Status(ctx, f.engine)
	if err != nil {
		return false, err
	}
	var lost []Task
	var failures []string
	over = true
	for _, t := range status.Tasks {
		for _, m := range t.Report.Measured[min(f.seen[t.Number], len(t.Report.Measured)):] {
			f.hooks.Measured(t.Task, m)
		}
		f.seen[t.Number] = max(f.seen[t.Number], len(t.Report.Measured))
		switch {
		case t.Phase == Done:
		case t.Phase == Waiting || t.Phase == Running:
			f.gone[t.Number] = 0
			over = false
		case f.gone[t.Number]+1 < settle:
			f.gone[t.Number]++
			over = false
		case t.Last: // whoever waits makes the tables, too
		case !t.Report.Ended.IsZero() && t.Report.Error != "", f.submitted(t.Number) > f.Options.Retries:
			failures = append(failures, f.failure(t))
		default:
			lost = append(lost, t.Task)
			over = false
		}
	}
	f.hooks.Progress(status.Share)
	if len(lost) > 0 {
		first := status.Tasks[lost[0].Number-1]
		f.hooks.Again(len(lost), first.why())
		for _, t := range lost {
			f.gone[t.Number] = 0
		}
		return false, f.submit(ctx, f.engine, lost)
	}
	if over && len(failures) > 0 {
		err = fmt.Errorf("%d of %d tasks failed: %s", len(failures), len(f.Tasks), strings.Join(failures, "\n"))
	}
	return over, err
}

// failure describes a task that failed, with the last lines of its log.
func (f *follower) failure(t TaskStatus) string {
	where := ""
	if t.Node != "" {
		where = " on " + t.Node
	}
	text := fmt.Sprintf("task %d%s: %s; its log is %s", t.Number, where, t.why(), f.Log(t.Number))
	if lines := lastLines(f.Log(t.Number)); lines != "" {
		text += ", which ends:\n" + lines
	}
	return text
}
