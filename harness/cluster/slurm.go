package cluster

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// slurm submits tasks to a Slurm cluster with sbatch, as array jobs whose indices are
// the numbers of the tasks. It calls Slurm only on the machine that submits, and
// never from inside a job.
type slurm struct {
	options  Options
	tools    slurmTools
	maxArray int              // indices are below it; 0 before it is asked for
	noSacct  bool             // sacct has said that there is no accounting
	ended    map[string]State // what sacct has said of ended tasks, by "ID_INDEX"
}

func newSlurm(o Options) (Engine, error) {
	return &slurm{options: o, tools: slurmTools{pauses: slurmPauses}, ended: map[string]State{}}, nil
}

// Submit submits an array job for each class of need. Tasks that are Last are jobs
// that depend on the others. If one job is refused, those before it are cancelled.
//
// The ids are those of the array jobs: "123", or "123+2000" if the numbers of its
// tasks are its indices and 2000.
func (s *slurm) Submit(ctx context.Context, j *Job, tasks []Task) (ids []string, err error) {
	for _, a := range arraysOf(tasks, s.maxArraySize(ctx)) {
		var after []string
		if a.last {
			after = ids
		}
		id, err := s.sbatch(ctx, a, s.script(j, a, after))
		if err != nil {
			return nil, s.undo(ctx, ids, err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// sbatch submits one script and returns the id of its job.
func (s *slurm) sbatch(ctx context.Context, a array, script string) (string, error) {
	out, err := s.tools.run(ctx, script, "sbatch", "--parsable")
	if err != nil {
		return "", a.refused(err)
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // ID;CLUSTER
	if _, err := strconv.Atoi(id); err != nil {
		return "", fmt.Errorf("sbatch --parsable printed %q, expected the id of a job", strings.TrimSpace(out))
	}
	if a.offset > 0 {
		id += "+" + strconv.Itoa(a.offset)
	}
	return id, nil
}

// undo cancels the jobs that were submitted before err.
func (s *slurm) undo(ctx context.Context, ids []string, err error) error {
	if len(ids) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if failed := s.cancel(ctx, ids); failed != nil {
		return fmt.Errorf("%w; and the jobs %s that were submitted before it could not be cancelled: %v", err, strings.Join(ids, ", "), failed)
	}
	return fmt.Errorf("%w; the jobs %s that were submitted before it are cancelled", err, strings.Join(ids, ", "))
}

// Cancel ends all tasks of the job.
func (s *slurm) Cancel(ctx context.Context, j *Job) error {
	var ids []string
	for _, sub := range j.Submissions {
		ids = append(ids, sub.IDs...)
	}
	return s.cancel(ctx, ids)
}

func (s *slurm) cancel(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.tools.run(ctx, "", "scancel", arrayIDs(ids)...)
	if err != nil && strings.Contains(err.Error(), "Invalid job id specified") {
		return nil // all of them have ended long ago
	}
	return err
}

// Script returns the scripts of the jobs, each below a line with its command.
func (s *slurm) Script(j *Job, tasks []Task) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var b strings.Builder
	var ids []string
	for i, a := range arraysOf(tasks, s.maxArraySize(ctx)) {
		var after []string
		if a.last {
			after = ids
		}
		fmt.Fprintf(&b, "# sbatch --parsable <<'END' prints $ID%d\n%sEND\n\n", i+1, s.script(j, a, after))
		ids = append(ids, fmt.Sprintf("$ID%d", i+1))
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// defaultMaxArray is Slurm's MaxArraySize where nobody has changed it.
const defaultMaxArray = 1001

// maxArraySize returns the site's MaxArraySize, which it asks for once.
func (s *slurm) maxArraySize(ctx context.Context) int {
	if s.maxArray == 0 {
		s.maxArray = defaultMaxArray
		out, _ := s.tools.once(ctx, "", "scontrol", "show", "config")
		for line := range strings.Lines(out) {
			key, value, _ := strings.Cut(line, "=")
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 1 && strings.TrimSpace(key) == "MaxArraySize" {
				s.maxArray = n
			}
		}
	}
	return s.maxArray
}

// arrayIDs returns the ids without offsets, each once.
func arrayIDs(ids []string) (plain []string) {
	for _, id := range ids {
		id, _ = splitID(id)
		if !slices.Contains(plain, id) {
			plain = append(plain, id)
		}
	}
	return plain
}

// splitID returns the id of an array job, and what its indices lack to the numbers of tasks.
func splitID(id string) (array string, offset int) {
	array, more, _ := strings.Cut(id, "+")
	offset, _ = strconv.Atoi(more)
	return array, offset
}
