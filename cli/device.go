package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dgsbench/kernels/devices"
	"dgsbench/results/record"

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

// ofDevice reports whether a record is of the flag's device, whatever the class
// of its kernels.
func (o *options) ofDevice(r record.Record) bool {
	of, _, _ := strings.Cut(r.Device, "/")
	return of == o.deviceName()
}

func (o *options) deviceName() string {
	name, _, _ := strings.Cut(o.device, ":")
	return name
}

// class is that of the kernels that this build has for the flag's device.
func (o *options) class() string {
	if o.deviceName() == devices.CPU {
		return devices.Target{}.Name()
	}
	return o.deviceName()
}

// ofOneClass keeps the records of this build's kernels, or if there are none
// those of the only class that there is, and says which it leaves out or
// takes.
func (o *options) ofOneClass(records []record.Record) ([]record.Record, error) {
	byClass := map[string][]record.Record{}
	for _, r := range records {
		byClass[r.Device] = append(byClass[r.Device], r)
	}
	own := byClass[o.class()]
	delete(byClass, o.class())
	others := strings.Join(slices.Sorted(maps.Keys(byClass)), ", ")
	switch {
	case len(byClass) > 0 && len(own) > 0:
		fmt.Fprintf(o.stderr, "%d records in %s are of other kernels (%s) and are left out: this build's are %s\n", len(records)-len(own), o.out, others, o.class())
	case len(byClass) == 1:
		fmt.Fprintf(o.stderr, "all records in %s are of other kernels (%s) than this build's, %s\n", o.out, others, o.class())
		own = records
	case len(byClass) > 1:
		return nil, fmt.Errorf("the records in %s are of several classes of kernels (%s), and none of this build's, %s; keep one class in a folder", o.out, others, o.class())
	}
	return own, nil
}

// elsewhere is the value of the flag where it has to be given: empty for the
// processor.
func (o *options) elsewhere() string {
	if o.device == devices.CPU {
		return ""
	}
	return o.device
}
