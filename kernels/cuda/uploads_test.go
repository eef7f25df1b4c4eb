//go:build gpu

package cuda_test

import (
	"runtime"
	"testing"
	"time"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
)

// TestWriteToForgotten: unreachable memory is not freed before the last write to
// it, which may still be collected with others.
func TestWriteToForgotten(t *testing.T) {
	for pieces := 1; pieces <= 2; pieces++ {
		d := cudatest.Device(t)
		var all []kernels.Buffer
		for range pieces {
			all = append(all, d.NewBuffer(5))
		}
		for _, b := range all {
			d.Write(b, make([]float32, b.Len()))
		}
		all = nil
		forget()
		d.Read(make([]float32, 1), d.NewBuffer(1)) // gives back what nobody uses, then writes
	}
}

// forget gives the collector time to tell what nobody uses any more.
func forget() {
	for range 5 {
		runtime.GC()
		time.Sleep(2 * time.Millisecond)
	}
}
