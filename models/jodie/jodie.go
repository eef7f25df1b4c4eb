// Package jodie is Jodie as the Deep-Graph-Sprints paper and the TGN
// repository have it: TGN's memory, and a projection of it by the time since
// its last update. The original's recurrent cell is an option.
package jodie

import (
	"cmp"
	"fmt"
	"math"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/internal/memory"
)

// Options of Jodie.
type Options struct {
	Memory    memory.Options   `yaml:"memory"`
	Optimiser memory.Optimiser `yaml:"optimiser"`

	memory.Classification `yaml:",inline"`
}

// Defaults are those of TGN in PyTorch Geometric's example, but for the
// learning rate (docs/tuning.md).
func Defaults() *Options {
	return &Options{
		Memory: memory.Defaults(), Optimiser: memory.Optimiser{LR: 1e-3}, Classification: memory.ClassificationDefaults(),
	}
}

// Validate returns an error for the first value that is out of range.
func (o *Options) Validate() error {
	return cmp.Or(o.Memory.Validate(), o.Optimiser.Validate(), o.Check(o.Optimiser))
}

// Config is the model of these options: its projection is scaled by the mean and
// the deviation of the side's intervals.
func (o *Options) Config() memory.Config {
	return memory.Config{
		Memory: o.Memory, Optimiser: o.Optimiser, Classification: o.Classification,
		Elapsed: elapsed, Fit: fit,
	}
}

// fit returns mean and deviation of the intervals of either side.
func fit(train datasets.Stream) (out models.Fitted) {
	for _, side := range intervals(train) {
		out = append(out, []float64{side.mean, side.deviation})
	}
	return out
}

func elapsed(s models.Setup) (memory.Elapsed, error) {
	sides := s.Fitted
	if sides == nil {
		sides = fit(s.Train)
	}
	if len(sides) != 2 {
		return nil, fmt.Errorf("intervals of %d sides, expected 2", len(sides))
	}
	for _, side := range sides {
		if len(side) != 2 || math.IsNaN(side[0]) || math.IsInf(side[0], 0) || !(side[1] > 0) || math.IsInf(side[1], 0) {
			return nil, fmt.Errorf("intervals %v, expected their mean and their deviation above 0", side)
		}
	}
	return func(s memory.Side, seconds float64) float32 {
		return float32((seconds - sides[s][0]) / sides[s][1])
	}, nil
}

func init() { memory.Register("jodie", func() models.Options { return Defaults() }) }

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
