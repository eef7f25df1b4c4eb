package serve

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/models"

	"pgregory.net/rapid"
)

// validated returns a Scorer of which the validation part had those scores.
func validated(logOdds bool, scores []float32, labels []int8, seconds float64) *Scorer {
	return &Scorer{saved: &models.Saved{Kind: models.Kind{LogOdds: logOdds}, Input: &models.Input{Scores: scores, Labels: labels, ValidationSeconds: seconds}}}
}

// TestThresholdsAreLowest: with the threshold no more of the validation part would have
// been alerts than it allows, and with any lower one there would have been. Ties are
// alerts together or not at all.
func TestThresholdsAreLowest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 120).Draw(t, "events")
		scores, labels := make([]float32, n), make([]int8, n)
		negatives := 0
		for k := range n {
			scores[k] = float32(rapid.IntRange(-9, 9).Draw(t, "score")) * 5 // many are equal, also as probabilities
			if labels[k] = rapid.Int8Range(-1, 1).Draw(t, "label"); labels[k] == 0 {
				negatives++
			}
		}
		s := validated(rapid.Bool().Draw(t, "probabilities"), scores, labels, float64(rapid.IntRange(0, 10).Draw(t, "days"))*86_400)
		daily := rapid.Bool().Draw(t, "daily")
		percent := rapid.IntRange(0, 100).Draw(t, "number")
		text, most, of := fmt.Sprint(percent, "/day"), percent*int(s.saved.Input.ValidationSeconds/86_400), n
		if !daily {
			text, most, of = fmt.Sprint(percent, "%fpr"), percent*negatives/100, negatives
		}
		got, err := s.Threshold(text)
		if of == 0 {
			if err == nil || !strings.Contains(err.Error(), "no event with the label 0") {
				t.Fatal(err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		alerts := func(threshold float64) (n int) {
			for k, x := range scores {
				if (daily || labels[k] == 0) && s.score(x) >= threshold {
					n++
				}
			}
			return n
		}
		if alerts(got) > most {
			t.Fatalf("%s: %d alerts from %v on, expected at most %d of %d", text, alerts(got), got, most, of)
		}
		if lower := math.Nextafter(got, math.Inf(-1)); !math.IsInf(got, -1) && alerts(lower) <= most {
			t.Fatalf("%s: from %v on there are %d alerts, and from %v on not more than %d", text, lower, alerts(lower), got, most)
		}
	})
}

// TestThreshold: a number is the score itself; what is none is refused.
func TestThreshold(t *testing.T) {
	s := validated(false, []float32{1, 2, 3, 3}, []int8{0, 0, -1, 1}, 2*86_400)
	after := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
	for text, want := range map[string]float64{
		"0.5": .5, "-3": -3, "1e2": 100, "0/day": after(3), "0.5/day": after(3), "1/day": after(2), "1.5/day": after(1), "2/day": math.Inf(-1), "1e300/day": math.Inf(-1),
		"0%fpr": after(2), "49%fpr": after(2), "50%fpr": after(1), "99.9%fpr": after(1), "100%fpr": math.Inf(-1),
	} {
		if got, err := s.Threshold(text); got != want || err != nil {
			t.Errorf("%s: %v, %v, expected %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "expected a score", "high": "expected a score", "NaN": "expected a score", "inf/day": "expected a score", "/day": "expected a score", "1e999": "expected a score", "5 /day": "expected a score",
		"-1/day": "-1 alerts a day", "101%fpr": "a rate of false positives of 1.01", "-1%fpr": "a rate of false positives of -0.01",
	} {
		if x, err := s.Threshold(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, expected %s", text, x, err, want)
		}
	}
	for _, in := range []*models.Input{nil, {}} {
		s.saved.Input = in
		if _, err := s.Threshold("1/day"); err == nil || !strings.Contains(err.Error(), "no scores of the validation part") {
			t.Error(err)
		}
		if x, err := s.Threshold("0.5"); x != .5 || err != nil {
			t.Error(x, err)
		}
	}
}

// TestThresholdsOutliveSaves: a file of Save has the validation part.
func TestThresholdsOutliveSaves(t *testing.T) {
	d := newImported(t, false)
	in := d.input(t, d.parts(t, false, 0), 100)
	in.Scores, in.Labels, in.ValidationSeconds = []float32{1, 5, 3}, []int8{0, 0, 1}, 86_400
	_, path := classifiers[0].modelOf(t, "nc", d.parts(t, false, 0).Whole.Slice(0, 100), in)
	var got []float64
	for range 2 {
		s := open1(t, path, Options{})
		x, err := s.Threshold("1/day")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, x)
		path, _ = save(t, s)
	}
	if want := math.Nextafter(1/(1+math.Exp(-3)), 1); !slices.Equal(got, []float64{want, want}) {
		t.Errorf("%v in %s, expected %v", got, filepath.Base(path), want)
	}
}
