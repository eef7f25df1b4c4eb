package jodie

import (
	"math"

	"dgsbench/datasets"
	"dgsbench/models/internal/memory"
)

// interval is mean and deviation of the times from one event of a node to
// its next one.
type interval struct{ mean, deviation float64 }

// intervals are those of the training part's sources and destinations, a
// node's events as a source and as a destination apart. First events have
// none; deviations are divided by their number. A side without two different
// intervals is not scaled.
func intervals(train datasets.Stream) (out [2]interval) {
	for side, nodes := range [][]int32{memory.Source: train.Src, memory.Destination: train.Dst} {
		out[side] = intervalOf(nodes, train.Time, train.NumNodes)
	}
	return out
}

func intervalOf(nodes []int32, times []float64, numNodes int) interval {
	last := make([]float64, numNodes)
	for n := range last {
		last[n] = math.NaN()
	}
	count, mean, squares := 0., 0., 0. // Welford's sums
	for k, n := range nodes {
		if d := times[k] - last[n]; !math.IsNaN(d) {
			count++
			off := d - mean
			mean += off / count
			squares += off * (d - mean)
		}
		last[n] = times[k]
	}
	if squares == 0 {
		return interval{mean, 1}
	}
	return interval{mean, math.Sqrt(squares / count)}
}
