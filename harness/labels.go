package harness

import (
	"fmt"
	"slices"
	"sort"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// knownAt returns of how many events of a stream, from its first, the labels
// are known at a time in seconds: of those with time + delay <= at.
func knownAt(s datasets.Stream, at float64, p specs.Protocol) int {
	return sort.Search(s.Len(), func(k int) bool { return s.Time[k]+float64(p.LabelDelay) > at })
}

// end returns the time of the last event of a part in seconds, 0 without any.
func end(part datasets.Stream) float64 {
	if part.Len() == 0 {
		return 0
	}
	return part.Time[part.Len()-1]
}

// withKnownLabels returns parts whose training and validation have the labels
// that are known at the end of the training and at the beginning of the test. It
// is an error if there is something to learn, and one of the two has none.
func withKnownLabels(t specs.Trial, p datasets.Parts) (datasets.Parts, error) {
	if t.Task != protocol.NodeClassification || t.Protocol.LabelDelay == 0 {
		return p, nil
	}
	for _, part := range []struct {
		name, at string
		events   *datasets.Stream
		time     float64
	}{
		{"training", "at its end", &p.Train, end(p.Train)},
		{"validation", "when the test begins", &p.Val, p.TestStart},
	} {
		s := *part.events
		known := knownAt(s, part.time, t.Protocol)
		if epochsOf(t, p.Whole.NumFeat) > 0 && known == 0 && s.Len() > 0 {
			return p, fmt.Errorf("label_delay: no label of the %s part is known %s, %g s after the part's first event; expected a delay of at most that, found %d",
				part.name, part.at, part.time-s.Time[0], t.Protocol.LabelDelay)
		}
		part.events.Label = slices.Concat(s.Label[:known], slices.Repeat([]int8{datasets.Unlabelled}, s.Len()-known))
	}
	return p, nil
}

// tell has the model Learn the labels that it has not been given and that are
// known when a window begins, of events before the window.
func (r *run) tell(window datasets.Stream) error {
	if r.spec.Task != protocol.NodeClassification {
		return nil
	}
	before := r.parts.Whole.Slice(0, window.EventID(0))
	known := knownAt(before, window.Time[0], r.spec.Protocol)
	if known <= r.told {
		return nil
	}
	news := before.Slice(r.told, known)
	r.told = known
	return models.Reveal(r.model, news)
}
