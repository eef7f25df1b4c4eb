//go:build gpu && cu

package driver

import (
	"unsafe"

	"gorgonia.org/cu"
)

// cu wraps each handle of the driver, a word, in a struct that hides it. The
// same word is a number here.

func (m Module) cu() cu.Module     { return *(*cu.Module)(unsafe.Pointer(&m)) }
func (f Function) cu() cu.Function { return *(*cu.Function)(unsafe.Pointer(&f)) }
func (s Stream) cu() cu.Stream     { return *(*cu.Stream)(unsafe.Pointer(&s)) }
func (e Event) cu() cu.Event       { return *(*cu.Event)(unsafe.Pointer(&e)) }

func moduleOf(m cu.Module) Module       { return *(*Module)(unsafe.Pointer(&m)) }
func functionOf(f cu.Function) Function { return *(*Function)(unsafe.Pointer(&f)) }
func streamOf(s cu.Stream) Stream       { return *(*Stream)(unsafe.Pointer(&s)) }
func eventOf(e cu.Event) Event          { return *(*Event)(unsafe.Pointer(&e)) }

// This compiles as long as they are words.
const (
	word         = unsafe.Sizeof(uintptr(0))
	_    uintptr = -(unsafe.Sizeof(cu.Module{}) ^ word)
	_    uintptr = -(unsafe.Sizeof(cu.Function{}) ^ word)
	_    uintptr = -(unsafe.Sizeof(cu.Stream{}) ^ word)
	_    uintptr = -(unsafe.Sizeof(cu.Event{}) ^ word)
)
