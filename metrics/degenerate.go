package metrics

import "slices"

// Degeneracy is the reason why facts carry no information about the model; empty
// if they do.
type Degeneracy string

// The reasons.
const (
	SameScores     Degeneracy = "every event got the same score"
	SameCandidates Degeneracy = "all candidates of every event got the same score"
	NoNegatives    Degeneracy = "no event had a negative"
	OneEvent       Degeneracy = "a single event was ranked"
)

// OfModel reports whether the model caused it. Otherwise all models have the
// same facts.
func (d Degeneracy) OfModel() bool { return d == SameScores || d == SameCandidates }

// Degenerate returns why the facts carry no information about the model. Facts
// that define no metric, such as those of a single class, are not degenerate.
func (f Facts) Degenerate() Degeneracy {
	switch {
	case f.Positives() > 0 && f.Negatives() > 0 && f.sameScores():
		return SameScores
	case len(f.Against) > 0 && f.Unopposed() == len(f.Against):
		return NoNegatives
	case len(f.Against) > 0 && slices.Equal(f.Equal, f.Against):
		return SameCandidates
	case len(f.Greater) == 1:
		return OneEvent
	}
	return ""
}

// sameScores reports whether all events whose class is known have one score.
func (f Facts) sameScores() bool {
	first := -1
	for k, label := range f.Label {
		switch {
		case label < 0:
		case first < 0:
			first = k
		case f.Score[k] != f.Score[first]:
			return false
		}
	}
	return true
}
