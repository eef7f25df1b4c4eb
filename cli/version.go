package cli

import (
	"fmt"

	"dgsbench/harness"
	"dgsbench/kernels/devices"

	"github.com/spf13/cobra"
)

func newVersion(o *options) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print version, numerics, class of kernels and machine", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			fmt.Fprintf(o.stdout, "code      %s\nnumerics  %d\nkernels   %s\nmachine   %s\n",
				harness.CodeVersion(), harness.Numerics, devices.Target{}.Name(), harness.Machine(devices.Target{}))
		},
	}
}
