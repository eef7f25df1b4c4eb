package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"dgsbench/harness"
	"dgsbench/harness/cluster"
	"dgsbench/harness/tune"
	"dgsbench/internal/lists"
	"dgsbench/kernels/devices"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// again is the error of a task that was asked to stop and has work left.
type again struct{ error }

func (a again) Unwrap() error { return a.error }

func newWork(o options) *cobra.Command {
	return &cobra.Command{
		Use: "work FOLDER TASK", Short: "Measure one task of a job, as engines do on their nodes",
		Long: "work runs the command of a job that --on has submitted, on one task of it.\n" +
			"Engines start it on their nodes. The exit code is 75 where it was asked to stop\n" +
			"and has work left: the same command goes on. A task that finds its work done\n" +
			"ends at once.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			j, err := cluster.Read(args[0])
			if err != nil {
				return err
			}
			number, err := strconv.Atoi(args[1])
			if err != nil {
				return fmt.Errorf("the task is %q, expected a number", args[1])
			}
			t, err := j.Task(number)
			if err != nil {
				return err
			}
			return o.work(cmd.Context(), j, t)
		},
	}
}

// work runs a task, and reports how it goes.
func (o *options) work(ctx context.Context, j *cluster.Job, t cluster.Task) error {
	r, err := j.Report(t.Number)
	if err != nil || r.Over() {
		return err
	}
	node := os.Getenv(cluster.NodeVariable)
	if node == "" {
		if node, err = os.Hostname(); err != nil {
			return err
		}
	}
	p := &part{job: j, task: t, report: cluster.Report{
		Node: node, Machine: harness.Machine(devices.Target{}), Started: time.Now().UTC(), Attempts: r.Attempts + 1, Measured: r.Measured, Failed: r.Failed,
	}}
	if err := p.write(); err != nil {
		return err
	}
	fmt.Fprintf(o.stderr, "task %d of %s on %s, %s\n", t.Number, j.Name, node, p.report.Machine)
	if err = p.check(); err == nil && t.Kind != cluster.Probe {
		err = o.runPart(ctx, p)
	}
	p.report.Ended, p.report.Again = time.Now().UTC(), harness.Interrupted(err)
	switch {
	case p.report.Again:
		err = again{fmt.Errorf("asked to stop: this task goes on when it is started again: %w", err)}
	case err != nil:
		p.report.Error = message(err)
	default:
		p.report.Share = 1
	}
	return errors.Join(err, p.write())
}

// runPart runs the job's command on the task.
func (o *options) runPart(ctx context.Context, p *part) error {
	if err := os.Chdir(p.job.Dir); err != nil {
		return err
	}
	if !p.task.Need.Exclusive {
		runtime.GOMAXPROCS(p.task.Need.Cores)
	}
	cmd := newRoot(o.stdout, o.stderr, o.added...)
	cmd.SetArgs(p.job.Command)
	return cmd.ExecuteContext(context.WithValue(ctx, partKey{}, p))
}

// part is the task that this process works on. Its methods are safe for concurrent use.
type part struct {
	job  *cluster.Job
	task cluster.Task

	mu      sync.Mutex
	report  cluster.Report
	written time.Time
}

type partKey struct{}

// partOf returns the task that a command is to be run on, nil if it is all of it.
func partOf(ctx context.Context) *part {
	p, _ := ctx.Value(partKey{}).(*part)
	return p
}

// check returns an error unless this node has what the job was submitted with.
func (p *part) check() error {
	if code := harness.CodeVersion(); code != p.job.Code {
		return fmt.Errorf("%s is of version %s, expected %s, which has submitted the job", p.job.Program, code, p.job.Code)
	}
	for _, path := range p.job.Paths {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("it is not the same as where the job was submitted: %w", err)
		}
	}
	return harness.Writable(p.job.Folder)
}

func (p *part) write() error {
	p.written = time.Now()
	return p.job.WriteReport(p.task.Number, p.report)
}

// measured reports a record.
func (p *part) measured(r record.Record) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Failed() {
		p.report.Failed++
	}
	p.report.Measured = append(p.report.Measured, cluster.Measured{Key: r.Key.String(), Value: headline(r), Error: r.Error, Seconds: r.Durations.Total})
	return p.write()
}

// allMeasured reports records, if there is a task.
func (p *part) allMeasured(all []record.Record) (err error) {
	for _, r := range all {
		if p != nil {
			err = errors.Join(err, p.measured(r))
		}
	}
	return err
}

// progress reports which share of the work is done, every few seconds.
func (p *part) progress(share float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.report.Share = share; time.Since(p.written) > 2*time.Second {
		_ = p.write() // the next report has it, too
	}
}

// hooks report what is going on to h, and to the job.
func (p *part) hooks(h harness.Hooks) harness.Hooks {
	if p == nil {
		return h
	}
	done, progress := h.Done, h.Progress
	h.Done = func(r record.Record) {
		done(r)
		_ = p.measured(r) // there is a record, which decides
	}
	h.Progress = func(share float64) { progress(share); p.progress(share) }
	return h
}

// of returns the task's trials among all.
func (p *part) of(all []specs.Trial) ([]specs.Trial, error) {
	some := lists.Filter(all, func(t specs.Trial) bool { return slices.Contains(p.task.Trials, results.KeyOf(t).String()) })
	if len(some) < len(p.task.Trials) {
		return nil, fmt.Errorf("the command has %d trials of the task here, expected %d: specs or data differ between the machines", len(some), len(p.task.Trials))
	}
	return some, nil
}

// runTask measures the task's trials of a suite, or makes its tables.
func (s selection) runTask(ctx context.Context, p *part) error {
	if s.tune != 0 {
		if p.task.Kind == cluster.Search {
			t, studies, err := s.searches()
			if err != nil {
				return err
			}
			return t.serve(ctx, p, studies)
		}
		var err error
		if s, err = s.withTuned(ctx); err != nil {
			return err
		}
	}
	if p.task.Kind == cluster.Tables {
		return s.printAndWrite()
	}
	var err error
	if s.trials, err = p.of(s.trials); err != nil {
		return err
	}
	on, err := s.ready(s.trials)
	if err != nil {
		return err
	}
	s.workers = p.task.Need.Cores
	_, err = s.measure(ctx, on, false)
	return err
}

// serve measures what a search proposes.
func (t *tuning) serve(ctx context.Context, p *part, studies []tune.Study) error {
	on, err := t.ready(firstTrials(studies))
	if err != nil {
		return err
	}
	if err := t.makeOut(); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	lab, err := tune.OpenLab(t.out, t.data, on, p.task.Need.Cores, studies)
	if err != nil {
		return err
	}
	return proposals(p.job).Serve(ctx, t.out, lab, studies, searchPatience, func(r record.Record) { _ = p.measured(r) })
}

// searchPatience is how long a task of a search waits for the next trial.
const searchPatience = 10 * time.Minute

// proposals is the folder of a search's trials.
func proposals(j *cluster.Job) tune.Proposals {
	return tune.Proposals{Folder: filepath.Join(j.Folder, "trials"), Every: min(j.Options.Poll(), time.Second) / 4}
}
