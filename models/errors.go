package models

import (
	"errors"
	"fmt"
	"math"

	"dgsbench/datasets"
)

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

// BadFeature names the first feature of a batch that is not finite. It panics
// if there is none.
func BadFeature(b datasets.Stream) error {
	for i, f := range b.Feat {
		if !Finite(f) {
			return fmt.Errorf("feature %d of event %d is %v", i%b.NumFeat, b.EventID(i/b.NumFeat), f)
		}
	}
	panic("models: a device finds features bad that are not")
}

// ErrTask is what a model answers to a task that its Kind does not list.
var ErrTask = errors.New("the model was not built for this task")

// ErrDeployed is what a deployed model answers to Train and to Deploy.
var ErrDeployed = errors.New("a deployed model is for inference alone: train, and deploy, the model that it was made from")
