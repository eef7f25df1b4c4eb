//go:build gpu

package driver_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unsafe"

	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/cuda/driver"
)

// refusal is a mistake of a program, and what the emulated card says to it.
type refusal struct {
	name string
	want string // with the name of the driver's error
	do   func(a adder) error
}

// TestEmulatorRefuses what a card would refuse, or what it may let pass or
// not.
func TestEmulatorRefuses(t *testing.T) {
	for _, all := range [][]refusal{launchRefusals, memoryRefusals, captureRefusals, handleRefusals} {
		for _, r := range all {
			t.Run(r.name, func(t *testing.T) { on(t, func(d *driver.Device) error { return r.check(t, d) }) })
		}
	}
}

func (r refusal) check(t *testing.T, d *driver.Device) error {
	if !emulated(d) {
		t.Skip("there is a card")
	}
	a, err := newAdder(t, d)
	if err != nil {
		return err
	}
	err = r.do(a)
	cudatest.Renew(t)
	if err == nil || !strings.Contains(err.Error(), r.want) {
		t.Errorf("%v, expected %s", err, r.want)
	}
	return nil
}

// add launches the kernel, and waits.
func (a adder) add(size driver.Launch, n, dst, x, y uint64) error {
	return errors.Join(a.Launch(a.kernel, size, a.stream, n, dst, x, y), a.Sync(a.stream))
}

// nothing is launched with a size that no card takes.
func (a adder) nothing(blocks [2]int, threads, shared int) error {
	x := uint64(a.memory)
	return a.Launch(a.kernel, driver.Launch{Blocks: blocks, Threads: threads, Shared: shared}, a.stream, 0, x, x, x)
}

var oneBlock = driver.Launch{Blocks: [2]int{1, 1}, Threads: 32}

var launchRefusals = []refusal{
	{"no block", "CUDA_ERROR_INVALID_VALUE: add: a launch of nothing", func(a adder) error { return a.nothing([2]int{0, 1}, 32, 0) }},
	{"no thread", "CUDA_ERROR_INVALID_VALUE: add: a launch of nothing", func(a adder) error { return a.nothing([2]int{1, 1}, 0, 0) }},
	{"many blocks in y", "CUDA_ERROR_INVALID_VALUE: add: more blocks", func(a adder) error { return a.nothing([2]int{1, 1 << 16}, 32, 0) }},
	{"many blocks in x", "CUDA_ERROR_INVALID_VALUE: add: more blocks", func(a adder) error { return a.nothing([2]int{1 << 31, 1}, 32, 0) }},
	{
		"more threads than in its launch bounds", "CUDA_ERROR_INVALID_VALUE: add: more threads than it was compiled for",
		func(a adder) error { return a.nothing([2]int{1, 1}, 1024, 0) },
	},
	{"shared memory", "CUDA_ERROR_INVALID_VALUE: add: more shared memory", func(a adder) error { return a.nothing([2]int{1, 1}, 32, 4) }},
	{"shared memory of the card", "CUDA_ERROR_INVALID_VALUE: more shared memory than the card has", func(a adder) error {
		_, err := a.Function(a.module, "add", 228<<10)
		return err
	}},
	{"another module's kernel", "CUDA_ERROR_NOT_FOUND: there is no kernel gemm", func(a adder) error {
		_, err := a.Function(a.module, "gemm", 0)
		return err
	}},
	{"stale PTX", "fake compiler: the PTX is not that of the source: parameter 3 of add", func(a adder) error {
		ptx, err := os.ReadFile("../elementary.ptx")
		if err != nil {
			return err
		}
		_, err = a.Load(strings.Replace(string(ptx), ".param .u64 add_param_3", ".param .u32 add_param_3", 1))
		return err
	}},
	{"no PTX", "CUDA_ERROR_INVALID_PTX", func(a adder) error {
		_, err := a.Load("hello")
		return err
	}},
}

