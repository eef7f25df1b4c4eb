package models

import (
	"slices"

	"dgsbench/datasets"
)

// Offline is the Learn of models that learn in Train alone, or not at all:
// labels that become known later change nothing.
type Offline struct{}

// Learn does nothing.
func (Offline) Learn(datasets.Stream, []int8) error { return nil }

func (Offline) offline() {}

// Reveal makes the labels of events known to the model: those that are
// labelled, if any are, go to its Learn. An Offline model is not called.
func Reveal(m Model, events datasets.Stream) error {
	if _, offline := m.(interface{ offline() }); offline {
		return nil
	}
	if slices.Contains(events.Label, datasets.Unlabelled) {
		events = events.Select(labelled(events.Label))
	}
	if len(events.Label) == 0 {
		return nil
	}
	return m.Learn(events.WithoutLabels(), events.Label)
}

// labelled lists the events that have a label.
func labelled(labels []int8) (events []int) {
	for k, label := range labels {
		if label != datasets.Unlabelled {
			events = append(events, k)
		}
	}
	return events
}
