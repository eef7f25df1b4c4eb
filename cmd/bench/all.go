package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"dgsbench/harness"
	"dgsbench/internal/atomicfile"
	"dgsbench/results"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

func newAll(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use: "all [SPEC.yaml...]", Short: "Measure a suite and print its tables",
		Long: "all measures what has no record yet, prints the tables and writes them, with the\n" +
			"numbers as CSV, to the folder of the results.\n\n" + ownSpecs,
		Example: "  bench all --data ~/streams\n  bench all --suite torch-nc --data ~/streams",
		RunE: func(cmd *cobra.Command, files []string) error {
			trials, err := o.trials(files, false)
			if err != nil {
				return err
			}
			sum, err := o.measure(cmd.Context(), trials)
			if err != nil {
				return err
			}
			if err := o.report(trials, files); err != nil {
				return err
			}
			what := "records, tables.md and results.csv"
			if o.narrowed() {
				what = "records"
			}
			return o.lastLine(sum, what, filepath.Join(o.out, o.suite))
		},
	}
	o.addWhere(cmd)
	o.addData(cmd)
	o.addWhat(cmd)
	o.addWorkers(cmd)
	o.addCheckpoints(cmd)
	o.addStale(cmd)
	return cmd
}

// report prints the tables and leaves them beside the records.
func (o *options) report(trials []specs.Trial, files []string) error {
	r, err := o.newReport(trials, files)
	if err != nil {
		return err
	}
	if err := o.print(r, results.WriteText); err != nil {
		return err
	}
	return o.leave(r)
}

// leave puts tables and numbers of a whole suite beside the records.
func (o *options) leave(r harness.Report) error {
	if o.narrowed() {
		return nil // the files are those of the whole suite
	}
	var markdown, csv bytes.Buffer
	for i, t := range r.Tables {
		if i > 0 {
			markdown.WriteByte('\n')
		}
		if err := results.WriteMarkdown(&markdown, t); err != nil {
			return err
		}
	}
	if err := results.WriteCSV(&csv, r.Rows); err != nil {
		return err
	}
	for name, text := range map[string][]byte{"tables.md": markdown.Bytes(), "results.csv": csv.Bytes()} {
		if err := atomicfile.Write(filepath.Join(o.out, o.suite, name), text); err != nil {
			return &harness.StoreError{Err: err}
		}
	}
	return nil
}

// reportOn summarises what has been measured of the suite of the flags and
// files.
func (o *options) reportOn(files []string) (harness.Report, error) {
	trials, err := o.trials(files, false)
	if err != nil {
		return harness.Report{}, err
	}
	return o.newReport(trials, files)
}

// newReport summarises what has been measured of the trials.
func (o *options) newReport(trials []specs.Trial, files []string) (harness.Report, error) {
	records, err := o.records(trials)
	if err != nil {
		return harness.Report{}, err
	}
	if len(records) == 0 {
		return harness.Report{}, fmt.Errorf("no records of suite %s in %s; measure it with: %s --out %s --data DIR",
			o.suite, o.out, o.command(trials, files), o.out)
	}
	return harness.NewReport(o.store(), records, trials, o.command(trials, files))
}
