package cluster

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// slurmPhases are the phases of Slurm's states of jobs. One that is not here counts
// as running: Slurm lists it and has not ended it.
var slurmPhases = map[string]Phase{
	"PENDING": Waiting, "REQUEUED": Waiting, "REQUEUE_HOLD": Waiting, "REQUEUE_FED": Waiting, "SPECIAL_EXIT": Waiting,
	"RESV_DEL_HOLD": Waiting, "SUSPENDED": Waiting, "STOPPED": Waiting, "CONFIGURING": Waiting,
	"RUNNING": Running, "COMPLETING": Running, "SIGNALING": Running, "STAGE_OUT": Running, "RESIZING": Running,
	"COMPLETED": Done,
	"FAILED":    Failed, "TIMEOUT": Failed, "NODE_FAIL": Failed, "OUT_OF_MEMORY": Failed, "CANCELLED": Failed,
	"BOOT_FAIL": Failed, "DEADLINE": Failed, "PREEMPTED": Failed, "REVOKED": Failed, "LAUNCH_FAILED": Failed,
}

// States asks squeue for the job's tasks, and sacct, where there is accounting, for
// those that squeue has forgotten.
func (s *slurm) States(ctx context.Context, j *Job) (map[int]State, error) {
	known := map[string]int{} // offsets by the id of an array
	newest := map[int][]string{}
	var ids []string
	for _, sub := range j.Submissions {
		for _, id := range sub.IDs {
			id, offset := splitID(id)
			known[id] = offset
			ids = append(ids, id)
		}
		for _, number := range sub.Tasks {
			newest[number] = arrayIDs(sub.IDs)
		}
	}
	states := map[int]State{}
	if len(ids) == 0 {
		return states, nil
	}
	// put keeps the state of an index of an array, if the task was not submitted again later.
	put := func(id, index string, state State) {
		offset, found := known[id]
		n, err := strconv.Atoi(index)
		if !found || err != nil {
			return // a job that was cancelled as a whole has the index N/A
		}
		if last, found := newest[n+offset]; found && slices.Contains(last, id) {
			states[n+offset] = state
		}
	}
	if err := s.squeue(ctx, ids, put); err != nil {
		return nil, err
	}
	forgotten := map[string]bool{}
	for number, ids := range newest {
		if _, found := states[number]; !found {
			for _, id := range ids {
				forgotten[id] = true
			}
		}
	}
	s.sacct(ctx, forgotten, func(id, index string, state State) {
		n, _ := strconv.Atoi(index)
		if _, found := states[n+known[id]]; !found {
			put(id, index, state)
		}
	})
	return states, nil
}

// squeue calls put for each task that Slurm's controller knows. It also knows those that
// have ended less than MinJobAge ago.
func (s *slurm) squeue(ctx context.Context, ids []string, put func(id, index string, state State)) error {
	out, err := s.tools.run(ctx, "", "squeue", "--noheader", "--array", "--states=all", "--jobs="+strings.Join(ids, ","), "--format=%F|%K|%T|%N|%r")
	if err != nil && strings.Contains(err.Error(), "Invalid job id specified") {
		return nil // it says so if it knows none of them
	}
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 5)
		if len(fields) < 5 {
			continue // what a site's wrapper prints
		}
		state := stateOf(fields[2])
		state.Node = fields[3]
		if reason := fields[4]; reason != "None" && reason != "" && state.Reason != "CANCELLED" {
			state.Reason = strings.TrimPrefix(state.Reason+", "+reason, ", ")
		}
		put(fields[0], fields[1], state)
	}
	return nil
}

// stateOf returns the phase of a state of Slurm's; the state is the reason of one that failed.
func stateOf(name string) (s State) {
	name, _, _ = strings.Cut(name, " ") // CANCELLED by 1000
	name = strings.TrimSuffix(name, "+")
	phase, found := slurmPhases[name]
	if !found {
		phase = Running
	}
	s.Phase = phase
	if phase == Failed || !found {
		s.Reason = name
	}
	return s
}

// sacct calls put for each ended task of the arrays that accounting knows. It fails
// silently: without accounting, what a task has left says how it ended.
func (s *slurm) sacct(ctx context.Context, arrays map[string]bool, put func(id, index string, state State)) {
	var ask []string
	for id := range arrays {
		ask = append(ask, id)
	}
	if len(ask) == 0 || s.noSacct {
		return
	}
	slices.Sort(ask)
	out, err := s.tools.once(ctx, "", "sacct", "--noheader", "--parsable2", "--allocations", "--jobs="+strings.Join(ask, ","), "--format=JobID,State,ExitCode,NodeList")
	if err != nil {
		s.noSacct = isMissing(err) || strings.Contains(err.Error(), "accounting storage is disabled")
		return
	}
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) < 4 {
			continue
		}
		state := stateOf(fields[1])
		if state.Phase != Done && state.Phase != Failed {
			continue // the controller would know it
		}
		if state.Phase == Failed && fields[2] != "0:0" {
			state.Reason += ", exit code " + fields[2]
		}
		if fields[3] != "None assigned" {
			state.Node = fields[3]
		}
		id, index, _ := strings.Cut(fields[0], "_")
		put(id, index, state)
	}
}
