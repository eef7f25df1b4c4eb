package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"dgsbench/harness"
	"dgsbench/harness/doctor"
	"dgsbench/internal/lists"
	"dgsbench/kernels/devices"
	"dgsbench/protocol"
	"dgsbench/results/table"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// modelEntry is a model of bench models.
type modelEntry struct {
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	Tasks    []protocol.Task `json:"tasks"`
	Class    protocol.Class  `json:"class"`
	Variants []string        `json:"variants"`
	Page     string          `json:"page"`
}

func newModels(o options) *cobra.Command {
	return o.with("specs json", &cobra.Command{
		Use: "models", Short: "List the models", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			lib, err := o.library()
			if err != nil {
				return err
			}
			var models []modelEntry
			for _, id := range lib.ModelIDs() {
				m, err := lib.LoadModel(id)
				if err != nil {
					return err
				}
				models = append(models, modelEntry{m.ID, m.Title, m.Kind.Tasks, m.Kind.Class, append([]string{}, m.Variants()...), m.Page})
			}
			return o.printValue(models, func(w io.Writer) error {
				t := table.New("MODEL", "TITLE", "TASKS", "CLASS", "VARIANTS", "PAGE")
				for _, m := range models {
					t.Add(m.ID, m.Title, strings.Trim(fmt.Sprint(m.Tasks), "[]"), m.Class, strings.Join(m.Variants, " "), m.Page)
				}
				return table.WriteList(w, t)
			})
		},
	})
}

// suiteEntry is a suite of bench suites.
type suiteEntry struct {
	Name     string          `json:"name"`
	Title    string          `json:"title"`
	Tasks    []protocol.Task `json:"tasks"`
	Models   []string        `json:"models"`
	Datasets []string        `json:"datasets"`
	Seeds    int             `json:"seeds"`
	Trials   int             `json:"trials"`
}

func newSuites(o options) *cobra.Command {
	return o.with("specs data json", &cobra.Command{
		Use: "suites", Short: "List the suites", Args: cobra.NoArgs,
		Long: "suites lists what --suite of other commands can name. What a suite takes on this\n" +
			"machine is printed by bench plan --suite NAME. One that cannot be read is named\n" +
			"on standard error, the others are listed, and the exit code is 2.",
		RunE: func(*cobra.Command, []string) error {
			lib, err := o.library()
			if err != nil {
				return err
			}
			var suites []suiteEntry
			var unread []error
			for _, name := range lib.SuiteNames() {
				entry, err := newSuiteEntry(lib, name)
				if err != nil {
					unread = append(unread, fmt.Errorf("suite %s: %w", name, err))
					continue
				}
				suites = append(suites, entry)
			}
			err = o.printValue(suites, func(w io.Writer) error {
				t := table.New("SUITE", "TRIALS", "TASKS", "MODELS", "SEEDS", "TITLE", "DATASETS")
				t.Columns[1].Right, t.Columns[3].Right, t.Columns[4].Right = true, true, true
				for _, s := range suites {
					t.Add(s.Name, s.Trials, strings.Trim(fmt.Sprint(s.Tasks), "[]"), len(s.Models), s.Seeds, s.Title, strings.Join(s.Datasets, " "))
				}
				return table.WriteList(w, t)
			})
			return errors.Join(append(unread, err)...)
		},
	})
}

func newSuiteEntry(lib *specs.Library, name string) (suiteEntry, error) {
	s, err := lib.LoadSuite(name)
	if err != nil {
		return suiteEntry{}, err
	}
	trials, err := s.Trials(specs.Filter{})
	return suiteEntry{
		Name: s.Name, Title: s.Title, Seeds: s.Seeds, Trials: len(trials),
		Tasks:    lists.Unique(trials, func(t specs.Trial) protocol.Task { return t.Task }),
		Models:   lists.Unique(trials, specs.Trial.Ref),
		Datasets: lists.Unique(trials, func(t specs.Trial) string { return t.Dataset }),
	}, err
}

func newSpec(o options) *cobra.Command {
	cmd := &cobra.Command{Use: "spec", Short: "Print the options of models"}
	asGroup(cmd)
	var at specs.Place
	show := o.with("specs json", &cobra.Command{
		Use: "show MODEL|FILE.yaml", Short: "Print every option of a model with its origin", Args: cobra.ExactArgs(1),
		Long: "show prints the options of a model, or of a model spec of yours, with the file\n" +
			"and line that each comes from. A variant is added to either, as in\n" +
			"mine.yaml+large.",
		Example: "  bench spec show graph-sprints\n  bench spec show edgebank+tw\n  bench spec show my-sprints.yaml",
		RunE:    func(_ *cobra.Command, args []string) error { return o.showSpec(args[0], at) },
	})
	addPlace(show, &at)
	cmd.AddCommand(show)
	return cmd
}

