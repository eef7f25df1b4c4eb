package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/internal/escape"
	"dgsbench/internal/lists"
	"dgsbench/kernels/devices"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// ownSpecs explains the files that commands accept.
const ownSpecs = "A SPEC.yaml with the key `runs` is a suite and takes the place of --suite. One\n" +
	"with the key `model` is a model spec: it replaces the suite's model of that id,\n" +
	"or joins the suite wherever it can do the task."

// selection is what flags and files choose.
type selection struct {
	options  // with the suite of the files, where one of them is a suite
	files    []string
	standard []string // the flags of a standard suite
	changes  []string // the flags that change the trials

	suiteFiles, ownModels []string // of files: those of suites, and the models of the others
	lib                   *specs.Library
	suiteSpec             specs.Suite
	trials                []specs.Trial
}

// choose resolves the suite together with the user's own files. If onlyOwn is
// set, models among these are the only ones, unless --models says otherwise.
func (o *options) choose(ctx context.Context, files []string, onlyOwn bool) (selection, error) {
	s := selection{options: *o, files: files}
	if err := inRange("workers", o.workers, 0, maxThreads); err != nil {
		return s, err
	}
	lib, err := o.library()
	if err != nil {
		return s, err
	}
	filter := specs.Filter{Models: o.models, Datasets: o.datasets, Tasks: o.tasks, Seeds: o.seeds, FirstSeed: o.firstSeed, Epochs: o.epochs}
	for _, file := range files {
		entry, err := lib.AddFile(file)
		switch {
		case err != nil:
			return s, err
		case entry.Suite && len(o.dataset) > 0:
			return s, fmt.Errorf("%s is a suite, and --dataset asks for another one: leave one of them out", file)
		case entry.Suite:
			s.suite, s.suiteFiles = entry.Name, append(s.suiteFiles, file)
			continue
		case onlyOwn && len(o.models) == 0:
			filter.Models = append(filter.Models, entry.Name)
		}
		s.ownModels = append(s.ownModels, entry.Name)
	}
	if len(o.dataset) == 0 && o.makesSuites && (o.hours != defaultHours || o.delay != 0) {
		return s, errors.New("--hours and --label-delay are of the standard suite: they need --dataset; a suite of yours says label_delay itself")
	}
	if len(o.dataset) > 0 {
		entry, err := s.addStandard(ctx, lib)
		if err != nil {
			return s, err
		}
		s.suite = entry.Name
	}
	suite, err := lib.LoadSuite(s.suite)
	if err != nil {
		return s, err
	}
	if o.untuned && !suite.Tuned {
		return s, fmt.Errorf("--untuned changes nothing: suite %s has no tuned models", s.suite)
	}
	if err := suite.Tables.Known(results.TableTasks()); err != nil {
		return s, err
	}
	s.suiteSpec, s.lib = suite, lib
	s.trials, err = suite.Trials(filter)
	return s, err
}

// withoutMissing returns the trials without those of datasets whose file is missing
// and that the suite can do without. It names these.
func (o *options) withoutMissing(all []specs.Trial) []specs.Trial {
	some := o.present(all)
	var lines []string
	for _, name := range lists.Unique(all, func(t specs.Trial) string { return t.Dataset }) {
		if d, err := datasets.Lookup(name); err == nil && !slices.ContainsFunc(some, func(t specs.Trial) bool { return t.Dataset == name }) {
			lines = append(lines, fmt.Sprint(d.Present(o.data)))
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(o.stderr, "suite %s leaves out %s: %s\n", all[0].Suite, results.Count(len(lines), "dataset"), strings.Join(lines, "; "))
	}
	return some
}

// present is like withoutMissing, but prints nothing.
func (o *options) present(trials []specs.Trial) []specs.Trial {
	return specs.WithoutMissing(trials, func(name string) bool {
		d, err := datasets.Lookup(name)
		return err == nil && errors.Is(d.Present(o.data), fs.ErrNotExist)
	})
}

// choosing runs a command on what its flags and files choose.
func (o *options) choosing(onlyOwn bool, run func(context.Context, selection) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, files []string) error {
		s, err := o.choose(cmd.Context(), files, onlyOwn)
		if err != nil {
			return err
		}
		return run(cmd.Context(), s)
	}
}

// isFiltered reports whether flags leave something of the suite out.
func (o *options) isFiltered() bool {
	return o.seeds+o.epochs > 0 || len(o.models)+len(o.datasets)+len(o.tasks) > 0
}

// command returns what measures the selection and prints its tables.
func (s selection) command() string {
	verb := "bench all"
	switch len(s.trials) {
	case len(specs.LatencyTests(s.trials)):
		verb = "bench latency" // which also measures anew
	case len(specs.LiveTests(s.trials)):
		verb = "bench live"
	}
	return s.commandLine(verb, s.files)
}

// commandLine returns a command with its arguments and the flags of the selection.
func (s selection) commandLine(verb string, args []string) string {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	suite := s.suite
	if len(s.dataset) > 0 {
		suite = ""
	}
	flags := flagWords("suite", suite, "specs", s.specs, "seeds", number(s.seeds), "epochs", number(s.epochs), "models", strings.Join(s.models, ","),
		"datasets", strings.Join(s.datasets, ","), "tasks", strings.Join(s.tasks, ","), "device", s.deviceWord())
	if s.untuned {
		flags = append(flags, "--untuned")
	}
	return strings.Join(slices.Concat([]string{verb}, args, s.standard, flags, s.changes), " ")
}

