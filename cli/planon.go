package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"dgsbench/harness/cluster"
	"dgsbench/harness/plan"
	"dgsbench/internal/lists"
	"dgsbench/results"
	"dgsbench/results/table"
)

// jobPlan is what --on would submit. Times are seconds.
type jobPlan struct {
	Suite    string         `json:"suite"`
	Engine   string         `json:"engine"`
	Tasks    []cluster.Task `json:"tasks"`
	Sum      float64        `json:"seconds_of_tasks"`
	Critical float64        `json:"critical_path_seconds"` // of the longest task
	Nodes    int            `json:"nodes,omitempty"`
	Cores    int            `json:"node_cores,omitempty"`
	Seconds  float64        `json:"seconds,omitempty"` // on these nodes
	Script   string         `json:"-"`
}

// planOn prints what would be submitted of the plan.
func (s selection) planOn(ctx context.Context, p plan.Plan) error {
	e, settings, err := s.engine()
	if err != nil {
		return err
	}
	tasks, err := s.cut(p, settings, true)
	if err != nil {
		return err
	}
	out := jobPlan{Suite: s.suite, Engine: s.on, Tasks: tasks, Nodes: settings.Nodes, Cores: settings.NodeCores}
	for _, t := range tasks {
		out.Sum += t.Seconds
	}
	out.Seconds, out.Critical = cluster.Makespan(tasks, settings.Nodes*settings.NodeCores/settings.Cores)
	if settings.Nodes*settings.NodeCores == 0 {
		out.Seconds = 0
	}
	if s.dryRun && len(tasks) > 0 {
		j, err := s.newJob(ctx, s.suite, settings, tasks, s.files)
		if err != nil {
			return err
		}
		if out.Script, err = e.Script(j, tasks); err != nil {
			return err
		}
	}
	return s.printValue(out, out.writeText)
}

// writeText prints a row for each kind of task and need.
func (p jobPlan) writeText(w io.Writer) error {
	trials := 0
	for _, t := range p.Tasks {
		trials += len(t.Trials)
	}
	fmt.Fprintf(w, "Suite %s on %s: %d trials in %s, the longest first\n\n", p.Suite, p.Engine, trials, results.Count(len(p.Tasks), "task"))
	t := table.New("TASKS", "OF", "TRIALS", "CORES", "MEMORY", "CARDS", "LONGEST", "SHORTEST", "HOURS")
	type class struct {
		kind cluster.Kind
		need cluster.Need
	}
	for _, tasks := range lists.GroupBy(p.Tasks, func(t cluster.Task) class { return class{t.Kind, t.Need} }) {
		n, sum := 0, 0.0
		for _, task := range tasks {
			n, sum = n+len(task.Trials), sum+task.Seconds
		}
		need := tasks[0].Need
		cores, memory := fmt.Sprint(need.Cores), fmt.Sprintf("%d GB", need.Memory>>30)
		if need.Exclusive {
			cores, memory = "a node", "a node's"
		}
		longest := slices.MaxFunc(tasks, cluster.Task.Compare)
		shortest := slices.MinFunc(tasks, cluster.Task.Compare)
		t.Add(len(tasks), string(tasks[0].Kind), n, cores, memory, need.Cards, brief(longest.Seconds), brief(shortest.Seconds), table.Fixed(sum/3600, 2))
	}
	if err := table.WriteList(w, t); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%.2f hours of tasks by this machine's clock; critical path: %s, the longest task\n", p.Sum/3600, brief(p.Critical))
	if p.Seconds > 0 {
		fmt.Fprintf(w, "on %d nodes of %d cores, if all are free: %.2f hours\n", p.Nodes, p.Cores, p.Seconds/3600)
	} else {
		fmt.Fprintln(w, "the options nodes and node_cores say how many hours that is on a cluster")
	}
	if p.Script != "" {
		fmt.Fprintf(w, "\nwhat would be handed over:\n\n%s", p.Script)
	}
	return nil
}
