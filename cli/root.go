package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"dgsbench/datasets/own"
	"dgsbench/harness"
	"dgsbench/harness/cluster"
	"dgsbench/kernels/devices"
	"dgsbench/specs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// defaultSuite is what `bench all` runs.
const defaultSuite = "quick"

// options are the flags that commands share, of which each has a copy of its own.
type options struct {
	data, out, suite, specs, device string
	seeds, epochs, workers          int
	firstSeed                       uint64
	models, datasets, tasks         []string
	dataset                         []string      // of the standard suite
	hours                           float64       // its budget
	delay                           time.Duration // of its labels
	tune                            int           // trials of a search of each model's options, before it is measured
	on, onOptions                   string        // the engine that measures, and the file of its options
	makesSuites, keepsSuites        bool          // the command may make a standard suite, and puts it beside the results
	checkpoints, allowStale, dryRun bool
	untuned                         bool
	asJSON                          bool
	quiet, verbose                  bool

	added          []fs.FS // specs of the program, beside the built-in ones
	stdout, stderr io.Writer
}

func newRoot(stdout, stderr io.Writer, added ...fs.FS) *cobra.Command {
	root := &cobra.Command{
		Use: "bench", Version: Version + " (" + harness.CodeVersion() + ")",
		Short: "Benchmark low-latency models on event streams",
		Long: "bench measures models on event streams, keeps one record a trial, and prints\n" +
			"the tables of the Deep-Graph-Sprints paper from the records.\n\n" +
			"Exit codes: 0 done, 1 something measured failed, 2 wrong use or bad input,\n" +
			"130 interrupted (the same command continues where it stopped).",
		SilenceErrors: true, SilenceUsage: true,
	}
	asGroup(root)
	root.Flags().Bool("version", false, "print the version")
	root.SetVersionTemplate("bench {{.Version}}\n")
	root.SetUsageTemplate(strings.NewReplacer("FlagUsages", "FlagUsagesWrapped 80", "{{if .Runnable}}", "{{if not .HasSubCommands}}").Replace(root.UsageTemplate()))
	root.SetOut(unwrapWriter(stdout)) // the tabs of completions
	root.SetErr(stderr)
	for _, g := range groups() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, newCommand := range g.commands {
			cmd := newCommand(options{stdout: stdout, stderr: stderr, added: added})
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	addHelp(root)
	requireValues(root.Commands())
	completer{added}.add(root)
	return root
}

// Flags of commands that go by folders, and of those that go by a suite.
const (
	folderFlags = "out specs data "
	suiteFlags  = "suite untuned dataset seeds epochs tasks models datasets "
)

// with adds, by name, flags that several commands have. Those with --data know the
// datasets that were imported there.
func (o *options) with(flags string, cmd *cobra.Command) *cobra.Command {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.StringVar(&o.out, "out", "bench-out", "folder of the results")
	f.StringVar(&o.specs, "specs", "", "folder of further specs, which replace built-in ones of the same name")
	f.StringVar(&o.data, "data", "data", "folder where the files of datasets are looked for")
	f.StringVar(&o.suite, "suite", defaultSuite, "what to measure")
	f.BoolVar(&o.untuned, "untuned", false, "with a suite that has tuned: true: leave out what searches found")
	f.StringSliceVar(&o.dataset, "dataset", nil, "measure the standard suite on these datasets, in place of --suite")
	f.Float64Var(&o.hours, "hours", defaultHours, "with --dataset: how long it may take on this machine")
	f.DurationVar(&o.delay, "label-delay", 0, "with --dataset: how long after its event a label is known, as in 6h")
	f.IntVar(&o.tune, "tune", 0, "first search the options of each learned model with that many trials")
	f.Func("seeds", "number of seeds instead of the suite's", func(text string) (err error) {
		if o.seeds, err = strconv.Atoi(text); err != nil || o.seeds < 1 || o.seeds > specs.MostSeeds {
			return fmt.Errorf("expected a whole number from 1 to %d", specs.MostSeeds)
		}
		return nil
	})
	f.IntVar(&o.epochs, "epochs", 0, "train learned models for that many epochs at most (default: the suite's)")
	f.StringSliceVar(&o.tasks, "tasks", nil, "only these tasks (nc, lp)")
	f.StringSliceVar(&o.models, "models", nil, "only these models (ids, id+variant)")
	f.StringSliceVar(&o.datasets, "datasets", nil, "only these datasets")
	f.StringVar(&o.device, "device", devices.CPU, "what models run on: cpu, cuda, or cuda:N for card N")
	f.IntVar(&o.workers, "workers", 0, "trials side by side (default: one a core, at most 8 on a card); results do not depend on it")
	f.StringVar(&o.on, "on", "", "have tasks of an engine measure: "+strings.Join(cluster.Names(), ", ")+" (default: this process)")
	f.StringVar(&o.onOptions, "on-options", "", "with --on: YAML file with options of the engine")
	f.BoolVar(&o.checkpoints, "checkpoints", false, "keep the models as safetensors files beside their records; "+
		"trials that have a record and no such file are measured again")
	f.BoolVar(&o.allowStale, "allow-stale", false, "also use records of older numerics, marked in the tables")
	f.BoolVar(&o.dryRun, "dry-run", false, "print what would be done, and do nothing")
	f.BoolVar(&o.asJSON, "json", false, "print JSON")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print results, warnings and errors, and no progress")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "also print every file that is read, every epoch and every trial")
	for name := range strings.FieldsSeq(flags) {
		cmd.Flags().AddFlag(f.Lookup(name))
	}
	o.makesSuites = cmd.Flags().Lookup("hours") != nil
	o.keepsSuites = o.makesSuites && cmd.Flags().Lookup("checkpoints") != nil // it measures
	if cmd.Flags().Lookup("suite") != nil && cmd.Flags().Lookup("dataset") != nil {
		cmd.MarkFlagsMutuallyExclusive("suite", "dataset")
	}
	if cmd.Flags().Lookup("verbose") != nil {
		cmd.MarkFlagsMutuallyExclusive("quiet", "verbose")
	}
	usesData := cmd.Flags().Lookup("data") != nil
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if o.verbose {
			slog.SetDefault(slog.New(slog.NewTextHandler(o.stderr, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime})))
		}
		if usesData {
			return own.Use(o.data)
		}
		return nil
	}
	return cmd
}

