// Package cluster runs a command's work as tasks of an engine: processes of this
// machine, a Slurm cluster or a Ray cluster. Nothing is scheduled here.
//
// A job is a command whose work is cut into tasks, each of which is the same
// command on a part of the work: some trials, the latency tests of a dataset, or the
// trials that a search proposes. The job is a folder below the folder of the
// results, which all machines share: the program, the tasks, what each of them
// reports and prints. Results are records, as they are without an engine. So a task
// may run twice, or be ended at any moment and start again: a record exists or
// does not, and a task whose records all exist ends at once.
package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Engine runs the tasks of a job. Its methods are called one at a time.
type Engine interface {
	// Submit hands over tasks, and returns what the engine calls them, for messages
	// and for the other methods. A task that is Last starts when all the others of the
	// submission have ended, however they ended. Each runs Job.Arguments in the folder
	// Job.Dir with the variables of Job.Environment, prints to Job.Log, and ends with
	// exit code ExitAgain if it wants to be started again.
	Submit(ctx context.Context, j *Job, tasks []Task) (ids []string, err error)
	// States returns the state of the job's tasks by their number. A task that it does
	// not list has ended, or was never submitted.
	States(ctx context.Context, j *Job) (map[int]State, error)
	// Cancel ends all tasks of the job, waiting and running ones. Those that have ended
	// are no error.
	Cancel(ctx context.Context, j *Job) error
	// Script returns what Submit would hand over, as a person would write it.
	Script(j *Job, tasks []Task) (string, error)
}

// Local is the name of the engine of this machine.
const Local = "local"

// engines are the engines by their name, as --on has it.
var engines = []struct {
	name string
	open func(Options) (Engine, error)
}{
	{Local, newLocal},
	{"slurm", newSlurm},
	{"ray", newRay},
}

// Names returns the names of the engines.
func Names() (names []string) {
	for _, e := range engines {
		names = append(names, e.name)
	}
	return names
}

// Open returns the engine of that name.
func Open(name string, o Options) (Engine, error) {
	i := slices.Index(Names(), name)
	if i < 0 {
		return nil, fmt.Errorf("%q is no engine, expected %s", name, strings.Join(Names(), ", "))
	}
	return engines[i].open(o)
}

// ExitAgain is the exit code of a task that was asked to stop and has work left: it
// wants to be started again. It is EX_TEMPFAIL of sysexits.h, which Slurm's
// RequeueExit is usually set to.
const ExitAgain = 75

// NodeVariable is the environment variable by which an engine tells a task the name
// of its node. Without it, that is the host's name.
const NodeVariable = "DGSBENCH_NODE"

// Need is what a task takes of a node.
type Need struct {
	Cores     int   `json:"cores"`
	Memory    int64 `json:"memory"` // bytes
	Cards     int   `json:"cards,omitempty"`
	Exclusive bool  `json:"exclusive,omitempty"` // the whole node, with nothing beside it
}

// Kind is what a task's work is.
type Kind string

// The kinds of tasks.
const (
	Trials  Kind = "trials"  // that are scored
	Latency Kind = "latency" // the latency tests of one dataset
	Live    Kind = "live"    // the live tests of one dataset
	Search  Kind = "search"  // trials that a search proposes, until it ends
	Tables  Kind = "tables"  // of what the others have measured
	Probe   Kind = "probe"   // of what a node has
)

// Task is a part of a job's work.
type Task struct {
	Number  int      `json:"number"` // from 1 on; 0 is the probe
	Kind    Kind     `json:"kind"`
	Trials  []string `json:"trials,omitempty"` // keys of their records
	Need    Need     `json:"need"`
	Seconds float64  `json:"seconds"` // that it should take, by the plan; 0 if unknown
	Last    bool     `json:"last,omitempty"`
}

// Compare orders tasks by the time that they should take.
func (t Task) Compare(o Task) int { return cmp.Compare(t.Seconds, o.Seconds) }

// Phase is where a task is.
type Phase string

// The phases of a task.
const (
	Waiting Phase = "waiting"
	Running Phase = "running"
	Done    Phase = "done"
	Failed  Phase = "failed"
)

// State is what an engine says of a task.
type State struct {
	Phase  Phase
	Node   string // "" where the engine does not say
	Reason string // why it waits or failed; "" where the engine does not say
}
