package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dgsbench/harness"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/escape"
	"dgsbench/internal/regular"
	"dgsbench/internal/suggest"
	"dgsbench/results"
	"dgsbench/results/table"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// newPrinting returns a command that prints what has been measured, in one of some formats.
// One that has json also has --json.
func newPrinting(o options, use, short string, formats []string, print func(io.Writer, results.Report, string) error) *cobra.Command {
	var format string
	cmd := o.with(folderFlags+suiteFlags+"device allow-stale quiet", &cobra.Command{
		Use: use + " [SPEC.yaml...]", Short: short,
		RunE: o.choosing(false, func(_ context.Context, s selection) error {
			if o.asJSON {
				format = "json"
			}
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
	formatFlag(cmd, &format, formats)
	if slices.Contains(formats, "json") {
		cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
		cmd.MarkFlagsMutuallyExclusive("format", "json")
	}
	return cmd
}

func newTables(o options) *cobra.Command {
	var notes bool
	cmd := newPrinting(o, "tables", "Print the tables of what has been measured", tableFormats, func(w io.Writer, r results.Report, format string) error {
		if format == "text" {
			return printReport(w, r, notes)
		}
		return writeReport(w, r, format)
	})
	cmd.Flags().BoolVar(&notes, "notes", false, "print all footnotes, instead of the three most important ones of each table")
	return cmd
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

// formatFlag adds --format, whose default is the first one.
func formatFlag(cmd *cobra.Command, format *string, known []string) {
	cmd.Flags().StringVar(format, "format", known[0], suggest.Or(known))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)) // it fails for unknown flags only
}

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
		return table.WriteHTML(w, r.Title, r.Summary.Sentences(), r.Tables, r.Figures)
	case "text":
		return printReport(w, r, false)
	case "markdown":
		for _, line := range r.Summary.Sentences() {
			fmt.Fprintf(w, "- %s\n", escape.Markdown(line))
		}
		fmt.Fprintln(w)
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

// printReport prints the summary and the tables for people.
func printReport(w io.Writer, r results.Report, allNotes bool) error {
	screen := screenOf(w)
	screen.AllNotes = allNotes
	fmt.Fprintln(w, strings.Join(append(r.Summary.Lines(screen.Width), ""), "\n"))
	return printTables(w, screen, r.Tables...)
}

// printTables prints tables, which are bold and underlined on terminals.
func printTables(w io.Writer, screen table.Screen, tables ...table.Table) error {
	if screen.Terminal {
		w = unwrapWriter(w)
	}
	return table.WriteText(w, screen, tables...)
}

// screenOf returns what tables are printed on: they are as wide as the terminal,
// or as COLUMNS says, from 80 to 200 columns, and else 120.
func screenOf(w io.Writer) table.Screen {
	s := table.Screen{Width: 120, Terminal: isTerminal(w)}
	if s.Terminal {
		if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && width > 0 {
			s.Width = width
		}
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		s.Width = columns
	}
	s.Width = min(max(s.Width, 80), 200)
	return s
}

// writeTable writes Markdown, CSV, or text.
func writeTable(w io.Writer, t table.Table, format string) error {
	switch format {
	case "markdown":
		return table.WriteMarkdown(w, t)
	case "csv":
		return table.WriteCSV(w, t)
	}
	screen := screenOf(w)
	screen.AllNotes = true
	return printTables(w, screen, t)
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
		files[f.Name+".svg"] = f.SVG
		var err error
		if files[f.Name+".png"], err = f.PNG(); err != nil {
			return err
		}
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
