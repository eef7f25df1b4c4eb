//go:build gpu

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Report is what a check has found. Times are seconds.
type Report struct {
	Card      string      `json:"card"`
	Date      string      `json:"date"`
	Tiny      bool        `json:"tiny,omitempty"` // its times mean nothing
	Steps     []Step      `json:"steps"`
	Agreement []Agreement `json:"agreement"`
	Latency   []Latency   `json:"latency"`
	Training  []Training  `json:"training"`
	Peers     []Peer      `json:"peers"`
}

// Step is one of the check.
type Step struct {
	Name    string  `json:"name"`
	Outcome string  `json:"outcome"` // passed, FAILED or skipped
	Seconds float64 `json:"seconds"`
	Detail  string  `json:"detail,omitempty"`
}

// Agreement is a score after training on each of the two devices.
type Agreement struct {
	Cell   string  `json:"cell"`
	Metric string  `json:"metric"`
	CPU    float64 `json:"cpu"`
	CUDA   float64 `json:"cuda"`
}

// Latency is a model's time for batches of one size.
type Latency struct {
	Model      string    `json:"model"`
	Dataset    string    `json:"dataset"`
	Device     string    `json:"device"`
	Batch      int       `json:"batch"`
	Batches    int       `json:"batches"`
	Iterations []float64 `json:"iterations"` // of all batches each
	P50        float64   `json:"p50"`        // of a batch
	P99        float64   `json:"p99"`
}

// Training is the time of training a model and of its final evaluation.
type Training struct {
	Cell   string    `json:"cell"`
	Device string    `json:"device"`
	Epochs []float64 `json:"epochs"` // each with its validation
	Test   float64   `json:"test"`
}

// Peer is a time of PyTorch for the headline of the latency test.
type Peer struct {
	Name       string    `json:"name"`
	Iterations []float64 `json:"iterations"`
}

func (r Report) failed() (n int) {
	for _, s := range r.Steps {
		if s.Outcome == "FAILED" {
			n++
		}
	}
	return n
}

func (r Report) json() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	return append(data, '\n'), err
}

// markdown is the report for people.
func (r Report) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s, %s\n\n", r.Card, r.Date)
	if r.Tiny {
		b.WriteString("Small sizes: the times mean nothing.\n\n")
	}
	b.WriteString("| step | outcome | seconds |\n|---|---|---|\n")
	for _, s := range r.Steps {
		fmt.Fprintf(&b, "| %s | %s %s | %.1f |\n", s.Name, s.Outcome, s.Detail, s.Seconds)
	}
	b.WriteString("\n| inference | dataset | device | batches | ms, median | p50, us | p99, us |\n|---|---|---|---|---|---|---|\n")
	for _, l := range r.Latency {
		fmt.Fprintf(&b, "| %s | %s | %s | %d x %d | %.3f | %.1f | %.1f |\n",
			l.Model, l.Dataset, l.Device, l.Batches, l.Batch, 1e3*median(l.Iterations), 1e6*l.P50, 1e6*l.P99)
	}
	for _, p := range r.Peers {
		fmt.Fprintf(&b, "| %s | random | cuda | | %.3f | | |\n", p.Name, 1e3*median(p.Iterations))
	}
	b.WriteString("\n| training | device | fastest epoch, s | test, s |\n|---|---|---|---|\n")
	for _, t := range r.Training {
		fmt.Fprintf(&b, "| %s | %s | %.3f | %.3f |\n", t.Cell, t.Device, slices.Min(append(t.Epochs, math.Inf(1))), t.Test)
	}
	b.WriteString("\n| score after training | metric | processor | card |\n|---|---|---|---|\n")
	for _, a := range r.Agreement {
		fmt.Fprintf(&b, "| %s | %s | %.4f | %.4f |\n", a.Cell, a.Metric, a.CPU, a.CUDA)
	}
	return b.Bytes()
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}
