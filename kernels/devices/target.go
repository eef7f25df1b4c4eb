// Package devices is the one place that knows what there is to run kernels
// on: the processor, and the cards of CUDA in a build with the tag gpu.
package devices

import (
	"cmp"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"dgsbench/internal/ram"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
)

// The names of targets.
const (
	CPU  = "cpu"
	CUDA = "cuda"
)

// Target is what devices are made on. The zero value is the processor.
type Target struct{ card *card }

// card is a Target that is not the processor.
type card struct {
	level  string
	open   func() (kernels.Device, error)
	memory func() (free, total int, err error)
}

// connections is the number of streams that CUDA runs concurrently by default;
// the work of further streams waits (CUDA_DEVICE_MAX_CONNECTIONS).
const connections = 8

// Find returns the target of a name: cpu, cuda for the first card, or cuda:N
// for card N, from 0 on. An error says what is missing: there is no fallback.
func Find(name string) (Target, error) { return find(name, findCard) }

// FindElsewhere is like Find for work that other machines do: here is no card, and
// what would run on it to be timed runs on the processor.
func FindElsewhere(name string) (Target, error) {
	return find(name, func(int) (Target, error) { return cardElsewhere() })
}

func find(name string, card func(number int) (Target, error)) (Target, error) {
	if name == CPU {
		return Target{}, nil
	}
	device, number, numbered := strings.Cut(name, ":")
	n, err := strconv.Atoi(cmp.Or(number, "0"))
	if device != CUDA || numbered && number == "" || err != nil || n < 0 {
		return Target{}, fmt.Errorf("%q is no device, expected %s, %s or %s:N, N being the number of a card from 0 on", name, CPU, CUDA, CUDA)
	}
	return card(n)
}

// Name is the class of its kernels, as records and their identities have it.
func (t Target) Name() string {
	if t.card != nil {
		return CUDA
	}
	return cpu.Best().Class()
}

// Level describes its kernels: the processor's instruction set, or the name of
// a card and the version of its driver.
func (t Target) Level() string {
	if t.card != nil {
		return t.card.level
	}
	return cpu.Best().Level().String() + " kernels"
}

// SeparateMemory reports whether its devices have memory of their own: streams,
// snapshots and evaluations are in the host's then, and not beside the models.
func (t Target) SeparateMemory() bool { return t.card != nil }

// Unlimited is more memory than there is, in bytes.
const Unlimited = 1 << 62

// Memory is the memory of a target, which models on it share.
type Memory struct {
	Owner       string // "this machine" or "the card"
	Free, Total int64  // bytes; Total only of a card
	Known       bool   // not every system reports it: Free is Unlimited then
}

// Memory returns what is free now. On a card, what unreachable devices hold is
// freed first.
func (t Target) Memory() (m Memory) {
	if t.card == nil {
		m.Owner = "this machine"
		m.Free, m.Known = ram.Usable()
	} else {
		free, total, err := t.card.memory()
		m = Memory{"the card", int64(free), int64(total), err == nil}
	}
	if !m.Known {
		m.Free = Unlimited
	}
	return m
}

// Workers is the number of devices that it can keep busy, each from its own core.
func (t Target) Workers() int {
	if t.card == nil {
		return runtime.NumCPU()
	}
	return min(runtime.NumCPU(), connections)
}

// New makes a device for one goroutine. Threads are those of the processor.
func (t Target) New(threads int) (kernels.Device, error) {
	if t.card == nil {
		return cpu.NewDevice(cpu.Best(), threads), nil
	}
	return t.card.open()
}
