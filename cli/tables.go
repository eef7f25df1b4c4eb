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

// newPrinting returns a command that prints what has been measured, in one of some formats.
func newPrinting(o options, use, short string, formats []string, print func(io.Writer, results.Report, string) error) *cobra.Command {
	var format string
	cmd := o.with(folderFlags+suiteFlags+"device allow-stale", &cobra.Command{
		Use: use + " [SPEC.yaml...]", Short: short,
		RunE: o.choosing(false, func(_ context.Context, s selection) error {
			if err := checkFormat(format, formats); err != nil {
				return err
			}
			r, err := s.report(false)
			if err != nil {
				return err
			}
			return print(o.stdout, r, format)
		}),
	})
	cmd.Flags().StringVar(&format, "format", formats[0], suggest.Or(formats))
	return cmd
}

func newTables(o options) *cobra.Command {
	return newPrinting(o, "tables", "Print the tables of what has been measured", tableFormats, writeReport)
}

func newResults(o options) *cobra.Command {
	const short = "Print the numbers of what has been measured, for machines"
	return newPrinting(o, "results", short, []string{"csv", "json"}, func(w io.Writer, r results.Report, format string) error {
		if format == "json" {
			return results.WriteJSON(w, r.Rows)
		}
		return results.WriteCSV(w, r.Rows)
	})
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
func writeReport(w io.Writer, r results.Report, format string) error {
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
		if err := writeTable(w, t, format); err != nil {
			return err
		}
	}
	return nil
}

// writeTable writes Markdown, CSV, or text, which is bold and underlined on terminals.
func writeTable(w io.Writer, t table.Table, format string) error {
	switch {
	case format == "markdown":
		return table.WriteMarkdown(w, t)
	case format == "csv":
		return table.WriteCSV(w, t)
	case isTerminal(w):
		return table.WriteText(unwrapWriter(w), t, true)
	}
	return table.WriteText(w, t, false)
}

// tableFiles are the files beside the records of a whole suite, but for figures.
var tableFiles = []struct {
	name  string
	write func(io.Writer, results.Report) error
}{
	{"tables.md", func(w io.Writer, r results.Report) error { return writeReport(w, r, "markdown") }},
	{"tables.tex", func(w io.Writer, r results.Report) error { return writeReport(w, r, "latex") }},
	{"tables.html", func(w io.Writer, r results.Report) error { return writeReport(w, r, "html") }},
	{"results.csv", func(w io.Writer, r results.Report) error { return results.WriteCSV(w, r.Rows) }},
	{"comparisons.csv", func(w io.Writer, r results.Report) error { return results.WriteComparisons(w, r.Comparisons) }},
}

// makeTableFolder makes the folder of the results, where tables must be replaceable.
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

// writeTables writes a whole suite's tables, figures and numbers beside its records.
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

func (o *options) writeFiles(folder string, files map[string][]byte) error {
	for name, data := range files {
		if err := atomicfile.Root(o.out).Write(filepath.Join(folder, name), data); err != nil {
			return &harness.StoreError{Err: err}
		}
	}
	return nil
}
