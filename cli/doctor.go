package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"dgsbench/harness/doctor"

	"github.com/spf13/cobra"
)

func newDoctor(o *options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Measure what the machine can do", Args: cobra.NoArgs,
		Long: "doctor measures floating-point peak, memory bandwidth and a matrix product, in a few\n" +
			"seconds. Run it on an idle machine: other load lowers the numbers.",
		RunE: func(*cobra.Command, []string) error {
			r := doctor.Measure()
			if asJSON {
				e := json.NewEncoder(o.stdout)
				e.SetIndent("", "  ")
				return e.Encode(r)
			}
			return printDoctor(o.stdout, r)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printDoctor(out io.Writer, r doctor.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "machine\t%s\n", r.Machine)
	fmt.Fprintf(w, "cores that bench uses\t%d\n", r.Cores)
	fmt.Fprintf(w, "vector instructions\t%s\n", r.Vector)
	fmt.Fprintf(w, "FMA peak, as reached by sgemm\t%.0f GFLOP/s on one core, %.0f on all\n", r.Peak.OneCore, r.Peak.AllCores)
	fmt.Fprintf(w, "memory copy\t%.1f GB/s on one core, %.1f on all\n", r.Copy.OneCore, r.Copy.AllCores)
	fmt.Fprintf(w, "sgemm 200x172x100\t%.0f GFLOP/s on one core, %.0f on all\n", r.Gemm.OneCore, r.Gemm.AllCores)
	fmt.Fprintf(w, "GPU\t%s\n", r.GPU)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "\nEach number is the best of several short runs; other load on the machine lowers them.")
	return err
}
