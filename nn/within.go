package nn

import (
	"math"
	"sync/atomic"
	"unsafe"

	"dgsbench/kernels"
)

// Largest is the largest magnitude of a number that networks are fed: a
// product of it with parameters, and the square of a gradient by them, are
// far from the end of float32.
const Largest = 1e15

// Within reports whether all numbers are within +-Largest; NaN is not.
func Within(x []float32) bool {
	const (
		signs  = 1<<63 | 1<<31
		beyond = math.MaxInt32 - 0x58635fa9 // what is missing from the bits of Largest to the sign
	)
	var found uint64 // in the places of the signs, of two numbers at a time
	for _, two := range unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2) {
		found |= two&^signs + (beyond<<32 | beyond)
	}
	if len(x)%2 > 0 {
		found |= uint64(math.Float32bits(x[len(x)-1])&^(1<<31) + beyond)
	}
	return found&signs == 0
}

// FromHostWithin is a Feed of cols numbers a row that the host has, as
// FromHost. It sets bad where one of them is not Within.
func FromHostWithin(cols int, host func() []float32, bad *atomic.Bool) Feed {
	return func(p Part) func() {
		return func() {
			x := host()[p.First*cols:][:p.Rows()*cols]
			p.Device.Write(p.At, x)
			if !Within(x) {
				bad.Store(true)
			}
		}
	}
}

// DrainTo is a Drain: row i of the value goes to the row of a table, cols
// wide, that the host lists as number i; nowhere if that is below zero. No row
// is listed twice. It sets bad, where that is not nil, if a number is not
// finite.
func DrainTo(cols int, table func() kernels.Buffer, list func() []int32, bad *atomic.Bool) Drain {
	return func(p Part) func() {
		index := p.Device.NewInts(p.Most)
		return func() {
			p.Device.WriteInts(index, list()[p.First:][:p.Rows()])
			p.Device.PutRows(p.Rows(), cols, table(), p.At, index)
			if bad != nil && !p.Device.IsFinite(p.Rows()*cols, p.At) {
				bad.Store(true)
			}
		}
	}
}
