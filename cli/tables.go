package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"dgsbench/harness"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/regular"
	"dgsbench/internal/suggest"
	"dgsbench/results"
	"dgsbench/results/table"

	"github.com/spf13/cobra"
)

func newTables(o options) *cobra.Command {
	var format string
	cmd := addFlags(&cobra.Command{
		Use: "tables [SPEC.yaml...]", Short: "Print the tables of what has been measured",
		RunE: o.choosing(false, func(_ context.Context, s selection) error {
			if err := checkFormat(format, tableFormats); err != nil {
				return err
			}
			r, err := s.report(false)
			if err != nil {
				return err
			}
			return s.print(r, format)
		}),
	}, o.placeFlags, o.suiteFlags, o.deviceFlag, o.staleFlag)
	cmd.Flags().StringVar(&format, "format", "text", suggest.Or(tableFormats))
	return cmd
}

func newResults(o options) *cobra.Command {
	var format string
	cmd := addFlags(&cobra.Command{
		Use: "results [SPEC.yaml...]", Short: "Print the numbers of what has been measured, for machines",
		RunE: o.choosing(false, func(_ context.Context, s selection) error {
			if err := checkFormat(format, []string{"csv", "json"}); err != nil {
				return err
			}
			r, err := s.report(false)
			if err != nil {
				return err
			}
			if format == "json" {
				return results.WriteJSON(o.stdout, r.Rows)
			}
			return results.WriteCSV(o.stdout, r.Rows)
		}),
	}, o.placeFlags, o.suiteFlags, o.deviceFlag, o.staleFlag)
	cmd.Flags().StringVar(&format, "format", "csv", "csv or json")
	return cmd
}

// tableFormats are those of a report's tables.
var tableFormats = []string{"text", "markdown", "latex", "html", "csv"}

func checkFormat(format string, known []string) error {
	if !slices.Contains(known, format) {
		return fmt.Errorf("--format is %q, expected %s", format, suggest.Or(known))
	}
	return nil
}

// writeReport writes the tables of a report in one of tableFormats.
func writeReport(w io.Writer, r results.Report, format string, terminal bool) error {
	switch format {
	case "latex":
		return table.WriteLaTeX(w, r.Tables)
	case "html":
		return table.WriteHTML(w, r.Title, r.Tables, r.Figures)
	}
	for i, t := range r.Tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := writeTable(w, t, format, terminal); err != nil {
			return err
		}
	}
	return nil
}

// writeTable writes a table as text, with bold and underlined words on a
// terminal, as Markdown or as CSV.
func writeTable(w io.Writer, t table.Table, format string, terminal bool) error {
	switch format {
	case "markdown":
		return table.WriteMarkdown(w, t)
	case "csv":
		return table.WriteCSV(w, t)
	}
	return table.WriteText(w, t, terminal)
}

// print writes the report to standard output.
func (o *options) print(r results.Report, format string) error {
	out, terminal := o.tableOutput()
	return writeReport(out, r, format, terminal)
}

// tableOutput returns where tables are printed, and whether it is a terminal:
// there they mark text themselves.
func (o *options) tableOutput() (out io.Writer, terminal bool) {
	if isTerminal(o.stdout) {
		return unwrapWriter(o.stdout), true
	}
	return o.stdout, false
}

// tableFiles are the files beside the records of a whole suite, without its
// figures.
var tableFiles = []struct {
	name  string
	write func(io.Writer, results.Report) error
}{
	{"tables.md", func(w io.Writer, r results.Report) error { return writeReport(w, r, "markdown", false) }},
	{"tables.tex", func(w io.Writer, r results.Report) error { return writeReport(w, r, "latex", false) }},
	{"tables.html", func(w io.Writer, r results.Report) error { return writeReport(w, r, "html", false) }},
	{"results.csv", func(w io.Writer, r results.Report) error { return results.WriteCSV(w, r.Rows) }},
	{"comparisons.csv", func(w io.Writer, r results.Report) error { return results.WriteComparisons(w, r.Comparisons) }},
}

// makeTableFolder makes the folder of the results and reports, before anything
// is measured, a table file that cannot be written.
func (s selection) makeTableFolder() error {
	if err := s.makeOut(); err != nil || s.isFiltered() {
		return err
	}
	for _, f := range tableFiles {
		if err := regular.Replaceable(filepath.Join(s.out, s.suite, f.name)); err != nil {
			return err
		}
	}
	return nil
}

// writeTables writes tables, figures and numbers beside the records of a whole
// suite.
func (s selection) writeTables(r results.Report) error {
	if s.isFiltered() {
		return nil
	}
	files := map[string][]byte{}
	for _, f := range tableFiles {
		var out bytes.Buffer
		if err := f.write(&out, r); err != nil {
			return err
		}
		files[f.name] = out.Bytes()
	}
	for _, f := range r.Figures {
		files[f.Name+".svg"], files[f.Name+".png"] = f.SVG, f.PNG
	}
	return s.writeFiles(filepath.Join(s.out, s.suite), files)
}

// writeFiles writes files of a folder of the results.
func (o *options) writeFiles(folder string, files map[string][]byte) error {
	for name, data := range files {
		if err := atomicfile.Root(o.out).Write(filepath.Join(folder, name), data); err != nil {
			return &harness.StoreError{Err: err}
		}
	}
	return nil
}
