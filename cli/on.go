package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dgsbench/harness"
	"dgsbench/harness/cluster"
	"dgsbench/harness/plan"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/lists"
	"dgsbench/internal/lock"
	"dgsbench/kernels/devices"
	"dgsbench/results"
	"dgsbench/specs"
)

// argumentsKey is the key of the command's arguments in its context.
type argumentsKey struct{}

// withoutEngine returns arguments without those about the engine.
func withoutEngine(args []string) (out []string) {
	for i := 0; i < len(args); i++ {
		name, _, hasValue := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			return append(out, args[i:]...)
		case name != "--on" && name != "--on-options":
			out = append(out, args[i])
		case !hasValue:
			i++
		}
	}
	return out
}

// engine opens the engine of --on with its options.
func (o *options) engine() (cluster.Engine, cluster.Options, error) {
	settings, err := cluster.ReadOptions(o.onOptions)
	if err != nil {
		return nil, settings, fmt.Errorf("--on-options: %w", err)
	}
	e, err := cluster.Open(o.on, settings)
	if err != nil {
		err = fmt.Errorf("--on: %w", err)
	}
	return e, settings, err
}

// newJob describes the command as a job of that name, of the tasks.
func (o *options) newJob(ctx context.Context, name string, settings cluster.Options, tasks []cluster.Task, files []string) (*cluster.Job, error) {
	args, _ := ctx.Value(argumentsKey{}).([]string)
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(filepath.Join(cluster.Root(o.out), name))
	if err != nil {
		return nil, err
	}
	j := &cluster.Job{
		Folder: folder, Name: name, Engine: o.on, Options: settings, Command: withoutEngine(args), Dir: dir,
		Program: cmp.Or(settings.Program, filepath.Join(folder, "bench")), Code: harness.CodeVersion(), Created: time.Now().UTC(), Tasks: tasks,
	}
	for _, path := range append([]string{dir, o.data, o.specs}, files...) {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err == nil && !slices.Contains(j.Paths, path) {
			j.Paths = append(j.Paths, path)
		}
	}
	return j, nil
}

// submit runs the job to its end. An earlier one of the same command that has not
// ended is waited for; one of another command is an error.
func (o *options) submit(ctx context.Context, e cluster.Engine, j *cluster.Job, b *bar, started func()) (measured int, err error) {
	held, err := lock.Wait(ctx, j.Lock(), func() {
		fmt.Fprintf(o.progress(), "another process waits for the tasks of %s: waiting for it\n", j.Name)
	})
	if err != nil {
		return 0, err
	}
	defer held.Release()
	ctx, lost := held.During(ctx)
	defer lost()
	if j, err = o.newest(ctx, e, j); err != nil {
		return 0, err
	}
	total := len(lists.Unique(slices.Concat(lists.Map(j.Tasks, func(t cluster.Task) []string { return t.Trials })...), strings.Clone))
	err = j.Run(ctx, e, cluster.Hooks{
		Start: func(tasks int) {
			line := fmt.Sprintf("%s on %s", results.Count(tasks, "task"), j.Engine)
			if total > 0 {
				line = fmt.Sprintf("%d trials to measure in %s", total, line)
			}
			b.open(max(total, 1), line)
			started()
		},
		Measured: func(_ cluster.Task, m cluster.Measured) {
			if m.Error == "" {
				measured++
			}
			b.finished(m.Key, m.Error, ": "+m.Value, m.Seconds)
		},
		Progress: b.progress,
		Again:    func(n int, why string) { b.warn(fmt.Sprintf("%s submitted again: %s", results.Count(n, "task"), why)) },
	})
	b.close()
	if err == nil {
		err = o.afterwards(j)
	}
	if err != nil && !harness.Interrupted(err) {
		err = failure{err}
	}
	return measured, err
}

// afterwards names the nodes of tests that ran alone, and removes the program's copy.
func (o *options) afterwards(j *cluster.Job) error {
	for _, t := range j.Tasks {
		if !t.Need.Exclusive {
			continue
		}
		r, err := j.Report(t.Number)
		if err != nil {
			return err
		}
		fmt.Fprintf(o.progress(), "%s tests (%d models) had node %s for themselves: %s\n", t.Kind, len(t.Trials), r.Node, r.Machine)
	}
	if j.Options.Program == "" {
		return os.Remove(j.Program)
	}
	return nil
}

