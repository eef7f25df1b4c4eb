package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"dgsbench/datasets/own"
	"dgsbench/kernels/devices"
	"dgsbench/specs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// defaultSuite is what `bench all` runs.
const defaultSuite = "quick"

// options are the flags that commands share. Every command has a copy of its
// own.
type options struct {
	data, out, suite, specs, device string
	seeds, workers                  int
	firstSeed                       uint64
	models, datasets, tasks         []string
	checkpoints, allowStale, dryRun bool
	asJSON                          bool

	added          []fs.FS // specs of the program, beside the built-in ones
	stdout, stderr io.Writer
}

func newRoot(stdout, stderr io.Writer, added ...fs.FS) *cobra.Command {
	root := &cobra.Command{
		Use:   "bench",
		Short: "Benchmark low-latency models on event streams",
		Long: "bench measures models on event streams, keeps one record a trial, and prints\n" +
			"the tables of the Deep-Graph-Sprints paper from the records.\n\n" +
			"Exit codes: 0 done, 1 something measured failed, 2 wrong use or bad input,\n" +
			"130 interrupted (the same command goes on where it stopped).",
		SilenceErrors: true, SilenceUsage: true,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	for _, newCommand := range []func(options) *cobra.Command{
		newAll, newRun, newPlan, newTables, newReport, newResults, newModels, newData, newSpec, newDoctor, newScale, newLatency, newCheck,
		newTune, newVersion,
	} {
		root.AddCommand(newCommand(options{stdout: stdout, stderr: stderr, added: added}))
	}
	requireValues(root.Commands())
	return root
}

// addFlags adds sets of flags to a command.
func addFlags(cmd *cobra.Command, sets ...func(*pflag.FlagSet)) *cobra.Command {
	for _, add := range sets {
		add(cmd.Flags())
	}
	return cmd
}

func (o *options) outFlag(f *pflag.FlagSet) {
	f.StringVar(&o.out, "out", "bench-out", "folder of the results")
}

func (o *options) specsFlag(f *pflag.FlagSet) {
	f.StringVar(&o.specs, "specs", "", "folder of further specs, which replace built-in ones of the same name")
}

func (o *options) dataFlag(f *pflag.FlagSet) {
	f.StringVar(&o.data, "data", "data", "folder where the files of datasets are looked for")
}

// placeFlags adds the flags for the folders of specs, results and data.
func (o *options) placeFlags(f *pflag.FlagSet) {
	o.outFlag(f)
	o.specsFlag(f)
	o.dataFlag(f)
}

// suiteFlags choose a suite and narrow it down.
func (o *options) suiteFlags(f *pflag.FlagSet) {
	f.StringVar(&o.suite, "suite", defaultSuite, "what to measure")
	f.Func("seeds", "number of seeds instead of the suite's", func(text string) (err error) {
		if o.seeds, err = strconv.Atoi(text); err != nil || o.seeds < 1 || o.seeds > specs.MostSeeds {
			return fmt.Errorf("expected a whole number from 1 to %d", specs.MostSeeds)
		}
		return nil
	})
	f.StringSliceVar(&o.tasks, "tasks", nil, "only these tasks (nc, lp)")
	o.modelFlags(f)
}

func (o *options) modelFlags(f *pflag.FlagSet) {
	f.StringSliceVar(&o.models, "models", nil, "only these models (ids, id+variant)")
	f.StringSliceVar(&o.datasets, "datasets", nil, "only these datasets")
}

// deviceFlag adds the flag for the device that models run on, or that records
// are of.
func (o *options) deviceFlag(f *pflag.FlagSet) {
	f.StringVar(&o.device, "device", devices.CPU, "what models run on: cpu, cuda, or cuda:N for card N")
}

func (o *options) workersFlag(f *pflag.FlagSet) {
	f.IntVar(&o.workers, "workers", 0, "trials side by side (default: one a core, at most 8 on a card); results do not depend on it")
}

func (o *options) checkpointsFlag(f *pflag.FlagSet) {
	f.BoolVar(&o.checkpoints, "checkpoints", false, "keep the models as safetensors files beside their records; "+
		"trials that have a record and no such file are measured again")
}

func (o *options) staleFlag(f *pflag.FlagSet) {
	f.BoolVar(&o.allowStale, "allow-stale", false, "also use records of older numerics, marked in the tables")
}

func (o *options) dryRunFlag(f *pflag.FlagSet) {
	f.BoolVar(&o.dryRun, "dry-run", false, "print what would be done, and do nothing")
}

func (o *options) jsonFlag(f *pflag.FlagSet) { f.BoolVar(&o.asJSON, "json", false, "print JSON") }

// library holds the specs of the flags, with the datasets that were imported
// into the data folder.
func (o *options) library() (*specs.Library, error) {
	if o.data != "" {
		if err := own.Use(o.data); err != nil {
			return nil, err
		}
	}
	return specs.NewLibrary(o.specs, o.added...)
}

// maxThreads is the largest value of --threads and --workers.
const maxThreads = 1024

// inRange reports a flag whose number is not one of from low to high.
func inRange(flag string, n, low, high int) error {
	if n < low || n > high {
		return fmt.Errorf("--%s is %d, expected %d to %d", flag, n, low, high)
	}
	return nil
}

// flagWords returns the words of flags with a value: name, value, name, value
// ...
func flagWords(flags ...string) (words []string) {
	for i := 0; i < len(flags); i += 2 {
		if flags[i+1] != "" {
			words = append(words, "--"+flags[i], flags[i+1])
		}
	}
	return words
}

// deviceWord returns the value of --device where it has to be given: empty for
// the processor.
func (o *options) deviceWord() string {
	if o.device == devices.CPU {
		return ""
	}
	return o.device
}

// findDevice returns the device of the flag.
func (o *options) findDevice() (devices.Target, error) {
	on, err := devices.Find(o.device)
	if err != nil {
		err = fmt.Errorf("--device %s: %w", o.device, err)
	}
	return on, err
}

// notEmpty is the value of a flag that would mean something else if it were
// empty, as with an unset variable of a script: everything, or the current
// folder. Commands check --out themselves.
type notEmpty struct{ pflag.Value }

// Set returns an error for an empty value, and for a list of several lines, of
// which pflag reads only the first.
func (v notEmpty) Set(text string) error {
	if text == "" {
		return errors.New("it is empty")
	}
	if v.Type() == "stringSlice" && strings.ContainsAny(strings.TrimRight(text, "\r\n"), "\r\n") {
		return errors.New("expected one line of words with commas between them")
	}
	return v.Value.Set(text)
}

// requireValues makes lists and the data folder of the commands notEmpty.
func requireValues(commands []*cobra.Command) {
	for _, cmd := range commands {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if flag.Value.Type() == "stringSlice" || flag.Name == "data" {
				flag.Value = notEmpty{flag.Value}
				if flag.DefValue == "[]" {
					flag.DefValue = "" // which help leaves out
				}
			}
		})
		requireValues(cmd.Commands())
	}
}
