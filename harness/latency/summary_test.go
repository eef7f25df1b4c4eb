package latency

import (
	"math"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dgsbench/results/record"
)

// TestMedian is the lower of the two in the middle where there are two.
func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{2, 1}, 1}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 3, 2, 1}, 2}, {[]float64{1, 1, 1, 8, 8}, 1}} {
		if got := median(c.values); got != c.want {
			t.Errorf("%v: %v, expected %v", c.values, got, c.want)
		}
	}
}

// TestTimingReport: quantiles are those of all batches, by nearest rank, and
// events a second go by the mean iteration.
func TestTimingReport(t *testing.T) {
	ns := make([]int64, 1000)
	for i := range ns {
		ns[i] = int64(i+1) * 1e6
	}
	got := newTimingSummary(record.Streaming, record.Timing{Batch: 4, Batches: 500}, ns)
	iterations := []float64{125.25, 375.25} // of 1 to 500 ms, of 501 to 1000
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"p50", got.P50, .5}, {"p90", got.P90, .9}, {"p99", got.P99, .99}, {"p99.9", got.P999, .999}, {"max", got.Max, 1},
		{"first iteration", got.Iterations[0], iterations[0]}, {"second iteration", got.Iterations[1], iterations[1]},
		{"events a second", got.EventsSecond, 4 * 500 / 250.25},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, expected %v", c.what, c.got, c.want)
		}
	}
	if len(got.Iterations) != 2 {
		t.Errorf("%d iterations", len(got.Iterations))
	}
}

// TestHistogram holds what was recorded, to three digits.
func TestHistogram(t *testing.T) {
	ns := []int64{1_000, 2_000, 3_000, 4_000, 123_456_789, int64(2 * time.Hour)}
	h, err := hdrhistogram.Decode([]byte(histogram(ns)))
	if err != nil {
		t.Fatal(err)
	}
	if h.TotalCount() != int64(len(ns)) {
		t.Errorf("%d values, expected %d", h.TotalCount(), len(ns))
	}
	for i, want := range []int64{1_000, 2_000, 3_000, 4_000, 123_456_789, int64(time.Hour)} {
		got := h.ValueAtPercentile(100 * (float64(i) + .5) / float64(len(ns)))
		if math.Abs(float64(got-want)) > 1e-3*float64(want) {
			t.Errorf("value %d is %d, expected %d", i, got, want)
		}
	}
}
