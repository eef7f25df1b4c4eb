//go:build gpu && !cu

package driver

import (
	"errors"
	"unsafe"
)

// nonBlocking: the stream waits for no other.
const nonBlocking = 1

// NewStream makes a stream.
func (c *card) NewStream() (s Stream, err error) {
	err = c.check("cuStreamCreate", call(c.newStream, uintptr(unsafe.Pointer(&s)), nonBlocking))
	return s, err
}

// FreeStream gives it back.
func (c *card) FreeStream(s Stream) error {
	return c.check("cuStreamDestroy", call(c.freeStream, uintptr(s)))
}

// Sync waits for everything on the stream.
func (c *card) Sync(s Stream) error {
	return c.check("cuStreamSynchronize", call(c.syncStream, uintptr(s)))
}

// NewEvent makes a mark.
func (c *card) NewEvent() (e Event, err error) {
	err = c.check("cuEventCreate", call(c.newEvent, uintptr(unsafe.Pointer(&e)), 0))
	return e, err
}

// FreeEvent gives it back.
func (c *card) FreeEvent(e Event) error {
	return c.check("cuEventDestroy", call(c.freeEvent, uintptr(e)))
}

// Record marks the place that the stream has got to.
func (c *card) Record(e Event, s Stream) error {
	return c.check("cuEventRecord", call(c.recordEvent, uintptr(e), uintptr(s)))
}

// Wait waits until the stream has passed the mark.
func (c *card) Wait(e Event) error {
	return c.check("cuEventSynchronize", call(c.waitEvent, uintptr(e)))
}

// Elapsed is the milliseconds between two marks.
func (c *card) Elapsed(from, to Event) (ms float32, err error) {
	err = c.check("cuEventElapsedTime", call(c.elapsed, uintptr(unsafe.Pointer(&ms)), uintptr(from), uintptr(to)))
	return ms, err
}

// ofThisThread: only calls of the capturing thread are recorded or refused.
const ofThisThread = 1

// Capture makes a graph of what f puts on the stream.
func (c *card) Capture(s Stream, f func() error) (g Graph, err error) {
	if err := c.check("cuStreamBeginCapture", call(c.beginCapture, uintptr(s), ofThisThread)); err != nil {
		return 0, err
	}
	err = f()
	var recorded uintptr
	err = errors.Join(err, c.check("cuStreamEndCapture", call(c.endCapture, uintptr(s), uintptr(unsafe.Pointer(&recorded)))))
	if err == nil {
		err = c.check("cuGraphInstantiate", call(c.instantiate, uintptr(unsafe.Pointer(&g)), recorded, 0))
	}
	if recorded != 0 { // even if f failed
		err = errors.Join(err, c.check("cuGraphDestroy", call(c.freeGraph, recorded)))
	}
	return g, err
}

// Replay puts all that a graph holds on the stream.
func (c *card) Replay(g Graph, s Stream) error {
	return c.check("cuGraphLaunch", call(c.replay, uintptr(g), uintptr(s)))
}

// FreeGraph gives it back.
func (c *card) FreeGraph(g Graph) error {
	return c.check("cuGraphExecDestroy", call(c.freeInstance, uintptr(g)))
}