var memoryRefusals = []refusal{
	{"nothing", "CUDA_ERROR_INVALID_VALUE: an allocation of nothing", func(a adder) error {
		_, err := a.Alloc(0)
		return err
	}},
	{"memory of Go", "CUDA_ERROR_INVALID_VALUE: a copy beyond memory", func(a adder) error { return a.Upload(a.memory, make([]byte, 8), a.stream) }},
	{"a copy too far", "CUDA_ERROR_INVALID_VALUE: a copy beyond memory", func(a adder) error { return a.Clear(a.memory, 4*adderNumbers+1, a.stream) }},
	{"a kernel too far", "CUDA_ERROR_ILLEGAL_ADDRESS: add: touches memory that is not there", func(a adder) error {
		x := uint64(a.memory)
		return a.add(driver.Launch{Blocks: [2]int{9, 1}, Threads: 256}, 2000, x, x, x)
	}},
	{"a kernel reads memory of Go", "CUDA_ERROR_ILLEGAL_ADDRESS: add: parameter 3 points to no memory of the card", func(a adder) error {
		x, host := uint64(a.memory), make([]float32, 1)
		return a.add(oneBlock, 1, x, x, uint64(uintptr(unsafe.Pointer(&host[0]))))
	}},
	{"between numbers", "CUDA_ERROR_MISALIGNED_ADDRESS: add: parameter 3 is misaligned", func(a adder) error {
		x := uint64(a.memory)
		return a.add(oneBlock, 1, x, x, x+2)
	}},
	{"after a failure", "CUDA_ERROR_MISALIGNED_ADDRESS: add: parameter 3 is misaligned", func(a adder) error {
		x := uint64(a.memory)
		_ = a.add(oneBlock, 1, x, x, x+2)
		_, err := a.Alloc(8)
		return err
	}},
	{"given back before it is copied", "CUDA_ERROR_ILLEGAL_ADDRESS: memory was given back before it was copied", func(a adder) error {
		p, err := a.Alloc(8)
		return errors.Join(err, a.Clear(p, 8, a.stream), a.Free(p), a.Sync(a.stream))
	}},
}

// meanwhile does something while the stream is captured.
func meanwhile(do func(a adder) error) func(a adder) error {
	return func(a adder) error {
		_, err := a.Capture(a.stream, func() error { return do(a) })
		return err
	}
}

const meanwhileNot = "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: "

var captureRefusals = []refusal{
	{"an allocation", meanwhileNot + "an allocation while this thread captures a stream", meanwhile(func(a adder) error {
		_, err := a.Alloc(8)
		return err
	})},
	{"pinned memory", meanwhileNot + "an allocation while this thread captures a stream", meanwhile(func(a adder) error {
		_, err := a.Pinned(8)
		return err
	})},
	{"giving back", meanwhileNot + "giving memory back while this thread captures a stream", meanwhile(func(a adder) error { return a.Free(a.memory) })},
	{"a wait", meanwhileNot + "waiting for a stream that is captured", meanwhile(func(a adder) error { return a.Sync(a.stream) })},
	{"an event", meanwhileNot + "waiting for an event while this thread captures a stream", meanwhile(func(a adder) error {
		e, err := a.NewEvent()
		return errors.Join(err, a.Record(e, a.stream), a.Wait(e))
	})},
	{"a copy of nothing", "CUDA_ERROR_INVALID_VALUE: a copy of nothing in a graph", meanwhile(func(a adder) error { return a.Clear(a.memory, 0, a.stream) })},
	{"a capture", "CUDA_ERROR_ILLEGAL_STATE: the stream is captured already", meanwhile(meanwhile(adder.double))},
	{"a graph", meanwhileNot + "launching a graph while the stream is captured", func(a adder) error {
		g, err := a.Capture(a.stream, a.double)
		return errors.Join(err, meanwhile(func(a adder) error { return a.Replay(g, a.stream) })(a), a.FreeGraph(g))
	}},
	// What comes after one of these is no part of a graph, either.
	{"goes on", "cuMemcpyHtoDAsync: error 901 of the CUDA driver, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", meanwhile(func(a adder) error {
		_ = a.Sync(a.stream)
		return a.double()
	})},
	{"ends", "cuStreamEndCapture: error 901 of the CUDA driver, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", meanwhile(func(a adder) error {
		_ = a.Sync(a.stream)
		return nil
	})},
	{"another thread waits", "cuStreamEndCapture: error 901 of the CUDA driver, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", meanwhile(func(a adder) error {
		waited := make(chan error)
		go func() { waited <- a.Do(func() error { return a.Sync(a.stream) }) }()
		if err := <-waited; err == nil {
			return errors.New("another thread has waited for a stream that is captured")
		}
		return nil
	})},
}

var handleRefusals = []refusal{
	{"a stream that is gone", "CUDA_ERROR_INVALID_HANDLE", func(a adder) error {
		s, err := a.NewStream()
		return errors.Join(err, a.FreeStream(s), a.Clear(a.memory, 4, s))
	}},
	{"an event that was never recorded", "CUDA_ERROR_INVALID_HANDLE: an event that was never recorded", func(a adder) error {
		e, err := a.NewEvent()
		_, elapsedErr := a.Elapsed(e, e)
		return errors.Join(err, elapsedErr, a.FreeEvent(e))
	}},
	{"a graph that is given back while it is at work", "CUDA_ERROR_LAUNCH_FAILED: a graph was given back before its work was done", func(a adder) error {
		g, err := a.Capture(a.stream, a.double)
		return errors.Join(err, a.Replay(g, a.stream), a.FreeGraph(g), a.Sync(a.stream))
	}},
}