// newest returns the job that is to be waited for: an earlier one of the same command
// that has not ended, or else this one, once a node has said that it can run its tasks.
func (o *options) newest(ctx context.Context, e cluster.Engine, j *cluster.Job) (*cluster.Job, error) {
	earlier, err := cluster.Read(j.Folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case earlier.Engine == j.Engine:
		status, err := earlier.Status(ctx, e)
		if err != nil {
			return nil, err
		}
		if status.Alive() && slices.Equal(earlier.Command, j.Command) {
			fmt.Fprintf(o.progress(), "the tasks of this command were submitted at %s: waiting for them\n", earlier.Created.Format(time.DateTime))
			return earlier, nil
		}
		if status.Alive() {
			return nil, fmt.Errorf("tasks of another command are still there (bench %s): wait for them, or end them with bench cancel --out %s",
				strings.Join(earlier.Command, " "), o.out)
		}
	}
	if err := errors.Join(j.Remove(), j.Write(), j.MakeFolders(), o.copyProgram(j)); err != nil {
		return nil, err
	}
	fmt.Fprintln(o.progress(), "asking a node whether it has what the tasks need")
	r, err := j.Ask(ctx, e)
	if err == nil {
		fmt.Fprintf(o.progress(), "node %s has: %s\n", r.Node, r.Machine)
		return j, nil
	}
	if !harness.Interrupted(err) {
		err = failure{err}
	}
	return nil, errors.Join(err, j.Remove())
}

// copyProgram copies this program to where the nodes find it, unless they have their own.
func (o *options) copyProgram(j *cluster.Job) error {
	if j.Options.Program != "" {
		return nil
	}
	own, err := os.Executable()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(own)
	if err == nil {
		err = atomicfile.Write(j.Program, data)
	}
	if err == nil {
		err = os.Chmod(j.Program, 0o755)
	}
	return err
}

// measureOn is like measure, but has the trials measured by tasks of an engine.
func (s selection) measureOn(ctx context.Context, on devices.Target, tables bool) (harness.Summary, error) {
	ctx, stop := untilSignal(ctx)
	defer stop()
	if err := s.makeOut(); err != nil {
		return harness.Summary{}, err
	}
	p, err := s.plan(ctx, on)
	if err != nil {
		return harness.Summary{}, err
	}
	measured, err := s.runOn(ctx, p, s.suite, tables)
	if err != nil {
		return harness.Summary{}, err
	}
	p, err = plan.Count(s.question(on))
	if err == nil && p.ToDo > 0 {
		err = failure{fmt.Errorf("%d of %d trials have no record of this machine's kernels in %s: the nodes have others", p.ToDo, p.Trials, s.out)}
	}
	if err != nil {
		return harness.Summary{}, err
	}
	sum, err := s.runTrials(ctx, on, 0) // which reads the records back
	measured = min(measured, sum.Found)
	sum.Finished, sum.Found = sum.Finished+measured, sum.Found-measured
	return sum, err
}

// runOn has tasks do what the plan has to do, as a job of that name.
func (s selection) runOn(ctx context.Context, p plan.Plan, name string, tables bool) (measured int, err error) {
	e, settings, err := s.engine()
	if err != nil {
		return 0, err
	}
	tasks, err := s.cut(p, settings, tables)
	if err != nil || len(tasks) == 0 {
		return 0, err
	}
	j, err := s.newJob(ctx, name, settings, tasks, s.files)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(s.progress(), "plan: %s\n", p.Short())
	b := s.newBar()
	defer b.close()
	return s.submit(ctx, e, j, b, func() {})
}

// cut cuts what the plan has to do into tasks.
func (s selection) cut(p plan.Plan, settings cluster.Options, tables bool) ([]cluster.Task, error) {
	unmeasured, err := s.unmeasured()
	if err != nil {
		return nil, err
	}
	open := map[string]bool{}
	for _, t := range unmeasured {
		open[results.KeyOf(t).String()] = true
	}
	cells := map[string]plan.Cell{}
	for _, c := range p.Cells {
		cells[c.CellKey.String()] = c
	}
	var work []cluster.Work
	for _, t := range s.trials {
		key := results.KeyOf(t)
		c := cells[key.CellKey.String()]
		if c.ToDo == 0 || c.ToDo < c.Trials && !open[key.String()] {
			continue
		}
		w := cluster.Work{Kind: kindOf(t), Key: key.String(), Dataset: t.Dataset, Seconds: c.Seconds, Memory: c.Memory, Data: c.Data}
		if s.deviceName() == devices.CUDA {
			w.Cards = 1
		}
		work = append(work, w)
	}
	tasks := cluster.Cut(work, settings)
	if tables && len(tasks) > 0 {
		tasks = append(tasks, cluster.TablesTask(len(tasks)+1, settings))
	}
	return tasks, nil
}

// kindOf returns the kind of a trial's task.
func kindOf(t specs.Trial) cluster.Kind {
	switch {
	case t.IsLatency():
		return cluster.Latency
	case t.IsLive():
		return cluster.Live
	}
	return cluster.Trials
}
