package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// slurmPauses are the pauses before another try of a command that could not reach
// Slurm's controller: two minutes, in which one restarts.
var slurmPauses = []time.Duration{
	time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second, 30 * time.Second, 30 * time.Second, 30 * time.Second,
}

// slurmTools runs Slurm's commands.
type slurmTools struct{ pauses []time.Duration }

// run runs a command and returns what it prints. It tries again if the controller
// cannot be reached.
func (t slurmTools) run(ctx context.Context, stdin, name string, arguments ...string) (out string, err error) {
	for i := 0; ; i++ {
		out, err = t.once(ctx, stdin, name, arguments...)
		if err == nil || i == len(t.pauses) || !passes(name, err.Error()) {
			return out, err
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("%w; last: %w", ctx.Err(), err)
		case <-time.After(t.pauses[i]):
		}
	}
}

// once runs a command and returns what it prints. Its own words are the error if it fails.
func (t slurmTools) once(ctx context.Context, stdin, name string, arguments ...string) (string, error) {
	c := exec.CommandContext(ctx, name, arguments...)
	c.WaitDelay = time.Second
	c.Stdin = strings.NewReader(stdin)
	// A user's variables for a default of squeue's would hide tasks.
	c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "SQUEUE_") || strings.HasPrefix(v, "SCANCEL_") || strings.HasPrefix(v, "SACCT_")
	})
	var out, words bytes.Buffer
	c.Stdout, c.Stderr = &out, &words
	err := c.Run()
	switch {
	case err == nil:
		return out.String(), nil
	case isMissing(err):
		return "", fmt.Errorf("%s is not on this machine: --on slurm is called where jobs are submitted (%w)", name, err)
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: %w", name, ctx.Err())
	}
	said := strings.Join(strings.FieldsFunc(words.String()+out.String(), func(r rune) bool { return r == '\n' }), "; ")
	if said == "" {
		said = err.Error()
	}
	return "", fmt.Errorf("%s: %s", name, strings.NewReplacer(name+": error: ", "", name+": ", "").Replace(said))
}

func isMissing(err error) bool { return errors.Is(err, exec.ErrNotFound) }

// passes reports whether a command failed for a reason that passes. After a lost
// answer only sbatch is not tried again: the job may have been submitted.
func passes(name, words string) bool {
	reasons := []string{"Unable to contact slurm controller", "Connection refused", "temporarily unable"}
	if name != "sbatch" {
		reasons = append(reasons, "timed out", "Zero Bytes were transmitted", "Unexpected message received", "in standby mode")
	}
	return slices.ContainsFunc(reasons, func(r string) bool { return strings.Contains(words, r) })
}

// refusals are words of sbatch, and what was expected then.
var refusals = []struct{ words, expected string }{
	{"nvalid partition", "a partition that sinfo lists: see slurm.sbatch in the file of --on-options"},
	{"nvalid account", "an account and partition that you may use together: see slurm.sbatch in the file of --on-options"},
	{"nvalid qos", "a quality of service that you may use: see slurm.sbatch in the file of --on-options"},
	{"MaxSubmit", "room for all of its tasks in the queue: submit later, or make fewer tasks with min_minutes in the file of --on-options"},
	{"job submit limit", "needs and a number of tasks within the site's limits: fewer tasks with min_minutes in the file of --on-options, or later"},
	{"generic resource", "what this site calls a card: see slurm.gres in the file of --on-options"},
	{"nvalid job array", "an array that the site's MaxArraySize allows"},
	{"node configuration is not available", "a node of the partition that has all of this"},
	{"time limit", "a time that the partition allows: a smaller time_factor or --time in slurm.sbatch in the file of --on-options"},
	{"nvalid --", "options that sbatch knows: see slurm.sbatch in the file of --on-options"},
	{"unrecognized option", "options that sbatch knows: see slurm.sbatch in the file of --on-options"},
	{"Unable to contact", "that slurmctld runs and can be reached from here"},
}

// refused says which job sbatch refused, and what was expected.
func (a array) refused(err error) error {
	if isMissing(err) {
		return err
	}
	what := fmt.Sprintf("cores: %d, memory: %d MB", max(a.need.Cores, 1), (a.need.Memory+1<<20-1)>>20)
	if a.need.Cards > 0 {
		what += fmt.Sprintf(", cards: %d", a.need.Cards)
	}
	if a.need.Exclusive {
		what += ", a whole node"
	}
	what = fmt.Sprintf("Slurm did not take the job of the tasks %s (each takes %s): %s", ranges(a.numbers, 0), what, err)
	for _, r := range refusals {
		if strings.Contains(err.Error(), r.words) {
			return fmt.Errorf("%s; expected %s", what, r.expected)
		}
	}
	return errors.New(what)
}
