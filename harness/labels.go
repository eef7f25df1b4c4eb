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

// withKnown returns the stream as it is at a time in seconds: events whose
// labels are not known yet are unlabelled.
func withKnown(s datasets.Stream, at float64, p specs.Protocol) datasets.Stream {
	if known := knownAt(s, at, p); p.LabelDelay > 0 && known < s.Len() {
		s.Label = slices.Concat(s.Label[:known], slices.Repeat([]int8{datasets.Unlabelled}, s.Len()-known))
	}
	return s
}

// end returns the time of the last event of a part in seconds, 0 without any.
func end(part datasets.Stream) float64 {
	if part.Len() == 0 {
		return 0
	}
	return part.Time[part.Len()-1]
}

// trainingLabels returns the training part with the labels that are known at
// its end. It is an error if there is something to learn, and none are.
func trainingLabels(t specs.Trial, train datasets.Stream) (datasets.Stream, error) {
	if t.Task != protocol.NodeClassification || train.Len() == 0 {
		return train, nil
	}
	if epochsOf(t, train.NumFeat) > 0 && knownAt(train, end(train), t.Protocol) == 0 {
		return train, fmt.Errorf("label_delay: no label of the training part is known at its end, as it lasts %g s; expected a delay of less than that, found %d",
			end(train)-train.Time[0], t.Protocol.LabelDelay)
	}
	return withKnown(train, end(train), t.Protocol), nil
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
