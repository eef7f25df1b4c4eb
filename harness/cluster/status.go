package cluster

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// Status is where a job is. Times are seconds.
type Status struct {
	Name    string       `json:"name"`
	Engine  string       `json:"engine"`
	Command []string     `json:"command"`
	Done    int          `json:"trials_done"`
	Failed  int          `json:"trials_failed"` // of those that are done
	Running int          `json:"trials_running"`
	Waiting int          `json:"trials_waiting"`
	Lost    int          `json:"trials_lost"`  // of tasks that failed
	Share   float64      `json:"share"`        // of the work that is done, by the plan
	Left    float64      `json:"seconds_left"` // with as many tasks at once as now; -1 if unknown
	Tasks   []TaskStatus `json:"tasks"`
}

// TaskStatus is where a task is.
type TaskStatus struct {
	Task
	Phase  Phase   `json:"phase"`
	Node   string  `json:"node,omitempty"`
	Reason string  `json:"reason,omitempty"` // why it waits or failed
	Spent  float64 `json:"seconds_spent"`
	Log    string  `json:"log"`
	Report Report  `json:"report"`
}

// Status says where the job's tasks are: by what they report, and otherwise by what
// the engine says.
func (j *Job) Status(ctx context.Context, e Engine) (Status, error) {
	s := Status{Name: j.Name, Engine: j.Engine, Command: j.Command}
	states, err := e.States(ctx, j)
	if err != nil {
		return s, err
	}
	all, done, rest, running := 0.0, 0.0, 0.0, 0
	for _, t := range j.Tasks {
		report, err := j.Report(t.Number) // later than what the engine says: a task reports before it ends
		if err != nil {
			return s, err
		}
		is := newTaskStatus(t, report, states)
		is.Log = j.Log(t.Number)
		s.Tasks = append(s.Tasks, is)
		s.count(is)
		if t.Last {
			continue
		}
		share, seconds := report.Share, cmp.Or(t.Seconds, 1)
		if is.Phase == Done {
			share = 1
		}
		all, done, rest = all+seconds, done+share*seconds, rest+(1-share)*t.Seconds
		if is.Phase == Running {
			running++
		}
	}
	s.Share, s.Left = done/max(all, 1e-9), rest/float64(max(running, 1))
	if rest > 0 && running == 0 {
		s.Left = -1
	}
	return s, nil
}

// Alive reports whether a task waits or runs.
func (s Status) Alive() bool {
	return slices.ContainsFunc(s.Tasks, func(t TaskStatus) bool { return t.Phase == Waiting || t.Phase == Running })
}

func newTaskStatus(t Task, r Report, states map[int]State) TaskStatus {
	is := TaskStatus{Task: t, Phase: Failed, Node: r.Node, Report: r}
	state, known := states[t.Number]
	switch {
	case r.Over():
		is.Phase = Done
	case known && state.Phase != Done:
		is.Phase, is.Reason = state.Phase, state.Reason
		is.Node = cmp.Or(state.Node, r.Node)
	}
	switch {
	case !r.Ended.IsZero():
		is.Spent = r.Ended.Sub(r.Started).Seconds()
	case is.Phase == Running && !r.Started.IsZero():
		is.Spent = time.Since(r.Started).Seconds()
	}
	if is.Phase == Failed {
		is.Reason = cmp.Or(r.Error, is.Reason)
	}
	return is
}

// why says why a task is not over.
func (t TaskStatus) why() string {
	again := ""
	if t.Report.Again {
		again = "it was asked to stop"
	}
	return cmp.Or(t.Reason, again, "it has ended without a report, as on a node that was lost")
}

// count counts the trials of a task.
func (s *Status) count(t TaskStatus) {
	n := len(t.Trials)
	measured := min(n, len(t.Report.Measured))
	if t.Phase == Done {
		measured = n
	}
	s.Done += measured
	s.Failed += t.Report.Failed
	switch rest := n - measured; t.Phase {
	case Running:
		at := min(rest, t.Need.Cores)
		s.Running += at
		s.Waiting += rest - at
	case Failed:
		s.Lost += rest
	default:
		s.Waiting += rest
	}
}

// lastLines returns the last lines of a file, indented; "" where there is none.
func lastLines(file string) string {
	const most, size = 5, 4096
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		_, _ = f.Seek(max(0, info.Size()-size), io.SeekStart)
	}
	data, _ := io.ReadAll(io.LimitReader(f, size))
	lines := strings.Split(string(bytes.TrimSpace(data)), "\n")
	if lines = lines[max(0, len(lines)-most):]; lines[0] == "" {
		return ""
	}
	return "    " + strings.Join(lines, "\n    ")
}
