package devices

import (
	"fmt"
	"strconv"
	"strings"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
)

// The names of targets.
const (
	CPU  = "cpu"
	CUDA = "cuda"
)

// Target is what devices are made on. The zero value is the processor.
type Target struct {
	card string
	open func() (kernels.Device, error) // nil for the processor
	room func() (free, total int, err error)
}

// Find is the target of a name: cpu, cuda for the first card, or cuda:N for
// card N, from 0 on. An error says what is missing: nothing else is taken
// instead.
func Find(name string) (Target, error) {
	number, err := parse(name)
	if err != nil || number < 0 {
		return Target{}, err
	}
	return findCard(number)
}

// parse gives the number of a card, or -1 for the processor.
func parse(name string) (number int, err error) {
	if name == CPU {
		return -1, nil
	}
	device, card, numbered := strings.Cut(name, ":")
	if numbered {
		number, err = strconv.Atoi(card)
	}
	if device != CUDA || err != nil || number < 0 {
		return -1, fmt.Errorf("%q is no device, expected %s, %s or %s:N, N being the number of a card from 0 on", name, CPU, CUDA, CUDA)
	}
	return number, nil
}

// Name is the class of its kernels, which records and their identities hold:
// that of its devices.
func (t Target) Name() string {
	if t.IsCard() {
		return CUDA
	}
	return cpu.Best().Class()
}

// Level is the exact one of its kernels: the processor's instruction set, or
// what a card calls itself and its driver's version.
func (t Target) Level() string {
	if t.IsCard() {
		return t.card
	}
	return cpu.Best().Level().String() + " kernels"
}

// IsCard reports whether it is a card, with memory of its own.
func (t Target) IsCard() bool { return t.open != nil }

// Memory is how many bytes of a card are free, and how many it has. What
// devices have left that are no longer reachable is given back first.
func (t Target) Memory() (free, total int, err error) { return t.room() }

// New makes a device for one goroutine. Threads are those of the processor.
func (t Target) New(threads int) (kernels.Device, error) {
	if t.open == nil {
		return cpu.NewDevice(cpu.Best(), threads), nil
	}
	return t.open()
}
