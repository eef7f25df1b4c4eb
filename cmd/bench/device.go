package main

import (
	"fmt"
	"strings"

	"dgsbench/kernels/devices"

	"github.com/spf13/cobra"
)

// addDevice adds the flag that says what models run on, or of which device
// the records are.
func (o *options) addDevice(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.device, "device", devices.CPU, "what models run on: cpu, cuda, or cuda:N for card N")
}

// findDevice makes the device of the flag known to what is measured.
func (o *options) findDevice() (err error) {
	if o.target, err = devices.Find(o.device); err != nil {
		return fmt.Errorf("--device %s: %w", o.device, err)
	}
	return nil
}

// deviceName is what records call the device of the flag.
func (o *options) deviceName() string {
	name, _, _ := strings.Cut(o.device, ":")
	return name
}

// elsewhere is the value of the flag where it has to be given: empty for the
// processor.
func (o *options) elsewhere() string {
	if o.device == devices.CPU {
		return ""
	}
	return o.device
}
