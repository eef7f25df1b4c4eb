package results

import (
	"crypto/sha256"
	"slices"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/results/record"
)

// loss is by how much answers one by one are better than those under load, with its
// interval over events.
type loss struct{ mean, low, high optional.Number }

var noLoss = loss{optional.Absent(), optional.Absent(), optional.Absent()}

// pendingLoss is a loss that still lacks its interval.
type pendingLoss struct {
	*loss
	metric         metrics.Metric
	answers, alone metrics.Facts // answers are to the events of alone, once or several times
}

// resampleLosses fills in the intervals, as far as they are not among the draws that are
// kept of the suite.
func resampleLosses(s record.Store, suite string, all []*pendingLoss) {
	known := openDraws(s, suite)
	defer known.save()
	var resampled []*pendingLoss
	for _, p := range all {
		if !p.mean.Present() {
			continue
		}
		if values, ok := known.get(p.key()); ok {
			p.finish(values)
		} else {
			resampled = append(resampled, p)
		}
	}
	for _, same := range lists.GroupBy(resampled, func(p *pendingLoss) int { return p.alone.Len() }) {
		losses := lists.Map(same, func(p *pendingLoss) []metrics.Weighted { return []metrics.Weighted{p.weighted()} })
		for i, values := range metrics.Bootstrap(same[0].alone.Len(), losses, nil) {
			known.put(same[i].key(), values)
			same[i].finish(values)
		}
	}
}

func (p *pendingLoss) key() drawsKey {
	return keyOf("loss of "+p.metric.Name, [sha256.Size]byte(checksumOf([]metrics.Facts{p.alone, p.answers})))
}

func (p *pendingLoss) finish(values []float64) {
	low, high := metrics.Interval(values)
	p.low, p.high = optional.Number(low), optional.Number(high)
}

// weighted returns the loss by weights of events, which are the same under load and alone.
func (p *pendingLoss) weighted() metrics.Weighted {
	alone, answers := p.metric.Prepare(p.alone), p.metric.Prepare(p.answers)
	passes := p.answers.Len() / p.alone.Len()
	return func(weights []uint8) float64 {
		return alone(weights) - answers(slices.Repeat(weights, passes))
	}
}
