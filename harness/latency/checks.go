package latency

import (
	"fmt"
	"slices"
	"time"

	"dgsbench/internal/lists"

	"gonum.org/v1/gonum/stat"
)

// Limits beyond which there is a warning. They are about medians or about all
// iterations, so that short disturbances cause none.
const (
	// The runtime itself allocates an object now and then, for a waiting goroutine.
	strayObjects = 100
	strayBytes   = 16 << 10

	slowStart   = 3    // the first timed batch by a later one ...
	startShare  = 0.01 // ... if that is this share of an iteration
	slowRound   = 1.5  // the first timed iteration by the slowest later one
	firstUse    = 50   // the very first answer by a later one ...
	firstUseMin = 1e-3 // ... in seconds
	covered     = 0.98 // of an iteration, by the samples
	clockSlack  = 20 * time.Microsecond
)

// warnings says what makes the iterations of one timing doubtful. first is the
// time of the very first answer.
func warnings(all []observation, first time.Duration) []string {
	var out []string
	warn := func(bad bool, format string, args ...any) {
		if bad {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	var objects, bytes uint64
	var collections uint32
	least, slowest := all[0].objects, 0.0
	for i, o := range all {
		objects, bytes, least = max(objects, o.objects), max(bytes, o.bytes), min(least, o.objects)
		collections += o.collections
		if i > 0 {
			slowest = max(slowest, total(o))
		}
	}
	warn(least > 0 || objects > strayObjects || bytes > strayBytes, "up to %d objects, %d bytes, were allocated in a timed iteration", objects, bytes)
	warn(collections > 0, "garbage was collected %d times in the timed part", collections)

	share := coverage(all)
	warn(share < covered, "the samples cover only %.1f %% of the timed part", 100*share)
	batch := medianOf(all, func(o observation) float64 { return median(seconds(o.samples)) })
	start := medianOf(all, func(o observation) float64 { return float64(o.samples[0]) / 1e9 })
	warn(start > slowStart*batch && start-batch > startShare*medianOf(all, total), "the first batch after the start of the clock takes %.1f times the median one", start/batch)
	ratio := total(all[0]) / slowest
	warn(ratio > slowRound, slowRoundText, ratio)
	warn(first.Seconds() > max(firstUseMin, firstUse*batch), "its very first answer, which is not timed, took %.3g s, %.0f times the median one",
		first.Seconds(), first.Seconds()/batch)
	return out
}

const slowRoundText = "the first timed iteration took %.1f times the slowest of the others"

// graphWarnings returns those of a graph's iterations: a clock that still rose.
func graphWarnings(iterations []float64) []string {
	if ratio := iterations[0] / slices.Max(iterations[1:]); ratio > slowRound {
		return []string{fmt.Sprintf(slowRoundText, ratio)}
	}
	return nil
}

// coverage returns the share of an iteration that is in its samples: the median of all.
func coverage(all []observation) float64 {
	return medianOf(all, func(o observation) float64 {
		wall := (o.wall - clockSlack).Seconds()
		if wall <= 0 {
			return 1
		}
		return total(o) / wall
	})
}

// total returns the sum of the samples, in seconds.
func total(o observation) float64 {
	sum := 0.0
	for _, ns := range o.samples {
		sum += float64(ns)
	}
	return sum / 1e9
}

func seconds(ns []int64) []float64 {
	return lists.Map(ns, func(n int64) float64 { return float64(n) / 1e9 })
}

func medianOf(all []observation, of func(observation) float64) float64 {
	return median(lists.Map(all, of))
}

// median returns the smallest value that half of them do not exceed.
func median(values []float64) float64 {
	return stat.Quantile(.5, stat.Empirical, slices.Sorted(slices.Values(values)), nil)
}
