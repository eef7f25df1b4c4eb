//go:build gpu && cu

package driver

import (
	"errors"

	"gorgonia.org/cu"
)

// NewStream makes a stream that waits for no other.
func (c *card) NewStream() (Stream, error) {
	s, err := cu.MakeStream(cu.NonBlocking)
	return streamOf(s), check("cuStreamCreate", err)
}

// FreeStream gives it back.
func (c *card) FreeStream(s Stream) error {
	stream := s.cu()
	return check("cuStreamDestroy", stream.Destroy())
}

// Sync waits for everything on the stream.
func (c *card) Sync(s Stream) error { return check("cuStreamSynchronize", s.cu().Synchronize()) }

// NewEvent makes a mark.
func (c *card) NewEvent() (Event, error) {
	e, err := cu.MakeEvent(cu.DefaultEvent)
	return eventOf(e), check("cuEventCreate", err)
}

// FreeEvent gives it back.
func (c *card) FreeEvent(e Event) error {
	event := e.cu()
	return check("cuEventDestroy", cu.DestroyEvent(&event))
}

// Record marks the place that the stream has got to.
func (c *card) Record(e Event, s Stream) error { return check("cuEventRecord", e.cu().Record(s.cu())) }

// Wait waits until the stream has passed the mark.
func (c *card) Wait(e Event) error { return check("cuEventSynchronize", e.cu().Synchronize()) }

// Elapsed is the milliseconds between two marks.
func (c *card) Elapsed(from, to Event) (float32, error) {
	ms, err := from.cu().Elapsed(to.cu())
	return float32(ms), check("cuEventElapsedTime", err)
}

// Capture makes a graph of what f puts on the stream.
func (c *card) Capture(s Stream, f func() error) (g Graph, err error) {
	if err := s.beginCapture(); err != nil {
		return 0, err
	}
	err = f()
	recorded, endErr := s.endCapture()
	err = errors.Join(err, endErr)
	if err == nil {
		g, err = recorded.instantiate()
	}
	if recorded != 0 { // even if f failed
		err = errors.Join(err, recorded.destroy())
	}
	return g, err
}

// Replay puts all that a graph holds on the stream.
func (c *card) Replay(g Graph, s Stream) error { return g.launch(s) }

// FreeGraph gives it back.
func (c *card) FreeGraph(g Graph) error { return g.destroy() }
