package cli

import (
	"fmt"

	"dgsbench/protocol"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

func newSpec(o *options) *cobra.Command {
	cmd := &cobra.Command{Use: "spec", Short: "Look at model specs", Args: cobra.NoArgs}
	var at specs.Place
	show := &cobra.Command{
		Use: "show MODEL", Short: "Print every option of a model with its origin", Args: cobra.ExactArgs(1),
		Example: "  bench spec show graph-sprints\n  bench spec show edgebank+tw",
		RunE: func(_ *cobra.Command, args []string) error {
			lib, err := specs.NewLibrary(o.specs)
			if err != nil {
				return err
			}
			text, err := lib.Show(args[0], at)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(o.stdout, text)
			return err
		},
	}
	o.addSpecs(show)
	show.Flags().StringVar(&at.Dataset, "dataset", "", "as it is on this dataset")
	show.Flags().StringVar((*string)(&at.Task), "task", "", "as it is for this task ("+string(protocol.NodeClassification)+", "+string(protocol.LinkPrediction)+")")
	show.Flags().StringVar((*string)(&at.Setting), "setting", "", "as it is in this setting (T, I)")
	cmd.AddCommand(show)
	return cmd
}