func (o *options) store() record.Store { return record.Store{Dir: o.out} }

// records loads the records of the selection on the device, of one class of
// kernels: those of older numerics only if asked for, and none of another spec.
func (s selection) records() ([]record.Record, error) {
	records, err := s.load()
	if err != nil {
		return nil, err
	}
	return s.ofOneClass(results.Fitting(lists.Filter(records, s.ofDevice), s.trials))
}

// load loads the records of the suite, those of older numerics if asked for.
func (s selection) load() ([]record.Record, error) {
	all, incomplete, err := s.store().Load(s.suite)
	if err != nil {
		return nil, err
	}
	for _, file := range incomplete {
		fmt.Fprintf(s.stderr, "%s: its sidecar is missing or damaged; treated as not measured\n", file)
	}
	current, stale := record.Select(all, harness.Numerics, s.allowStale)
	if len(stale) > 0 && !s.allowStale {
		fmt.Fprintf(s.stderr, "%d records were made by older numerics and are left out; --allow-stale uses them\n", len(stale))
	}
	return current, nil
}

// ofDevice reports whether a record is of the flag's device, with whatever kernels.
func (o *options) ofDevice(r record.Record) bool {
	of, _, _ := strings.Cut(r.Device, "/")
	return of == o.deviceName()
}

func (o *options) deviceName() string {
	name, _, _ := strings.Cut(o.device, ":")
	return name
}

// ofOneClass returns the records of this build's kernels, or if there are none those
// of the only class that there is. It reports which it leaves out or uses.
func (o *options) ofOneClass(records []record.Record) ([]record.Record, error) {
	class := o.deviceName()
	if class == devices.CPU {
		class = devices.Target{}.Name()
	}
	byClass := map[string][]record.Record{}
	for _, r := range records {
		byClass[r.Device] = append(byClass[r.Device], r)
	}
	own := byClass[class]
	delete(byClass, class)
	others := strings.Join(slices.Sorted(maps.Keys(byClass)), ", ")
	switch {
	case len(byClass) > 0 && len(own) > 0:
		fmt.Fprintf(o.stderr, "%d records in %s are of other kernels (%s) and are left out: this build's are %s\n",
			len(records)-len(own), o.out, others, class)
	case len(byClass) == 1:
		fmt.Fprintf(o.stderr, "all records in %s are of other kernels (%s) than this build's, %s\n", o.out, others, class)
		own = records
	case len(byClass) > 1:
		return nil, fmt.Errorf("the records in %s are of several classes of kernels (%s), "+
			"and none of this build's, %s; keep one class in a folder", o.out, others, class)
	}
	return own, nil
}

// report summarises what has been measured of the selection. If whole is set,
// a trial without a record is a failure.
func (s selection) report(whole bool) (results.Report, error) {
	return retryReplaced(func() (results.Report, error) {
		records, err := s.records()
		if err == nil && whole {
			err = s.checkWhole(records)
		}
		if err != nil {
			return results.Report{}, err
		}
		r, err := s.summarise(records, false)
		if whole && errors.Is(err, fs.ErrNotExist) {
			err = failure{fmt.Errorf("%w; the same command measures it again", err)}
		}
		return r, err
	})
}

// unmeasured returns the trials without a record that fits them.
func (s selection) unmeasured() ([]specs.Trial, error) {
	if err := s.checkOut(); err != nil {
		return nil, err
	}
	all, _, err := s.store().Load(s.suite)
	return s.without(results.Fitting(all, s.trials)), err
}

// without returns the trials that have none of the records.
func (s selection) without(records []record.Record) []specs.Trial {
	there := map[record.Key]bool{}
	for _, r := range records {
		there[r.Key] = true
	}
	return slices.DeleteFunc(slices.Clone(s.trials), func(t specs.Trial) bool { return there[results.KeyOf(t)] })
}

// checkWhole checks that every trial has a record.
func (s selection) checkWhole(records []record.Record) error {
	if missing := s.without(records); len(missing) > 0 {
		return missingRecordsError(missing, len(s.trials))
	}
	return nil
}

func missingRecordsError(trials []specs.Trial, of int) error {
	return failure{fmt.Errorf("the records of %d of %d trials have disappeared since they were written, among them that of %s; "+
		"the same command measures them again",
		len(trials), of, results.KeyOf(trials[0]))}
}

// retryReplaced reads records again if another run replaced them meanwhile.
func retryReplaced[T any](read func() (T, error)) (T, error) {
	for {
		x, err := read()
		if !errors.Is(err, record.ErrReplaced) {
			return x, err
		}
	}
}

// summarise makes a report of the records, if curves is set with their figures, and
// with a bar on a terminal: intervals of a big folder take a while.
func (s selection) summarise(records []record.Record, curves bool) (results.Report, error) {
	if len(records) == 0 {
		return results.Report{}, fmt.Errorf("no records of suite %s in %s; measure it with: %s --out %s --data DIR",
			s.suite, s.out, s.command(), s.out)
	}
	bar := s.newBar()
	bar.start()
	outline := results.Outline{Suite: s.suiteSpec, Trials: s.trials, Command: s.command(), Curves: curves, Progress: bar.progress}
	r, err := results.NewReport(s.store(), records, outline)
	bar.close()
	for _, warning := range r.Warnings {
		fmt.Fprintln(s.stderr, "warning:", escape.Text(warning))
	}
	return r, err
}
