package devicetest

import (
	"slices"
	"testing"

	"dgsbench/kernels"
)

// checkThreads: Parallel runs every thread once and waits for all, and each
// works on the device's buffers, all at the same time.
func checkThreads(t *testing.T, d kernels.Device) {
	const width = 1000
	threads := d.Threads()
	if threads < 1 {
		t.Fatalf("%s: %d threads", d.Name(), threads)
	}
	host := make([]float32, threads*width)
	for i := range host {
		host[i] = float32(i)
	}
	x, sums := d.NewBuffer(len(host)), d.NewBuffer(len(host))
	d.Write(x, host)
	for round := range 50 {
		runs := make([]int, threads)
		d.Parallel(func(thread int) {
			runs[thread]++
			own := d.Thread(thread)
			if n := own.Threads(); n != 1 {
				t.Errorf("%s: thread %d is a device of %d threads", d.Name(), thread, n)
			}
			part := own.View(sums, thread*width, width)
			own.Add(width, part, part, own.View(x, thread*width, width))
		})
		if slices.ContainsFunc(runs, func(n int) bool { return n != 1 }) {
			t.Fatalf("%s: round %d runs the threads %v times", d.Name(), round, runs)
		}
	}
	d.Add(len(host), sums, sums, x) // after all of them
	got := make([]float32, len(host))
	d.Read(got, sums)
	for i, v := range got {
		if v != 51*host[i] {
			t.Fatalf("%s: number %d is %v, expected %v", d.Name(), i, v, 51*host[i])
		}
	}
}
