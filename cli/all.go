package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"
)

func newAll(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use: "all [SPEC.yaml...]", Short: "Measure a suite and print its tables",
		Long: "all says what it will take, measures what has no record yet, prints the tables and\n" +
			"writes them, with the numbers as CSV, to the folder of the results; or prints them\n" +
			"alone where flags leave something of the suite out.\n\n" + ownSpecs,
		Example: "  bench all\n  bench all --dry-run\n  bench all --suite torch-nc --data ~/streams",
		RunE: func(cmd *cobra.Command, files []string) error {
			trials, err := o.trials(files, false)
			if err != nil {
				return err
			}
			if o.dryRun {
				return o.wouldMeasure(trials, o.goOn)
			}
			if err := o.canLeave(); err != nil {
				return err
			}
			sum, err := o.planAndMeasure(cmd.Context(), trials)
			if err != nil {
				return err
			}
			if err := o.report(trials, files); err != nil {
				return err
			}
			what := "records, tables, figures and results.csv"
			if o.narrowed() {
				what = "records"
			}
			return o.lastLine(sum, what, filepath.Join(o.out, o.suite))
		},
	}
	o.addWhere(cmd)
	o.addData(cmd)
	o.addWhat(cmd)
	o.addDevice(cmd)
	o.addWorkers(cmd)
	o.addCheckpoints(cmd)
	o.addStale(cmd)
	o.addDryRun(cmd)
	return cmd
}
