package models

import (
	"errors"
	"fmt"
	"math"
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

// ErrTask is what a model answers to a task that its Kind does not list.
var ErrTask = errors.New("the model was not built for this task")

// ErrDeployed is what a deployed model answers to Train and to Deploy.
var ErrDeployed = errors.New("a deployed model is for inference alone: train, and deploy, the model that it was made from")
