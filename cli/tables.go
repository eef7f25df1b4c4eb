package cli

import (
	"fmt"
	"io"
	"strings"

	"dgsbench/results"
	"dgsbench/results/table"

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
	cmd.Flags().StringVar(&format, "format", "text", formatNames())
	o.addWhere(cmd)
	o.addData(cmd)
	o.addWhat(cmd)
	o.addDevice(cmd)
	o.addStale(cmd)
	return cmd
}

// writer renders the tables of a report; terminal says whether it may use bold
// and underlined text.
type writer func(w io.Writer, r results.Report, terminal bool) error

// tableFormats are the renderers.
var tableFormats = []struct {
	name  string
	write writer
}{
	{"text", writeText},
	{"markdown", writeMarkdown},
	{"latex", writeLaTeX},
	{"html", writeHTML},
	{"csv", writeTableCSV},
}

// formatNames lists the formats for people.
func formatNames() string {
	var names []string
	for _, f := range tableFormats {
		names = append(names, f.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// tableWriter finds the renderer of a format.
func tableWriter(format string) (writer, error) {
	for _, f := range tableFormats {
		if f.name == format {
			return f.write, nil
		}
	}
	return nil, fmt.Errorf("--format is %q, expected %s", format, formatNames())
}

func writeText(w io.Writer, r results.Report, terminal bool) error {
	return oneByOne(w, r, func(w io.Writer, t table.Table) error { return table.WriteText(w, t, terminal) })
}

func writeMarkdown(w io.Writer, r results.Report, _ bool) error {
	return oneByOne(w, r, table.WriteMarkdown)
}

func writeTableCSV(w io.Writer, r results.Report, _ bool) error {
	return oneByOne(w, r, table.WriteCSV)
}

func writeLaTeX(w io.Writer, r results.Report, _ bool) error { return table.WriteLaTeX(w, r.Tables) }

func writeHTML(w io.Writer, r results.Report, _ bool) error {
	return table.WriteHTML(w, r.Title, r.Tables, r.Figures)
}

// oneByOne writes the tables below each other.
func oneByOne(w io.Writer, r results.Report, write func(io.Writer, table.Table) error) error {
	for i, t := range r.Tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := write(w, t); err != nil {
			return err
		}
	}
	return nil
}

// print writes the report to standard output.
func (o *options) print(r results.Report, write writer) error {
	out, terminal := o.tableOutput()
	return write(out, r, terminal)
}

// tableOutput is where tables go, and whether it is a terminal: there they mark
// text themselves.
func (o *options) tableOutput() (out io.Writer, terminal bool) {
	if isTerminal(o.stdout) {
		return under(o.stdout), true
	}
	return o.stdout, false
}
