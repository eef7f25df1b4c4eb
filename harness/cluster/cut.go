package cluster

import (
	"math"
	"math/bits"
	"slices"

	"dgsbench/internal/lists"
)

// Work is a trial that is to be done, and what it takes by the plan.
type Work struct {
	Kind    Kind
	Key     string // of its record
	Dataset string
	Seconds float64 // 0 if unknown
	Memory  int64   // bytes of the model
	Data    int64   // bytes of the dataset
	Cards   int
}

// program is the memory that bench takes beside data and models.
const program = 512 << 20

// Cut cuts work into tasks, the longest first. Scored trials are in order, and a
// task has Options.MinMinutes of work or more for each of its cores, where there is
// as much. The tests of a dataset that take its node alone are one task.
func Cut(all []Work, o Options) []Task {
	var tasks []Task
	for _, ofCards := range lists.GroupBy(all, func(w Work) int { return w.Cards }) {
		tasks = append(tasks, cutTrials(lists.Filter(ofCards, func(w Work) bool { return w.Kind == Trials }), o)...)
		for _, kind := range []Kind{Latency, Live} {
			ofKind := lists.Filter(ofCards, func(w Work) bool { return w.Kind == kind })
			for _, tests := range lists.GroupBy(ofKind, func(w Work) string { return w.Dataset }) {
				t := newTask(tests, o)
				t.Need.Exclusive, t.Need.Memory = true, 0
				tasks = append(tasks, t)
			}
		}
	}
	slices.SortStableFunc(tasks, func(a, b Task) int { return b.Compare(a) })
	for i := range tasks {
		tasks[i].Number = i + 1
	}
	return tasks
}

// cutTrials cuts scored trials. What is left at the end joins the task before it.
func cutTrials(all []Work, o Options) (tasks []Task) {
	var parts [][]Work
	start, sum := 0, 0.0
	for i, w := range all {
		if sum += w.Seconds; w.Seconds == 0 || sum >= o.MinMinutes*60*float64(o.Cores) {
			parts = append(parts, all[start:i+1])
			start, sum = i+1, 0
		}
	}
	switch rest := all[start:]; {
	case len(rest) > 0 && len(parts) > 0:
		last := &parts[len(parts)-1]
		*last = slices.Concat(*last, rest)
	case len(rest) > 0:
		parts = append(parts, rest)
	}
	for _, part := range parts {
		tasks = append(tasks, newTask(part, o))
	}
	return tasks
}

// newTask returns a task of the work. Its cores have as many trials at once; its
// memory is a power of two of gigabytes, so that there are few classes of needs.
func newTask(work []Work, o Options) Task {
	t := Task{Kind: work[0].Kind, Need: Need{Cores: o.Cores, Cards: work[0].Cards}}
	data, largest, longest := int64(program), int64(0), 0.0
	for _, w := range work {
		t.Trials = append(t.Trials, w.Key)
		t.Seconds += w.Seconds
		largest, longest = max(largest, w.Memory), max(longest, w.Seconds)
	}
	for _, of := range lists.GroupBy(work, func(w Work) string { return w.Dataset }) {
		data += of[0].Data
	}
	if t.Kind == Trials {
		t.Seconds = max(longest, t.Seconds/float64(o.Cores))
	}
	t.Need.Memory = gigabytes(o, data+int64(o.Cores)*largest)
	return t
}

// gigabytes rounds memory up to a power of two of gigabytes, unless the options have it.
func gigabytes(o Options, bytes int64) int64 {
	if o.MemoryGB > 0 {
		return int64(o.MemoryGB * (1 << 30))
	}
	gb := uint64(math.Ceil(float64(bytes) / (1 << 30)))
	return 1 << (30 + bits.Len64(max(gb, 1)-1))
}

// SearchTasks returns n tasks that measure what a search proposes, one trial at a
// time each. Nobody knows how long a search takes.
func SearchTasks(n int, largest, data int64, cards int, o Options) (tasks []Task) {
	need := Need{Cores: o.Cores, Memory: gigabytes(o, program+data+largest), Cards: cards}
	for i := range n {
		tasks = append(tasks, Task{Number: i + 1, Kind: Search, Need: need})
	}
	return tasks
}

// TablesTask returns the task that makes tables after all the others.
func TablesTask(number int, o Options) Task {
	return Task{Number: number, Kind: Tables, Need: Need{Cores: 1, Memory: gigabytes(o, 2<<30)}, Last: true}
}

// Makespan returns how long tasks take on as many slots, each starting with the first
// task that has not begun, and the time of the longest task, which no number of slots
// makes shorter. Times are seconds.
func Makespan(tasks []Task, slots int) (all, longest float64) {
	free := make([]float64, max(1, slots))
	for _, t := range tasks {
		first := 0
		for i, at := range free {
			if at < free[first] {
				first = i
			}
		}
		free[first] += t.Seconds
		longest = max(longest, t.Seconds)
	}
	return slices.Max(free), longest
}
