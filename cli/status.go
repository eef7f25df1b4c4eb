package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"dgsbench/harness/cluster"
	"dgsbench/internal/lists"
	"dgsbench/results"
	"dgsbench/results/table"

	"github.com/spf13/cobra"
)

func newStatus(o options) *cobra.Command {
	return o.with("out json", &cobra.Command{
		Use: "status", Short: "Say where the tasks are that --on has submitted",
		Long: "status says of every job in the folder of the results how many trials are done,\n" +
			"run or wait, and where each task is. The exit code is 1 where a task failed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := []cluster.Status{}
			lost := 0
			err := o.eachJob(cmd.Context(), func(_ *cluster.Job, _ cluster.Engine, s cluster.Status) error {
				all, lost = append(all, s), lost+s.Lost
				return nil
			})
			if err != nil {
				return err
			}
			err = o.printValue(all, func(w io.Writer) error {
				for _, s := range all {
					if err := writeStatus(w, s); err != nil {
						return err
					}
				}
				return nil
			})
			if err == nil && lost > 0 {
				err = failure{fmt.Errorf("%d trials are of tasks that failed; the command that submitted them starts them again", lost)}
			}
			return err
		},
	})
}

// eachJob calls do for the jobs of the folder, with their engines and where they are.
// No job is an error.
func (o *options) eachJob(ctx context.Context, do func(*cluster.Job, cluster.Engine, cluster.Status) error) error {
	if err := o.checkOut(); err != nil {
		return err
	}
	jobs, err := cluster.Jobs(o.out)
	if err == nil && len(jobs) == 0 {
		err = fmt.Errorf("nothing was submitted in %s: bench all --on slurm would; --out names the folder of the results", o.out)
	}
	if err != nil {
		return err
	}
	for _, j := range jobs {
		e, err := cluster.Open(j.Engine, j.Options)
		if err != nil {
			return err
		}
		s, err := j.Status(ctx, e)
		if err != nil {
			return err
		}
		if err := do(j, e, s); err != nil {
			return err
		}
	}
	return nil
}

// writeStatus prints the sums first, then the tasks that are not done.
func writeStatus(w io.Writer, s cluster.Status) error {
	left := "nothing runs"
	switch {
	case s.Left >= 0 && s.Alive():
		left = "about " + (time.Duration(s.Left) * time.Second).String() + " left"
	case !s.Alive():
		left = "over"
	}
	fmt.Fprintf(w, "%s on %s: %d trials done, %d running, %d waiting, %d failed, %d lost; %s\n",
		s.Name, s.Engine, s.Done, s.Running, s.Waiting, s.Failed, s.Lost, left)
	open := lists.Filter(s.Tasks, func(t cluster.TaskStatus) bool { return t.Phase != cluster.Done })
	if done := len(s.Tasks) - len(open); done > 0 {
		fmt.Fprintf(w, "%s done\n", results.Count(done, "task"))
	}
	if len(open) == 0 {
		return nil
	}
	t := table.New("TASK", "OF", "TRIALS", "STATE", "NODE", "SPENT", "PLANNED", "")
	for _, task := range open {
		t.Add(task.Number, string(task.Kind), len(task.Trials), string(task.Phase), task.Node, brief(task.Spent), brief(task.Seconds), task.Reason)
	}
	return table.WriteList(w, t)
}

// brief is a time in whole seconds; empty for none.
func brief(seconds float64) string {
	if seconds == 0 {
		return ""
	}
	return (time.Duration(seconds*1e9) * time.Nanosecond).Round(time.Second).String()
}

func newCancel(o options) *cobra.Command {
	return o.with("out quiet", &cobra.Command{
		Use: "cancel", Short: "End the tasks that --on has submitted",
		Long: "cancel ends all tasks of the jobs in the folder of the results, waiting and\n" +
			"running ones. What they have measured is kept; the same commands go on with\n" +
			"what is left.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.cancel(cmd.Context()) },
	})
}

func (o *options) cancel(ctx context.Context) error {
	var names []string
	err := o.eachJob(ctx, func(j *cluster.Job, e cluster.Engine, s cluster.Status) error {
		if !s.Alive() {
			return nil
		}
		names = append(names, j.Name)
		return j.Cancel(ctx, e)
	})
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return o.done("no task was left to cancel in "+o.out, false)
	}
	return o.done("cancelled the tasks of "+strings.Join(names, ", "), false)
}
