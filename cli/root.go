package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"dgsbench/datasets/own"
	"dgsbench/harness"
	"dgsbench/kernels/devices"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// defaultSuite is what `bench all` runs.
const defaultSuite = "quick"

// options are the flags that commands share.
type options struct {
	data, out, suite, specs string
	seeds, workers          int
	firstSeed               uint64
	checkpoints             bool
	models, datasets, tasks []string
	allowStale              bool
	dryRun                  bool
	device                  string
	target                  devices.Target  // of device, once findDevice has found it
	shown                   results.Outline // of the suite, once trials has read it
	expected                time.Duration   // of what is scored, once announce has planned it

	stdout, stderr io.Writer
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	o := &options{stdout: stdout, stderr: stderr}
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
	root.AddCommand(newAll(o), newRun(o), newPlan(o), newTables(o), newReport(o), newResults(o), newModels(o), newData(o), newSpec(o), newDoctor(o), newScale(o), newLatency(o), newCheck(o), newTune(o), newVersion(o))
	refuseEmpty(root.Commands())
	return root
}

// addWhere adds the flags that say where specs and results are.
func (o *options) addWhere(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.out, "out", "bench-out", "folder of the results")
	o.addSpecs(cmd)
}

func (o *options) addSpecs(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.specs, "specs", "", "folder of further specs, which replace built-in ones of the same name")
}

func (o *options) addData(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.data, "data", "data", "folder where the files of datasets are looked for")
}

// addWhat adds the flags that choose a suite and narrow it down.
func (o *options) addWhat(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.suite, "suite", defaultSuite, "what to measure")
	cmd.Flags().Func("seeds", "number of seeds instead of the suite's", func(text string) (err error) {
		if o.seeds, err = strconv.Atoi(text); err != nil || o.seeds < 1 || o.seeds > specs.MostSeeds {
			return fmt.Errorf("expected a whole number from 1 to %d", specs.MostSeeds)
		}
		return nil
	})
	cmd.Flags().StringSliceVar(&o.tasks, "tasks", nil, "only these tasks (nc, lp)")
	o.addModels(cmd)
}

func (o *options) addModels(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&o.models, "models", nil, "only these models (ids, id+variant)")
	cmd.Flags().StringSliceVar(&o.datasets, "datasets", nil, "only these datasets")
}

func (o *options) addWorkers(cmd *cobra.Command) {
	cmd.Flags().IntVar(&o.workers, "workers", 0, "trials side by side (default: one a core, at most 8 on a card); results do not depend on it")
}

func (o *options) addCheckpoints(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.checkpoints, "checkpoints", false, "keep the models as safetensors files beside their records; trials that have a record and no such file are measured again")
}

func (o *options) addStale(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.allowStale, "allow-stale", false, "also use records of older numerics, marked in the tables")
}

// ownSpecs explains the files that commands take.
const ownSpecs = "A SPEC.yaml with the key `runs` is a suite and takes the place of --suite. One with the\n" +
	"key `model` is a model spec: it replaces the suite's model of that id, or joins the suite\n" +
	"wherever it can do the task."

// trials resolves the suite together with the user's own files. If
// onlyOwn is set, models among these are the only ones, unless --models says
// otherwise.
func (o *options) trials(files []string, onlyOwn bool) ([]specs.Trial, error) {
	if err := within("workers", o.workers, 0, mostThreads); err != nil {
		return nil, err
	}
	if err := own.Use(o.data); err != nil {
		return nil, err
	}
	lib, err := specs.NewLibrary(o.specs)
	if err != nil {
		return nil, err
	}
	filter := specs.Filter{Models: o.models, Datasets: o.datasets, Tasks: o.tasks, Seeds: o.seeds, FirstSeed: o.firstSeed}
	for _, file := range files {
		entry, err := lib.AddFile(file)
		switch {
		case err != nil:
			return nil, err
		case entry.Suite:
			o.suite = entry.Name
		case onlyOwn && len(o.models) == 0:
			filter.Models = append(filter.Models, entry.Name)
		}
	}
	suite, err := lib.LoadSuite(o.suite)
	if err != nil {
		return nil, err
	}
	if o.shown, err = results.OutlineOf(suite); err != nil {
		return nil, err
	}
	return suite.Trials(filter)
}

// mostThreads are what --threads and --workers may ask for.
const mostThreads = 1024

// within reports a flag whose number is not one of from low to high.
func within(flag string, n, low, high int) error {
	if n < low || n > high {
		return fmt.Errorf("--%s is %d, expected %d to %d", flag, n, low, high)
	}
	return nil
}

// narrowed reports whether flags leave something of the suite out.
func (o *options) narrowed() bool {
	return o.seeds > 0 || len(o.models)+len(o.datasets)+len(o.tasks) > 0
}

// command is what measures the suite of the flags and files and prints its
// tables.
func (o *options) command(trials []specs.Trial, files []string) string {
	verb := "bench latency" // which also measures anew
	if scored, _ := specs.SplitLatency(trials); len(scored) > 0 {
		verb = "bench all"
	}
	return o.commandLine(verb, files)
}

// commandLine is a command with its arguments and the flags that choose a
// suite and narrow it down.
func (o *options) commandLine(verb string, args []string) string {
	words := append([]string{verb}, args...)
	flag := func(name, value string) {
		if value != "" {
			words = append(words, "--"+name+" "+value)
		}
	}
	flag("suite", o.suite)
	flag("specs", o.specs)
	if o.seeds > 0 {
		flag("seeds", strconv.Itoa(o.seeds))
	}
	flag("models", strings.Join(o.models, ","))
	flag("datasets", strings.Join(o.datasets, ","))
	flag("tasks", strings.Join(o.tasks, ","))
	flag("device", o.elsewhere())
	return strings.Join(words, " ")
}

func (o *options) store() record.Store { return record.Store{Dir: o.out} }

// records loads the records of the trials on the device, of one class of
// kernels: those of older numerics only if asked for, and none that another
// spec has left.
func (o *options) records(trials []specs.Trial) ([]record.Record, error) {
	use, err := o.load()
	if err != nil {
		return nil, err
	}
	return o.ofOneClass(slices.DeleteFunc(use, func(r record.Record) bool {
		return !o.ofDevice(r) || !results.Fits(r, trials)
	}))
}

// load loads the records of the suite: those of older numerics only if asked
// for.
func (o *options) load() ([]record.Record, error) {
	all, incomplete, err := o.store().Load(o.suite)
	if err != nil {
		return nil, err
	}
	for _, file := range incomplete {
		fmt.Fprintf(o.stderr, "%s has no whole sidecar beside it: it counts as not measured\n", file)
	}
	use, stale := record.Select(all, harness.Numerics, o.allowStale)
	if len(stale) > 0 && !o.allowStale {
		fmt.Fprintf(o.stderr, "%d records were made by older numerics and are left out; --allow-stale uses them\n", len(stale))
	}
	return use, nil
}
