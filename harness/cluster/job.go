package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"dgsbench/internal/atomicfile"
	"dgsbench/internal/lock"
	"dgsbench/internal/regular"
)

// Job is a command whose work is cut into tasks.
type Job struct {
	Folder      string       `json:"-"` // absolute, as all paths
	Name        string       `json:"name"`
	Engine      string       `json:"engine"`
	Options     Options      `json:"options"`
	Command     []string     `json:"command"` // arguments of bench, without those about the engine
	Dir         string       `json:"dir"`     // where it was called
	Program     string       `json:"program"`
	Code        string       `json:"code"`  // the version of the program that submitted it
	Paths       []string     `json:"paths"` // that nodes must have, beside the folder
	Created     time.Time    `json:"created"`
	Tasks       []Task       `json:"tasks"`
	Submissions []Submission `json:"submissions"`
}

// Submission is a call of Engine.Submit.
type Submission struct {
	IDs   []string  `json:"ids"`
	Tasks []int     `json:"tasks"`
	At    time.Time `json:"at"`
}

// Root returns the folder of all jobs in a folder of results.
func Root(out string) string { return filepath.Join(out, lock.Folder, "cluster") }

const jobFile = "job.json"

// mostBytes is the size that a file of a job may have.
const mostBytes = 256 << 20

// Jobs reads the jobs of a folder of results, by their names.
func Jobs(out string) (all []*Job, err error) {
	folders, err := filepath.Glob(filepath.Join(Root(out), "*", jobFile))
	if err != nil {
		return nil, err
	}
	for _, file := range folders {
		j, err := Read(filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		all = append(all, j)
	}
	return all, nil
}

// Read reads the job in a folder.
func Read(folder string) (*Job, error) {
	var err error
	j := &Job{}
	if j.Folder, err = filepath.Abs(folder); err != nil {
		return nil, err
	}
	file := filepath.Join(folder, jobFile)
	data, err := regular.Read(file, mostBytes)
	if err == nil {
		err = json.Unmarshal(data, j)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return j, nil
}

// Write writes the job to its folder.
func (j *Job) Write() error { return writeJSON(filepath.Join(j.Folder, jobFile), j) }

// MakeFolders makes the folders of the tasks' logs and reports.
func (j *Job) MakeFolders() error {
	return errors.Join(os.MkdirAll(filepath.Dir(j.Log(0)), 0o777), os.MkdirAll(filepath.Dir(j.reportFile(0)), 0o777))
}

// Remove removes the folder of the job.
func (j *Job) Remove() error { return os.RemoveAll(j.Folder) }

// Lock returns the path of the lock that whoever waits for the job holds.
func (j *Job) Lock() string { return j.lock("cluster-") }

func (j *Job) lock(prefix string) string {
	root := filepath.Dir(filepath.Dir(filepath.Dir(j.Folder)))
	return lock.In(root, prefix+filepath.Base(j.Folder))
}

// cancelFile says that the job was cancelled: whoever waits for it stops.
const cancelFile = "cancelled"

// Cancel ends all tasks of the job.
func (j *Job) Cancel(ctx context.Context, e Engine) error {
	if err := atomicfile.Write(filepath.Join(j.Folder, cancelFile), nil); err != nil {
		return err
	}
	return e.Cancel(ctx, j)
}

// isCancelled reports whether the job was cancelled.
func (j *Job) isCancelled() bool {
	_, err := os.Lstat(filepath.Join(j.Folder, cancelFile))
	return err == nil
}

// Task returns the task of that number.
func (j *Job) Task(number int) (Task, error) {
	if number == 0 {
		return probeTask, nil
	}
	if number < 0 || number > len(j.Tasks) {
		return Task{}, fmt.Errorf("%s has the tasks 1 to %d, and none of number %d", j.Folder, len(j.Tasks), number)
	}
	return j.Tasks[number-1], nil
}

// Arguments returns what runs a task: the program and its arguments.
func (j *Job) Arguments(number int) []string {
	return []string{j.Program, "work", j.Folder, strconv.Itoa(number)}
}

// Log returns the file that a task prints to.
func (j *Job) Log(number int) string { return j.path("logs", number, ".log") }

func (j *Job) reportFile(number int) string { return j.path("reports", number, ".json") }

func (j *Job) path(folder string, number int, suffix string) string {
	return filepath.Join(j.Folder, folder, strconv.Itoa(number)+suffix)
}

// Report is what a task says of itself: when it starts, after each trial, and when it ends.
type Report struct {
	Node     string     `json:"node"`
	Machine  string     `json:"machine"`
	Started  time.Time  `json:"started"`
	Ended    time.Time  `json:"ended,omitzero"`
	Attempts int        `json:"attempts"`
	Measured []Measured `json:"measured"`        // records that it has written, in order
	Failed   int        `json:"failed"`          // of Measured
	Share    float64    `json:"share"`           // of its work that is done
	Again    bool       `json:"again,omitempty"` // it was asked to stop, and has work left
	Error    string     `json:"error,omitempty"`
}

// Measured is a record that a task has written.
type Measured struct {
	Key     string  `json:"key"`
	Value   string  `json:"value"` // of its headline, for people
	Error   string  `json:"error,omitempty"`
	Seconds float64 `json:"seconds"`
}

// Over reports whether the task has done all of its work.
func (r Report) Over() bool { return !r.Ended.IsZero() && !r.Again && r.Error == "" }

// WriteReport writes the report of a task.
func (j *Job) WriteReport(number int, r Report) error { return writeJSON(j.reportFile(number), r) }

// Report reads the report of a task; it is empty before the task has started.
func (j *Job) Report(number int) (r Report, err error) {
	data, err := regular.Read(j.reportFile(number), mostBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Report{}, nil
	case err == nil:
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", j.reportFile(number), err)
	}
	return r, err
}

func writeJSON(file string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(file, append(data, '\n'))
}
