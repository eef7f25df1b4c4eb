package cli

import (
	"fmt"
	"io"
	"strings"

	"dgsbench/harness"
	"dgsbench/harness/doctor"
	"dgsbench/kernels/devices"
	"dgsbench/protocol"
	"dgsbench/results/table"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

func newModels(o options) *cobra.Command {
	return o.with("specs", &cobra.Command{
		Use: "models", Short: "List the models", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			lib, err := o.library()
			if err != nil {
				return err
			}
			t := table.New("MODEL", "TITLE", "TASKS", "CLASS", "VARIANTS", "PAGE")
			for _, id := range lib.ModelIDs() {
				m, err := lib.LoadModel(id)
				if err != nil {
					return err
				}
				tasks := strings.Trim(fmt.Sprint(m.Kind.Tasks), "[]")
				t.Add(m.ID, m.Title, tasks, m.Kind.Class, strings.Join(m.Variants(), " "), m.Page)
			}
			return table.WriteList(o.stdout, t)
		},
	})
}

func newSpec(o options) *cobra.Command {
	cmd := &cobra.Command{Use: "spec", Short: "Look at model specs", Args: cobra.NoArgs}
	var at specs.Place
	show := o.with("specs", &cobra.Command{
		Use: "show MODEL", Short: "Print every option of a model with its origin", Args: cobra.ExactArgs(1),
		Example: "  bench spec show graph-sprints\n  bench spec show edgebank+tw",
		RunE: func(_ *cobra.Command, args []string) error {
			lib, err := o.library()
			if err != nil {
				return err
			}
			text, err := lib.Show(args[0], at)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(o.stdout, text)
			return err
		},
	})
	show.Flags().StringVar(&at.Dataset, "dataset", "", "as it is on this dataset")
	show.Flags().StringVar((*string)(&at.Task), "task", "",
		"as it is for this task ("+string(protocol.NodeClassification)+", "+string(protocol.LinkPrediction)+")")
	show.Flags().StringVar((*string)(&at.Setting), "setting", "", "as it is in this setting (T, I)")
	cmd.AddCommand(show)
	return cmd
}

func newDoctor(o options) *cobra.Command {
	return o.with("json", &cobra.Command{
		Use: "doctor", Short: "Measure what the machine can do", Args: cobra.NoArgs,
		Long: "doctor measures floating-point peak, memory bandwidth and a matrix product, in a few\n" +
			"seconds. Run it on an idle machine: other load lowers the numbers.",
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

func newVersion(o options) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print version, numerics, class of kernels and machine", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			fmt.Fprintf(o.stdout, "version   %s\ncode      %s\nnumerics  %d\nkernels   %s\nmachine   %s\n",
				Version, harness.CodeVersion(), harness.Numerics, devices.Target{}.Name(), harness.Machine(devices.Target{}))
		},
	}
}
