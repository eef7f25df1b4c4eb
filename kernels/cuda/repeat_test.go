//go:build gpu

package cuda_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
)

// TestNothingNestedInRecordings: what cannot be recorded panics, and
// the device goes on afterwards.
func TestNothingNestedInRecordings(t *testing.T) {
	const n = 3
	d := cudatest.Device(t)
	x := d.NewBuffer(n)
	double := func() { d.Affine(n, x, 2, x, 1) }
	again := d.(kernels.Repeater).Prepare(double)
	for what, f := range map[string]func(){
		"a repetition is asked for": again,
		"a repetition is made":      func() { d.(kernels.Repeater).Prepare(double) },
		"a recording is begun":      func() { _, _ = d.(kernels.Recorder).Record(false, double) },
	} {
		told := func() (told any) {
			defer func() { told = recover() }()
			_, _ = d.(kernels.Recorder).Record(false, f)
			return nil
		}()
		if want := "cuda: " + what + " while work is recorded"; fmt.Sprint(told) != want {
			t.Errorf("%v, expected %s", told, want)
		}
	}
	again()
	if got := read(d, x); got[n-1] != 1 {
		t.Errorf("%v afterwards", got)
	}
}

// TestRepetitionsAreGivenBack: unreachable graphs are freed when the card has
// finished their work.
func TestRepetitionsAreGivenBack(t *testing.T) {
	if !cudatest.Emulated(t) {
		t.Skip("there is a card, which does not say how many graphs it has")
	}
	const n, graphs, patience = 3, 5, 10 * time.Second
	d := cudatest.Device(t)
	x, before := d.NewBuffer(n), cudatest.Graphs(t)
	for range graphs {
		d.(kernels.Repeater).Prepare(func() { d.Affine(n, x, 2, x, 1) })()
	}
	for start := time.Now(); cudatest.Graphs(t) > before; {
		if time.Since(start) > patience {
			t.Fatalf("%d graphs, %d before", cudatest.Graphs(t), before)
		}
		runtime.GC()
		d.NewBuffer(1) // asks for what nobody uses
	}
	if got, want := read(d, x)[0], float32(1<<graphs-1); got != want {
		t.Errorf("%v, expected %v", got, want)
	}
}
