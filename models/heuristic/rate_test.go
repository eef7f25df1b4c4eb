package heuristic

import (
	"math"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// TestLabelRate: the log-odds of the decayed rates, by hand: labels of events 0
// to 3 are known, which have ages of 50, 40, 30 and 20 s when event 4 is asked
// about.
func TestLabelRate(t *testing.T) {
	labels := []int8{1, 0, 0, 1}
	at := story()
	at.Time[4] = 50
	half := func(age float64) float64 { return math.Exp2(-age / 20) }
	logit := func(positives, labels float64) float32 {
		p := (positives + .5*2) / (labels + 2)
		return float32(math.Log(p / (1 - p)))
	}
	for _, c := range []struct {
		opts RateOptions
		want float32
	}{
		{RateOptions{Of: OfSource, HalfLife: 20, Prior: 2}, logit(half(50), half(50)+half(30))}, // 0, of events 0 and 2
		{RateOptions{Of: OfDestination, HalfLife: 20, Prior: 2}, logit(half(50), half(50))},     // 3, of event 0
		{RateOptions{Of: OfPair, HalfLife: 20, Prior: 2}, logit(half(50), half(50))},            // 0 and 3, of event 0
		{RateOptions{Of: OfSource, HalfLife: 0, Prior: 2}, logit(1, 2)},                         //
		{RateOptions{Of: OfDestination, HalfLife: 1e-3, Prior: 2}, logit(0, 0)},                 // all is forgotten
	} {
		m := build(t, "label-rate", &c.opts, protocol.NodeClassification, story())
		if err := m.Observe(at.Slice(0, 4).WithoutLabels()); err != nil {
			t.Fatal(err)
		}
		first, got := make([]float32, 1), make([]float32, 1)
		if err := m.Classify(at.Slice(4, 5).WithoutLabels(), first); err != nil {
			t.Fatal(err)
		}
		if err := m.Learn(at.Slice(0, 4).WithoutLabels(), labels); err != nil {
			t.Fatal(err)
		}
		if err := m.Classify(at.Slice(4, 5).WithoutLabels(), got); err != nil {
			t.Fatal(err)
		}
		if first[0] != 0 || math.Abs(float64(got[0]-c.want)) > 1e-6 {
			t.Errorf("%+v: %v before, and %v when labels are known; expected 0 and %v", c.opts, first[0], got[0], c.want)
		}
	}
}

// TestLabelRateOfStrangers: whoever has no known label gets the rate of all.
func TestLabelRateOfStrangers(t *testing.T) {
	m := build(t, "label-rate", nil, protocol.NodeClassification, story())
	if err := m.Learn(story().Slice(0, 3).WithoutLabels(), []int8{1, 0, 0}); err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 1)
	if err := m.Classify(story().Slice(3, 4).WithoutLabels(), got); err != nil { // user 2
		t.Fatal(err)
	}
	if want := math.Log(2. / 3); math.Abs(float64(got[0])-want) > 1e-6 { // 1 of 3, and one more of each
		t.Errorf("%v, expected %v", got[0], want)
	}
}

// TestTrainLearnsLabels: labels of Train count as those of Learn do.
func TestTrainLearnsLabels(t *testing.T) {
	s := story()
	s.Label = []int8{1, datasets.Unlabelled, 0, 0, 1}
	trained, told := build(t, "label-rate", nil, protocol.NodeClassification, s), build(t, "label-rate", nil, protocol.NodeClassification, s)
	if _, err := trained.Train(s, nil); err != nil {
		t.Fatal(err)
	}
	if err := models.Reveal(told, s); err != nil {
		t.Fatal(err)
	}
	got, want := make([]float32, 5), make([]float32, 5)
	for m, out := range map[models.Model][]float32{trained: got, told: want} {
		if err := m.Classify(s.WithoutLabels(), out); err != nil {
			t.Fatal(err)
		}
	}
	for k := range got {
		if got[k] != want[k] {
			t.Errorf("event %d: %v trained, %v told", k, got[k], want[k])
		}
	}
}
