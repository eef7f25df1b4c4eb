package models

import (
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
)

// NewDevice makes what the model runs on. Only its own goroutine uses it.
func (s Setup) NewDevice() (kernels.Device, error) {
	if s.Device == nil {
		return cpu.NewDevice(cpu.Best(), s.Threads), nil
	}
	return s.Device(s.Threads)
}
