package serve

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// day is that many seconds.
const day = 86_400

// Threshold returns the lowest score of an alert that a text stands for: a number is the
// score itself, 20/day what Alerts returns, 1%fpr what FalsePositives does.
func (s *Scorer) Threshold(text string) (float64, error) {
	number, find := text, func(x float64) (float64, error) { return x, nil }
	if daily, ok := strings.CutSuffix(text, "/day"); ok {
		number, find = daily, s.Alerts
	} else if rate, ok := strings.CutSuffix(text, "%fpr"); ok {
		number, find = rate, func(percent float64) (float64, error) { return s.FalsePositives(percent / 100) }
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, errors.New("expected a score such as 0.9, alerts a day as in 20/day, or a rate of false positives as in 1%fpr")
	}
	return find(x)
}

// FalsePositives returns the lowest score of an alert with which at most a share of
// the events of the validation part without the label would have been alerts.
func (s *Scorer) FalsePositives(share float64) (float64, error) {
	if !(share >= 0 && share <= 1) {
		return 0, fmt.Errorf("a rate of false positives of %v, expected 0 to 1", share)
	}
	return s.lowest(func(n int) float64 { return share * float64(n) }, func(label int8) bool { return label == 0 })
}

// Alerts returns the lowest score of an alert with which the validation part would have
// had at most that many alerts a day.
func (s *Scorer) Alerts(daily float64) (float64, error) {
	if !(daily >= 0) {
		return 0, fmt.Errorf("%v alerts a day, expected a number of at least 0", daily)
	}
	return s.lowest(func(int) float64 { return daily * s.saved.Input.ValidationSeconds / day }, func(int8) bool { return true })
}

// lowest returns the least score above that of all but most of the events of the
// validation with some labels, of whose number most is a function.
func (s *Scorer) lowest(most func(int) float64, of func(label int8) bool) (float64, error) {
	if s.saved.Input == nil || len(s.saved.Input.Scores) == 0 {
		return 0, errors.New("the checkpoint has no scores of the validation part")
	}
	var scores []float64
	for k, x := range s.saved.Input.Scores {
		if of(s.saved.Input.Labels[k]) {
			scores = append(scores, s.score(x))
		}
	}
	if len(scores) == 0 {
		return 0, fmt.Errorf("the validation part has no event with the label 0, only %d others", len(s.saved.Input.Scores))
	}
	slices.Sort(scores)
	const rounding = 1 + 1e-12 // 29% of 100 events are 29, not 28.999999999999996
	k := int(min(most(len(scores))*rounding, float64(len(scores))))
	if k == len(scores) {
		return math.Inf(-1), nil
	}
	return math.Nextafter(scores[len(scores)-1-k], math.Inf(1)), nil
}

// score returns what Score does for what Classify has written.
func (s *Scorer) score(x float32) float64 {
	if !s.saved.Kind.LogOdds {
		return float64(x)
	}
	return 1 / (1 + math.Exp(-float64(x)))
}
