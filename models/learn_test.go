package models_test

import (
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"

	"github.com/google/go-cmp/cmp"
)

// pupil writes down what it is told.
type pupil struct {
	models.Model
	calls  int
	events []int // their numbers
	labels []int8
	shown  bool // labels in the events themselves
}

func (p *pupil) Learn(events datasets.Stream, labels []int8) error {
	p.calls++
	for k := range events.Len() {
		p.events = append(p.events, events.EventID(k))
	}
	p.labels, p.shown = labels, events.Label != nil
	return nil
}

// graduate could be told, and is Offline.
type graduate struct {
	models.Offline
	*pupil
}

func (g graduate) Learn(events datasets.Stream, labels []int8) error {
	return g.pupil.Learn(events, labels)
}

// TestReveal: a model is told of the events with labels, and of no others.
func TestReveal(t *testing.T) {
	const none = datasets.Unlabelled
	for name, c := range map[string]struct {
		labels []int8 // of events 10 to 13
		want   pupil
	}{
		"all":  {[]int8{0, 1, 0, 1}, pupil{calls: 1, events: []int{10, 11, 12, 13}, labels: []int8{0, 1, 0, 1}}},
		"some": {[]int8{none, 0, none, 1}, pupil{calls: 1, events: []int{11, 13}, labels: []int8{0, 1}}},
		"none": {labels: []int8{none, none, none, none}},
		"nil":  {},
	} {
		s := datasets.Stream{
			Src: make([]int32, 4), Dst: []int32{1, 1, 1, 1}, Time: make([]float64, 4), Label: c.labels, NumNodes: 2,
		}.From(10)
		got, offline := pupil{}, pupil{}
		if err := models.Reveal(&got, s); err != nil {
			t.Fatal(err)
		}
		if err := models.Reveal(graduate{pupil: &offline}, s); err != nil || offline.calls > 0 {
			t.Errorf("%s: an Offline model was told of %v, %v", name, offline.events, err)
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(pupil{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
