//go:build gpu

package main

import (
	"encoding/json"
	"math"
	"slices"
)

// Report is what a check has found.
type Report struct {
	Date      string      `json:"date"`
	Tiny      bool        `json:"tiny,omitempty"` // its times mean nothing
	Facts     Facts       `json:"facts"`
	Goals     []Reached   `json:"goals"`
	Steps     []Step      `json:"steps"`
	Times     []Time      `json:"times"`
	Agreement []Agreement `json:"agreement"`
}

// Step is one of the check.
type Step struct {
	Name    string  `json:"name"`
	Outcome string  `json:"outcome"`
	Seconds float64 `json:"seconds"`
	Detail  string  `json:"detail,omitempty"`
}

// Outcomes of a step.
const (
	passed  = "passed"
	failed  = "FAILED"
	skipped = "skipped"
)

// Time is how long a task took in some way. Programs that the check runs print
// it as a line of JSON.
type Time struct {
	Task  string `json:"task"`
	Model string `json:"model"` // or what else it was done with
	// Way is the device or the software, and its mode: goals name it, too.
	Way     string    `json:"way"`
	Seconds []float64 `json:"seconds"` // of each round
	P50     float64   `json:"p50,omitempty"`
	P99     float64   `json:"p99,omitempty"`   // of a batch, as P50; seconds
	Bytes   int       `json:"bytes,omitempty"` // that were copied in this time
	Notes   []string  `json:"notes,omitempty"`
}

// Tasks.
const (
	inference    = "inference"
	singleEvents = "single events"
	trainingNC   = "epoch, node classification"
	trainingLP   = "epoch, link prediction"
	rankingTask  = "ranking"
	driverTask   = "driver"
)

// Agreement is a score after training on each of the two devices.
type Agreement struct {
	Cell   string  `json:"cell"`
	Metric string  `json:"metric"`
	CPU    float64 `json:"cpu"`
	CUDA   float64 `json:"cuda"`
}

func (r Report) failed() (n int) {
	for _, s := range r.Steps {
		if s.Outcome == failed {
			n++
		}
	}
	return n
}

func (r Report) json() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	return append(data, '\n'), err
}

// median is NaN without numbers.
func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
