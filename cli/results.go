package cli

import (
	"fmt"

	"dgsbench/results"

	"github.com/spf13/cobra"
)

func newResults(o *options) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "results [SPEC.yaml...]", Short: "Print the numbers of what has been measured, for machines",
		RunE: func(_ *cobra.Command, files []string) error {
			if format != "csv" && format != "json" {
				return fmt.Errorf("--format is %q, expected csv or json", format)
			}
			r, err := o.reportOn(files)
			if err != nil {
				return err
			}
			if format == "json" {
				return results.WriteJSON(o.stdout, r.Rows)
			}
			return results.WriteCSV(o.stdout, r.Rows)
		},
	}
	cmd.Flags().StringVar(&format, "format", "csv", "csv or json")
	o.addWhere(cmd)
	o.addData(cmd)
	o.addWhat(cmd)
	o.addDevice(cmd)
	o.addStale(cmd)
	return cmd
}
