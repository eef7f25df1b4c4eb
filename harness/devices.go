package harness

import (
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
)

// Devices makes the devices of one model, and knows what they hold.
type Devices struct {
	on   devices.Target
	made []kernels.Device
}

// NewDevices makes them on the target.
func NewDevices(on devices.Target) *Devices { return &Devices{on: on} }

// Open makes one more: it is models.Setup's Device.
func (d *Devices) Open(threads int) (kernels.Device, error) {
	one, err := d.on.New(threads)
	if err == nil {
		d.made = append(d.made, one)
	}
	return one, err
}

// PeakMemory is the most bytes of a card that they have taken; 0 on the
// processor.
func (d *Devices) PeakMemory() (bytes int64) {
	for _, one := range d.made {
		bytes += kernels.PeakMemory(one)
	}
	return bytes
}