// addPlace adds the flags that say where a model is used.
func addPlace(cmd *cobra.Command, at *specs.Place) {
	cmd.Flags().StringVar(&at.Dataset, "dataset", "", "as it is on this dataset")
	cmd.Flags().StringVar((*string)(&at.Task), "task", "",
		"as it is for this task ("+string(protocol.NodeClassification)+", "+string(protocol.LinkPrediction)+")")
	cmd.Flags().StringVar((*string)(&at.Setting), "setting", "", "as it is in this setting (T, I)")
}

func (o *options) showSpec(ref string, at specs.Place) error {
	lib, err := o.library()
	if err != nil {
		return err
	}
	if file, variant := splitFile(ref); file != "" {
		entry, err := lib.AddFile(file)
		switch {
		case err != nil:
			return err
		case entry.Suite:
			return fmt.Errorf("%s is a suite, expected a model or a model spec; bench plan %s says what it measures", file, file)
		}
		ref = specs.JoinRef(entry.Name, variant)
	}
	shown, err := lib.Show(ref, at)
	if err != nil {
		return err
	}
	return o.printValue(shown, func(w io.Writer) error {
		text, err := shown.YAML()
		if err == nil {
			_, err = fmt.Fprint(w, text)
		}
		return err
	})
}

// splitFile splits FILE.yaml or FILE.yaml+VARIANT; the file is empty where there is none.
func splitFile(ref string) (file, variant string) {
	if i := strings.LastIndexByte(ref, '+'); i >= 0 && !isYAML(ref) {
		ref, variant = ref[:i], ref[i+1:]
	}
	if !isYAML(ref) {
		return "", ""
	}
	return ref, variant
}

func isYAML(file string) bool { return filepath.Ext(file) == ".yaml" || filepath.Ext(file) == ".yml" }

func newDoctor(o options) *cobra.Command {
	return o.with("json", &cobra.Command{
		Use: "doctor", Short: "Measure what the machine can do", Args: cobra.NoArgs,
		Long: "doctor measures floating-point peak, memory bandwidth and a matrix product, in a\n" +
			"few seconds. Run it on an idle machine: other load lowers the numbers.",
		RunE: func(*cobra.Command, []string) error {
			r := doctor.Measure()
			return o.printValue(r, func(w io.Writer) error { return printDoctor(w, r) })
		},
	})
}

func printDoctor(out io.Writer, r doctor.Rates) error {
	t := table.New("", "")
	t.Add("machine", r.Machine)
	t.Add("cores that bench uses", r.Cores)
	t.Add("vector instructions", r.Vector)
	t.Add("FMA peak, as reached by sgemm", fmt.Sprintf("%.0f GFLOP/s on one core, %.0f on all", r.Peak.OneCore, r.Peak.AllCores))
	t.Add("memory copy", fmt.Sprintf("%.1f GB/s on one core, %.1f on all", r.Copy.OneCore, r.Copy.AllCores))
	t.Add("sgemm 200x172x100", fmt.Sprintf("%.0f GFLOP/s on one core, %.0f on all", r.Gemm.OneCore, r.Gemm.AllCores))
	t.Add("GPU", r.GPU)
	if err := table.WriteList(out, t); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "\nEach number is the best of several short runs; other load on the machine lowers them.")
	return err
}

// Version is that of the releases in CHANGELOG.md and CITATION.cff.
const Version = "0.2.0"

// build is what bench version prints.
type build struct {
	Version  string `json:"version"`
	Code     string `json:"code"`
	Numerics int    `json:"numerics"`
	Kernels  string `json:"kernels"`
	Machine  string `json:"machine"`
}

func newVersion(o options) *cobra.Command {
	return o.with("json", &cobra.Command{
		Use: "version", Short: "Print version, numerics, class of kernels and machine", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := build{Version, harness.CodeVersion(), harness.Numerics, devices.Target{}.Name(), harness.Machine(devices.Target{})}
			return o.printValue(b, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "version   %s\ncode      %s\nnumerics  %d\nkernels   %s\nmachine   %s\n",
					b.Version, b.Code, b.Numerics, b.Kernels, b.Machine)
				return err
			})
		},
	})
}
