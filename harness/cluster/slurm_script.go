package cluster

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// array is an array job: tasks of equal needs whose numbers are an index and offset.
type array struct {
	need    Need
	last    bool
	offset  int
	numbers []int
	seconds float64 // of the longest; 0 if none is known
}

// arraysOf cuts tasks into array jobs, those of the tasks that are Last behind the
// others. Indices are below most.
func arraysOf(tasks []Task, most int) (all []array) {
	for _, last := range []bool{false, true} {
		for _, t := range tasks {
			if t.Last != last {
				continue
			}
			offset := t.Number - t.Number%most
			i := slices.IndexFunc(all, func(a array) bool {
				return a.need == t.Need && a.last == last && a.offset == offset
			})
			if i < 0 {
				i = len(all)
				all = append(all, array{need: t.Need, last: last, offset: offset})
			}
			a := &all[i]
			a.numbers = append(a.numbers, t.Number)
			a.seconds = max(a.seconds, t.Seconds)
		}
	}
	return all
}

// indices returns the indices for --array, such as 1,3,5-9.
func (a array) indices() string { return ranges(a.numbers, a.offset) }

// ranges prints numbers less offset in ascending order, as 1,3,5-9.
func ranges(numbers []int, offset int) string {
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	var parts []string
	for i := 0; i < len(sorted); {
		first := i
		for i++; i < len(sorted) && sorted[i] == sorted[i-1]+1; i++ {
		}
		part := strconv.Itoa(sorted[first] - offset)
		if i-first > 1 {
			part += "-" + strconv.Itoa(sorted[i-1]-offset)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}

// script returns the batch script of an array job that starts when the jobs after
// have ended.
func (s *slurm) script(j *Job, a array, after []string) string {
	var b strings.Builder
	sbatch := func(format string, values ...any) { fmt.Fprintf(&b, "#SBATCH "+format+"\n", values...) }
	b.WriteString("#!/bin/bash\n")
	sbatch("--job-name=%s", batchWord(j.Name))
	sbatch("--array=%s", a.indices())
	// With B: the process of the batch script gets TERM, which is the program after exec.
	// Without B: only what srun starts gets it.
	for _, option := range []string{"--nodes=1", "--ntasks=1", "--requeue", "--open-mode=append", "--signal=B:TERM@60"} {
		sbatch("%s", option)
	}
	sbatch("--chdir=%s", batchWord(j.Dir))
	log := strings.ReplaceAll(j.Log(0), "%", "%%")
	log = strings.TrimSuffix(log, "0.log")
	if a.offset == 0 {
		sbatch("--output=%s", batchWord(log)+"%a.log")
	} else {
		sbatch("--output=%s", batchWord(log)+"slurm-%A_%a.log")
	}
	sbatch("--cpus-per-task=%d", max(a.need.Cores, 1))
	if a.need.Memory > 0 || a.need.Exclusive { // 0 is all of a node's, whatever the site gives by default
		sbatch("--mem=%d", (a.need.Memory+1<<20-1)>>20)
	}
	if a.need.Cards > 0 {
		sbatch("--gres=%s:%d", batchWord(s.options.Slurm.Gres), a.need.Cards)
	}
	if a.need.Exclusive {
		sbatch("--exclusive")
	}
	if a.seconds > 0 {
		sbatch("--time=%d", int(math.Ceil((a.seconds*s.options.TimeFactor+600)/60)))
	}
	if len(after) > 0 {
		sbatch("--dependency=afterany:%s", strings.Join(arrayIDs(after), ":"))
	}
	for _, line := range s.options.Slurm.Sbatch {
		sbatch("%s", line)
	}
	fmt.Fprintf(&b, "export %s=$SLURMD_NODENAME\n", NodeVariable)
	number := "$SLURM_ARRAY_TASK_ID"
	if a.offset > 0 {
		number = "$DGSBENCH_TASK"
		fmt.Fprintf(&b, "export DGSBENCH_TASK=$((SLURM_ARRAY_TASK_ID + %d))\n", a.offset)
		fmt.Fprintf(&b, "exec >>%s\"%s.log\" 2>&1\n", shellWord(strings.TrimSuffix(j.Log(0), "0.log")), number)
	}
	for _, line := range s.options.Slurm.Before {
		b.WriteString(line + "\n")
	}
	b.WriteString("exec")
	words := j.Arguments(0)
	for _, word := range words[:len(words)-1] {
		b.WriteString(" " + shellWord(word))
	}
	b.WriteString(" " + number + "\n")
	return b.String()
}

// plain reports whether neither sbatch nor a shell sees anything special in a word.
func plain(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+=:,@%", r))
	})
}

// batchWord writes a word of a #SBATCH line so that sbatch reads it as it is.
func batchWord(word string) string {
	if plain(word) {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}

// shellWord writes a word so that a shell reads it as it is.
func shellWord(word string) string {
	if plain(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
