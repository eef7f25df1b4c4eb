package main

import (
	"fmt"
	"io"

	"dgsbench/harness"
	"dgsbench/results"

	"github.com/spf13/cobra"
)

func newTables(o *options) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "tables [SPEC.yaml...]", Short: "Print the tables of what has been measured",
		RunE: func(_ *cobra.Command, files []string) error {
			write, err := tableWriter(format)
			if err != nil {
				return err
			}
			r, err := o.reportOn(files)
			if err != nil {
				return err
			}
			return o.print(r, write)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown or csv")
	o.addWhere(cmd)
	o.addData(cmd)
	o.addWhat(cmd)
	o.addStale(cmd)
	return cmd
}

// writer renders a table; terminal says whether it may use bold and
// underlined text.
type writer func(w io.Writer, t results.Table, terminal bool) error

// tableWriter finds the renderer of a format.
func tableWriter(format string) (writer, error) {
	switch format {
	case "text":
		return results.WriteText, nil
	case "markdown":
		return plain(results.WriteMarkdown), nil
	case "csv":
		return plain(results.WriteTableCSV), nil
	}
	return nil, fmt.Errorf("--format is %q, expected text, markdown or csv", format)
}

func plain(write func(io.Writer, results.Table) error) writer {
	return func(w io.Writer, t results.Table, _ bool) error { return write(w, t) }
}

// print writes the tables one below the other.
func (o *options) print(r harness.Report, write writer) error {
	for i, t := range r.Tables {
		if i > 0 {
			fmt.Fprintln(o.stdout)
		}
		if err := write(o.stdout, t, isTerminal(o.stdout)); err != nil {
			return err
		}
	}
	return nil
}