// withoutTime leaves time and level of a message out.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
		return slog.Attr{}
	}
	return a
}

// progress returns what progress is written to.
func (o *options) progress() io.Writer {
	if o.quiet {
		return io.Discard
	}
	return o.stderr
}

// library holds the specs of the flags.
func (o *options) library() (*specs.Library, error) {
	lib, err := specs.NewLibrary(o.specs, o.added...)
	if err == nil {
		lib.Untuned = o.untuned
	}
	return lib, err
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

// flagWords returns the words of those flags, names and values, that have a value.
func flagWords(flags ...string) (words []string) {
	for i := 0; i < len(flags); i += 2 {
		if flags[i+1] != "" {
			words = append(words, "--"+flags[i], flags[i+1])
		}
	}
	return words
}

// deviceWord returns the value of --device, empty for the processor.
func (o *options) deviceWord() string {
	if o.device == devices.CPU {
		return ""
	}
	return o.device
}

// findDevice finds what models run on. With an engine, that is a part of other machines.
func (o *options) findDevice() (devices.Target, error) {
	find := devices.Find
	if o.on == "" && o.onOptions != "" {
		return devices.Target{}, errors.New("--on-options: expected --on, too, which names the engine")
	}
	if o.on != "" {
		if _, _, err := o.engine(); err != nil { // before anything takes time
			return devices.Target{}, err
		}
		if o.on != cluster.Local {
			find = devices.FindElsewhere
		}
	}
	on, err := find(o.device)
	if err != nil {
		err = fmt.Errorf("--device %s: %w", o.device, err)
	}
	return on, err
}

// ready finds the device, and starts the programs of models to ask what they can do.
func (o *options) ready(trials []specs.Trial) (devices.Target, error) {
	on, err := o.findDevice()
	if err == nil {
		err = harness.Probe(trials, o.checkpoints)
	}
	return on, err
}

// notEmpty is the value of a flag that would mean something else if it were
// empty, as with an unset variable of a script: everything, or the current
// folder. Commands check --out themselves.
type notEmpty struct{ pflag.Value }

// Set refuses an empty value, and several lines, of which pflag reads only the first.
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
