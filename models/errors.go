package models

import (
	"errors"
	"fmt"
	"math"

	"dgsbench/datasets"
	"dgsbench/nn"
)

// ErrRemembered is the Forget of models in which states of nodes refer to others.
var ErrRemembered = errors.New("the states of nodes refer to others, so that none can be forgotten")

// BadScore reports a score that is NaN or infinite: the trial has failed.
type BadScore struct {
	Event int // number within the whole stream
	Score float64
}

func (e *BadScore) Error() string {
	return fmt.Sprintf("score of event %d is %v", e.Event, e.Score)
}

// Finite reports whether x is neither NaN nor infinite.
func Finite(x float32) bool {
	return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0)
}

// CheckScores returns a *BadScore for the first score that is not finite. The
// batch has equally many scores an event.
func CheckScores(b datasets.Stream, scores []float32) error {
	for i, x := range scores {
		if !Finite(x) {
			return &BadScore{Event: b.EventID(i / (len(scores) / b.Len())), Score: float64(x)}
		}
	}
	return nil
}

// CheckFeatures returns an error for a feature that is not within ±nn.Largest.
// Models that compute with features call it first.
func CheckFeatures(b datasets.Stream) error {
	if nn.Within(b.Feat) {
		return nil
	}
	return BadFeature(b)
}

// BadFeature returns the error for the first feature of a batch that is not
// within ±nn.Largest. It panics if all are.
func BadFeature(b datasets.Stream) error {
	for i := range b.Feat {
		if f := b.Feat[i : i+1]; !nn.Within(f) {
			return fmt.Errorf("feature %d of event %d is %v, expected a number within ±%g", i%b.NumFeat, b.EventID(i/b.NumFeat), f[0], nn.Largest)
		}
	}
	panic("models: all features are within range")
}

// CheckClock returns an error for a time that is not within ±nn.Largest
// seconds. Models that compute with times call it first.
func CheckClock(b datasets.Stream) error {
	for k, t := range b.Time {
		if !(math.Abs(t) <= nn.Largest) {
			return fmt.Errorf("time of event %d is %v seconds, expected a number within ±%g", b.EventID(k), t, nn.Largest)
		}
	}
	return nil
}

// BadState returns the error for a batch that leaves a state that is not finite.
func BadState(b datasets.Stream) error {
	return fmt.Errorf("the states after events %d to %d are not finite", b.EventID(0), b.EventID(b.Len()-1))
}

// Fault is what a method of a Model that returns no error panics with where a program
// that the model needs has failed: it fails the trial, as an error does.
type Fault struct{ Err error }

// ErrTask is the error of methods of another task than the model was built for.
var ErrTask = errors.New("the model was not built for this task")

// ErrDeployed is the error of a deployed model's Train and Deploy.
var ErrDeployed = errors.New("a deployed model is for inference alone: train, and deploy, the model that it was made from")
