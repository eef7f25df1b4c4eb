package cli

import (
	"fmt"

	"dgsbench/models/external"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

func newServeModel(o options) *cobra.Command {
	var at specs.Place
	cmd := o.with("specs device", &cobra.Command{
		Use: "serve-model MODEL", Short: "Serve a model of this program as an external one", Args: cobra.ExactArgs(1),
		Long: "serve-model answers the requests of docs/external.md on standard input and\n" +
			"output, as a PyTorch model does: a spec of the kind external with this command\n" +
			"measures what the pipe costs. The options are those of the model's own spec.",
		Example: "  options: {command: [bench, serve-model, raw]}",
		RunE: func(cmd *cobra.Command, args []string) error {
			lib, err := o.library()
			if err != nil {
				return err
			}
			id, variant := specs.SplitRef(args[0])
			m, err := lib.LoadModel(id)
			if err != nil {
				return err
			}
			r, err := m.Resolve(at, variant)
			if err != nil {
				return err
			}
			on, err := o.findDevice()
			if err != nil {
				return err
			}
			served := external.Served{Name: args[0], Kind: m.Kind, Options: r.Options, Device: on.New}
			if err := external.Serve(cmd.InOrStdin(), unwrapWriter(o.stdout), served); err != nil {
				return failure{fmt.Errorf("serve-model %s: %w", args[0], err)}
			}
			return nil
		},
	})
	addPlace(cmd, &at)
	return cmd
}
