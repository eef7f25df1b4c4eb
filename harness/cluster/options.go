package cluster

import (
	"fmt"
	"os"
	"strings"
	"time"

	"dgsbench/internal/strictyaml"
)

// Options are what a file of --on-options may say. All have a default.
type Options struct {
	MinMinutes  float64      `yaml:"min_minutes" json:"min_minutes"`   // of a task's work, by the plan: shorter trials share one
	Cores       int          `yaml:"cores" json:"cores"`               // of a task, which runs as many trials side by side
	TimeFactor  float64      `yaml:"time_factor" json:"time_factor"`   // a task's time limit is that many times its planned time, and ten minutes
	MemoryGB    float64      `yaml:"memory_gb" json:"memory_gb"`       // of a task; 0 goes by the plan
	Retries     int          `yaml:"retries" json:"retries"`           // of a task that is lost
	Program     string       `yaml:"program" json:"program"`           // bench on the nodes; "" is a copy of this one in the job's folder
	PollSeconds float64      `yaml:"poll_seconds" json:"poll_seconds"` // between two looks at the tasks
	Nodes       int          `yaml:"nodes" json:"nodes"`               // for bench plan; 0 if unknown
	NodeCores   int          `yaml:"node_cores" json:"node_cores"`     // of each, for bench plan
	Slurm       SlurmOptions `yaml:"slurm" json:"slurm"`
	Ray         RayOptions   `yaml:"ray" json:"ray"`
}

// SlurmOptions are those of Slurm.
type SlurmOptions struct {
	Sbatch []string `yaml:"sbatch" json:"sbatch,omitempty"` // lines for #SBATCH, such as --partition=long
	Before []string `yaml:"before" json:"before,omitempty"` // shell lines before the program, such as module load cuda
	Gres   string   `yaml:"gres" json:"gres,omitempty"`     // what a card is called: gpu, or gpu:h100
}

// RayOptions are those of Ray.
type RayOptions struct {
	Address       string `yaml:"address" json:"address"`               // of the head's dashboard
	TokenVariable string `yaml:"token_variable" json:"token_variable"` // environment variable with a token for the header Authorization
	Python        string `yaml:"python" json:"python"`                 // that has ray, on the head
}

// DefaultOptions returns the options without a file.
func DefaultOptions() Options {
	return Options{
		MinMinutes: 5, Cores: 1, TimeFactor: 3, Retries: 3, PollSeconds: 2,
		Slurm: SlurmOptions{Gres: "gpu"},
		Ray:   RayOptions{Address: "http://127.0.0.1:8265", TokenVariable: "RAY_AUTH_TOKEN", Python: "python3"},
	}
}

// ReadOptions reads a file of options; "" is none.
func ReadOptions(file string) (Options, error) {
	o := DefaultOptions()
	if file == "" {
		return o, nil
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = strictyaml.Unmarshal(file, data, &o)
	}
	if err == nil {
		err = o.check(file)
	}
	return o, err
}

// Poll returns the time between two looks at the tasks.
func (o Options) Poll() time.Duration { return time.Duration(o.PollSeconds * float64(time.Second)) }

func (o Options) check(file string) error {
	expect := func(ok bool, key, expected string, found any) error {
		if ok {
			return nil
		}
		return fmt.Errorf("%s: %s is %v, expected %s", file, key, found, expected)
	}
	for _, err := range []error{
		expect(o.MinMinutes >= 0 && o.MinMinutes <= 10_000, "min_minutes", "0 to 10000", o.MinMinutes),
		expect(o.Cores >= 1 && o.Cores <= 1024, "cores", "1 to 1024", o.Cores),
		expect(o.TimeFactor >= 1 && o.TimeFactor <= 100, "time_factor", "1 to 100", o.TimeFactor),
		expect(o.MemoryGB >= 0, "memory_gb", "0 or more", o.MemoryGB),
		expect(o.Retries >= 0 && o.Retries <= 100, "retries", "0 to 100", o.Retries),
		expect(o.PollSeconds >= .01 && o.PollSeconds <= 3600, "poll_seconds", "0.01 to 3600", o.PollSeconds),
		expect(o.Nodes >= 0, "nodes", "0 or more", o.Nodes),
		expect(o.NodeCores >= 0, "node_cores", "0 or more", o.NodeCores),
	} {
		if err != nil {
			return err
		}
	}
	for _, line := range o.Slurm.Sbatch {
		if !strings.HasPrefix(line, "-") || strings.ContainsAny(line, "\n\r") {
			return fmt.Errorf("%s: slurm.sbatch has %q, expected options of sbatch, such as --partition=long", file, line)
		}
	}
	return nil
}
