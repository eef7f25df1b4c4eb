//go:build gpu

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"dgsbench/harness/latency"
	"dgsbench/kernels/cuda"
	"dgsbench/kernels/cuda/driver"
	"dgsbench/kernels/devices"
)

// measurement is what this program measures by itself, in processes of its own:
// the check opens no card, as that may be one for a single process.
type measurement struct {
	tiny  bool
	card  devices.Target
	times *json.Encoder // of Time
}

var measurements = map[string]func(m *measurement) error{
	"card": func(m *measurement) error {
		fmt.Println(m.card.Level())
		return nil
	},
	"driver":  measureDriver,
	"epochs":  measureEpochs,
	"ranking": measureRanking,
}

// measureOwn prints the times of one measurement, a line of JSON each.
func measureOwn(what string, tiny bool) error {
	do := measurements[what]
	if do == nil {
		return fmt.Errorf("%w: -measure %s, expected card, driver, epochs or ranking", errUsage, what)
	}
	card, err := devices.Find(devices.CUDA)
	if err != nil {
		return errors.Join(errNoCard, err)
	}
	return do(&measurement{tiny: tiny, card: card, times: json.NewEncoder(os.Stdout)})
}

// stopwatch returns the seconds that a piece of work took.
type stopwatch func(work func() error) (float64, error)

// onHost is the host's clock.
func onHost(work func() error) (float64, error) {
	start := time.Now()
	err := work()
	return time.Since(start).Seconds(), err
}

// rounds measures ten rounds on a warm card: the clock of an idle one is slow. A
// round is the median of some repetitions where one alone is too short.
func (m *measurement) rounds(repetitions int, with stopwatch, work func() error) (all []float64, err error) {
	rounds, warm := 10, 500*time.Millisecond
	if m.tiny {
		rounds, warm, repetitions = 2, 0, 1
	}
	for start, isWarm := time.Now(), false; !isWarm; isWarm = time.Since(start) >= warm {
		if _, err := with(work); err != nil {
			return nil, err
		}
	}
	for range rounds {
		var round []float64
		for range repetitions {
			seconds, err := with(work)
			if err != nil {
				return nil, err
			}
			round = append(round, seconds)
		}
		all = append(all, latency.Middle(round))
	}
	return all, nil
}

// Sizes of what the driver is measured with.
const (
	graphNodes   = 200       // launches of a graph: the batches of a latency test
	manyLaunches = 500       // on a stream: with about a thousand it is full, and the host has to wait
	manyCopies   = 100       // one after the other
	featureBytes = 137_600   // of a batch: 200 events x 172 features x 4
	bulkBytes    = 256 << 20 // of a copy that measures bandwidth
	tinyBulk     = 64 << 10  // the same on an emulated card
)

// bare is a card with what its driver is measured with, and one kernel.
type bare struct {
	*driver.Device
	kernel        driver.Function
	stream        driver.Stream
	from, to      driver.Event
	memory, other driver.Ptr
	pinned        []byte
	bulk          int
}

// measureDriver measures the costs that the design of kernels/cuda assumes.
func measureDriver(m *measurement) error {
	d, err := driver.Open(cmp.Or(os.Getenv(devices.LibraryVariable), driver.Library), 0)
	if err != nil {
		return err
	}
	return d.Do(func() error {
		b := &bare{Device: d, bulk: bulkBytes}
		if m.tiny {
			b.bulk = tinyBulk
		}
		if err := b.prepare(); err != nil {
			return err
		}
		return b.measure(m)
	})
}

// prepare allocates memory, and loads the kernel.
func (b *bare) prepare() error {
	ptx, err := cuda.Modules.ReadFile("elementary.ptx")
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

func (b *bare) measure(m *measurement) error {
	graph, err := b.Capture(b.stream, repeat(graphNodes, b.launch))
	if err != nil {
		return err
	}
	wait := func() error { return b.Sync(b.stream) }
	replay := func() error { return b.Replay(graph, b.stream) }
	features := min(featureBytes, b.bulk)
	upload := func(bytes int) func() error {
		return func() error { return b.Upload(b.memory, b.pinned[:bytes], b.stream) }
	}
	for _, c := range []struct {
		name        string
		with        stopwatch
		repetitions int
		parts       int // launches or copies of the work
		bytes       int
		work        func() error
	}{
		{"launch, on the host", b.afterWait, 1, manyLaunches, 0, repeat(manyLaunches, b.launch)},
		{"empty kernel on a stream, with its gap", b.onStream, 1, manyLaunches, 0, repeat(manyLaunches, b.launch)},
		{"graph of 200 empty kernels, from start to end of the wait", onHost, 20, 1, 0, inOrder(replay, wait)},
		{"empty kernel in a graph of 200, with its gap", b.onStream, 1, graphNodes, 0, replay},
		{"wait for a stream with nothing on it", onHost, 100, 1, 0, wait},
		{"launch and wait", onHost, 100, 1, 0, inOrder(b.launch, wait)},
		{"features of a batch, pinned memory to card", b.onStream, 1, manyCopies, features, repeat(manyCopies, upload(features))},
		{"bandwidth, pinned memory to card", b.onStream, 1, 1, b.bulk, upload(b.bulk)},
		{"bandwidth, card to pinned memory", b.onStream, 1, 1, b.bulk, func() error { return b.Download(b.pinned[:b.bulk], b.memory, b.stream) }},
		{"bandwidth, within the card", b.onStream, 1, 1, b.bulk, func() error { return b.Copy(b.other, b.memory, b.bulk, b.stream) }},
	} {
		seconds, roundsErr := m.rounds(c.repetitions, c.with, c.work)
		for i := range seconds {
			seconds[i] /= float64(c.parts)
		}
		err = errors.Join(err, roundsErr, wait(), m.times.Encode(Time{Task: driverTask, Model: c.name, Way: devices.CUDA, Seconds: seconds, Bytes: c.bytes}))
	}
	return errors.Join(err, b.FreeGraph(graph))
}

// launch puts a kernel on the stream that adds no numbers.
func (b *bare) launch() error {
	const numbers, threads = 0, 32
	x := uint64(b.memory)
	return b.Launch(b.kernel, driver.Launch{Blocks: [2]int{1, 1}, Threads: threads}, b.stream, numbers, x, x, x)
}

// onStream measures by two events on the stream.
func (b *bare) onStream(work func() error) (float64, error) {
	if err := errors.Join(b.Record(b.from, b.stream), work(), b.Record(b.to, b.stream), b.Wait(b.to)); err != nil {
		return 0, err
	}
	ms, err := b.Elapsed(b.from, b.to)
	return float64(ms) / 1e3, err
}

// afterWait measures what the host needs when the stream is empty.
func (b *bare) afterWait(work func() error) (float64, error) {
	if err := b.Sync(b.stream); err != nil {
		return 0, err
	}
	return onHost(work)
}

func repeat(n int, work func() error) func() error {
	return func() error {
		for range n {
			if err := work(); err != nil {
				return err
			}
		}
		return nil
	}
}

func inOrder(first, second func() error) func() error {
	return func() error { return errors.Join(first(), second()) }
}
