package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"dgsbench/specs"

	"github.com/spf13/cobra"
)

func newModels(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use: "models", Short: "List the models", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			lib, err := specs.NewLibrary(o.specs)
			if err != nil {
				return err
			}
			return o.listModels(lib)
		},
	}
	o.addSpecs(cmd)
	return cmd
}

func (o *options) listModels(lib *specs.Library) error {
	w := tabwriter.NewWriter(o.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MODEL\tTITLE\tTASKS\tCLASS\tVARIANTS\tPAGE")
	for _, id := range lib.ModelIDs() {
		m, err := lib.LoadModel(id)
		if err != nil {
			return err
		}
		var tasks []string
		for _, t := range m.Kind.Tasks {
			tasks = append(tasks, string(t))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", m.ID, m.Title,
			strings.Join(tasks, " "), m.Kind.Class, strings.Join(m.Variants(), " "), m.Page)
	}
	return w.Flush()
}
