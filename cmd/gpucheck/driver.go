//go:build gpu

package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"time"

	"dgsbench/kernels/cuda/driver"
	"dgsbench/kernels/devices"
)

// Sizes of what the driver is timed with.
const (
	graphNodes   = 200       // launches of a graph: the batches of a latency test
	manyLaunches = 500       // on a stream: with about a thousand it is full, and the host has to wait
	manyCopies   = 100       // one after the other
	featureBytes = 137_600   // of a batch: 200 events x 172 features x 4
	bulkBytes    = 256 << 20 // of a copy that measures bandwidth
	tinyBulk     = 64 << 10  // the same on an emulated card
	nothing      = uint64(0) // how many numbers the kernel is to add
	emptyThreads = 32        // of its one block
)

// bare is a card with what its driver is timed with: one kernel, which is
// given nothing to do.
type bare struct {
	*measuring
	driver.Device
	stream        driver.Stream
	kernel        driver.Function
	from, to      driver.Event
	memory, other driver.Ptr
	pinned        []byte
	bulk          int
}

// measureDriver times what the design of the backend assumes of launches,
// graphs, copies and waits.
func measureDriver(m *measuring) error {
	d, err := driver.Open(cmp.Or(os.Getenv(devices.LibraryVariable), driver.Library), 0)
	if err != nil {
		return err
	}
	return d.Do(func() error {
		b := &bare{measuring: m, Device: d, bulk: bulkBytes}
		if m.tiny {
			b.bulk = tinyBulk
		}
		if err := b.prepare(); err != nil {
			return err
		}
		return errors.Join(b.launches(), b.graph(), b.waits(), b.copies())
	})
}

// prepare takes memory, and the kernel from beside the program.
func (b *bare) prepare() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	ptx, err := os.ReadFile(filepath.Join(filepath.Dir(program), "kernels", "cuda", "elementary.ptx"))
	if err != nil {
		return err
	}
	module, err := b.Load(string(ptx))
	if err != nil {
		return err
	}
	var errs [7]error
	b.kernel, errs[0] = b.Function(module, "add", 0)
	b.stream, errs[1] = b.NewStream()
	b.from, errs[2] = b.NewEvent()
	b.to, errs[3] = b.NewEvent()
	b.memory, errs[4] = b.Alloc(b.bulk)
	b.other, errs[5] = b.Alloc(b.bulk)
	b.pinned, errs[6] = b.Pinned(max(b.bulk, featureBytes))
	return errors.Join(errs[:]...)
}

// empty puts a launch that does nothing on the stream.
func (b *bare) empty() error {
	x := uint64(b.memory)
	return b.Launch(b.kernel, driver.Launch{Blocks: [2]int{1, 1}, Threads: emptyThreads}, b.stream, nothing, x, x, x)
}

// launches: what the host pays for one, and how long one takes on a stream.
func (b *bare) launches() error {
	var host []float64
	_, err := b.rounds(1, func() error {
		if err := b.Sync(b.stream); err != nil {
			return err
		}
		start := time.Now()
		err := repeated(manyLaunches, b.empty)
		host = append(host, time.Since(start).Seconds())
		return err
	})
	if err := errors.Join(err, b.Sync(b.stream)); err != nil {
		return err
	}
	stream, err := b.between(func() error { return repeated(manyLaunches, b.empty) })
	return errors.Join(err,
		b.tell("launch, on the host", last(host), manyLaunches, 0),
		b.tell("empty kernel on a stream, with its gap", stream, manyLaunches, 0))
}

// graph: the same for launches that are in one graph.
func (b *bare) graph() error {
	g, err := b.Capture(b.stream, func() error { return repeated(graphNodes, b.empty) })
	if err != nil {
		return err
	}
	whole, err := b.rounds(20, func() error { return errors.Join(b.Replay(g, b.stream), b.Sync(b.stream)) })
	if err != nil {
		return err
	}
	nodes, err := b.between(func() error { return b.Replay(g, b.stream) })
	return errors.Join(err,
		b.tell("graph of 200 empty kernels, from start to end of the wait", whole, 1, 0),
		b.tell("empty kernel in a graph of 200, with its gap", nodes, graphNodes, 0),
		b.FreeGraph(g))
}

// waits: to and fro between host and card.
func (b *bare) waits() error {
	idle, err := b.rounds(100, func() error { return b.Sync(b.stream) })
	if err != nil {
		return err
	}
	busy, err := b.rounds(100, func() error { return errors.Join(b.empty(), b.Sync(b.stream)) })
	return errors.Join(err,
		b.tell("wait for a stream with nothing on it", idle, 1, 0),
		b.tell("launch and wait", busy, 1, 0))
}

// copies of a batch's features, and of much.
func (b *bare) copies() error {
	upload := func(bytes int) func() error {
		return func() error { return b.Upload(b.memory, b.pinned[:bytes], b.stream) }
	}
	features := min(featureBytes, b.bulk)
	var all error
	for _, c := range []struct {
		name         string
		times, bytes int
		do           func() error
	}{
		{"features of a batch, pinned memory to card", manyCopies, features, upload(features)},
		{"bandwidth, pinned memory to card", 1, b.bulk, upload(b.bulk)},
		{"bandwidth, card to pinned memory", 1, b.bulk, func() error { return b.Download(b.pinned[:b.bulk], b.memory, b.stream) }},
		{"bandwidth, within the card", 1, b.bulk, func() error { return b.Copy(b.other, b.memory, b.bulk, b.stream) }},
	} {
		seconds, err := b.between(func() error { return repeated(c.times, c.do) })
		all = errors.Join(all, err, b.tell(c.name, seconds, c.times, c.bytes))
	}
	return all
}

// between times work by two marks on the stream, in rounds.
func (b *bare) between(work func() error) (all []float64, err error) {
	_, err = b.rounds(1, func() error {
		if err := errors.Join(b.Record(b.from, b.stream), work(), b.Record(b.to, b.stream), b.Wait(b.to)); err != nil {
			return err
		}
		ms, err := b.Elapsed(b.from, b.to)
		all = append(all, float64(ms)/1e3)
		return err
	})
	return last(all), err
}

// last are those of the rounds, after what has warmed up the card.
func last(seconds []float64) []float64 { return seconds[max(0, len(seconds)-numRounds):] }

// tell prints the time of one of many.
func (b *bare) tell(what string, seconds []float64, many, bytes int) error {
	for i := range seconds {
		seconds[i] /= float64(many)
	}
	return b.emit(Time{Task: driverTask, Model: what, Way: devices.CUDA, Seconds: seconds, Bytes: bytes})
}

func repeated(n int, do func() error) error {
	for range n {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}
