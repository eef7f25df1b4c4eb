//go:build gpu

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dgsbench/harness/latency"
	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/internal/regular"
	"dgsbench/results/table"
)

// Results are what a check has found.
type Results struct {
	Date      string      `json:"date"`
	Tiny      bool        `json:"tiny,omitempty"` // its times mean nothing
	Facts     Facts       `json:"facts"`
	Goals     []Reached   `json:"goals"`
	Steps     []Step      `json:"steps"`
	Times     []Time      `json:"times"`
	Agreement []Agreement `json:"agreement"`
}

// Facts are what times depend on beside what is timed.
type Facts struct {
	Card      string `json:"card"`                 // with the version of CUDA that its driver has
	Machine   string `json:"machine"`              // processor, cores, system
	Code      string `json:"code"`                 // the commit that the binaries were built from
	PTX       string `json:"ptx"`                  // SHA-256 of all kernels as text, the first 12 digits
	NvidiaSMI string `json:"nvidia_smi,omitempty"` // clocks, driver and power as it prints them
}

// Step is how one step of the check went.
type Step struct {
	Name    string  `json:"name"`
	Outcome string  `json:"outcome"`
	Seconds float64 `json:"seconds"`
	Detail  string  `json:"detail,omitempty"`
}

const (
	passed  = "passed"
	failed  = "FAILED"
	skipped = "skipped"
)

// Time is how long a task took in some way. Programs print it as a line of JSON.
type Time struct {
	Task    string    `json:"task"`
	Model   string    `json:"model"`         // or what else it was done with
	Way     string    `json:"way"`           // device or software, and its mode: goals name it, too
	Seconds []float64 `json:"seconds"`       // of each round
	P50     float64   `json:"p50,omitempty"` // of a batch, in seconds, as P99
	P99     float64   `json:"p99,omitempty"`
	Bytes   int       `json:"bytes,omitempty"` // that were copied in this time
	Notes   []string  `json:"notes,omitempty"`
}

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
	Cell   string          `json:"cell"`
	Metric string          `json:"metric"`
	CPU    optional.Number `json:"cpu"`
	CUDA   optional.Number `json:"cuda"`
}

// read reads the results in a file.
func (r *Results) read(file string) error {
	const limit = 64 << 20 // bytes
	data, err := regular.Read(file, limit)
	if err == nil {
		err = json.Unmarshal(data, r)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// passed reports whether a step of this name has passed.
func (r Results) passed(name string) bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Name == name && s.Outcome == passed })
}

// addTime adds a time, in the place of an earlier one of the same.
func (r *Results) addTime(t Time) {
	r.Times = slices.DeleteFunc(r.Times, func(o Time) bool { return o.Task == t.Task && o.Model == t.Model && o.Way == t.Way })
	r.Times = append(r.Times, t)
}

// addAgreement adds a pair of scores, in the place of an earlier one of the same.
func (r *Results) addAgreement(a Agreement) {
	r.Agreement = slices.DeleteFunc(r.Agreement, func(o Agreement) bool { return o.Cell == a.Cell && o.Metric == a.Metric })
	r.Agreement = append(r.Agreement, a)
}

// failed is the number of steps that failed.
func (r Results) failed() (n int) {
	for _, s := range r.Steps {
		if s.Outcome == failed {
			n++
		}
	}
	return n
}

// markdown is the results for readers.
func (r Results) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s, %s\n\n", r.Facts.Card, r.Date)
	if r.Tiny {
		b.WriteString("Small sizes: the times mean nothing.\n\n")
	}
	fmt.Fprintf(&b, "%s; code %s; PTX %s; TF32 off. All streams are simulated.\n", r.Facts.Machine, r.Facts.Code, r.Facts.PTX)
	if r.Facts.NvidiaSMI != "" {
		fmt.Fprintf(&b, "\n    %s\n", r.Facts.NvidiaSMI)
	}
	b.WriteString("\n## Goals, for one H200\n\n" + goalsTable(r.Goals))

	steps := table.New("step", "outcome", "seconds", "")
	for _, s := range r.Steps {
		steps.Add(s.Name, s.Outcome, table.Fixed(s.Seconds, 1), s.Detail)
	}
	b.WriteString("\n## Steps\n\n" + markdown(steps))

	for _, ofTask := range lists.GroupBy(r.Times, func(t Time) string { return t.Task }) {
		times := table.New("what", "way", "ms, median", "rounds: least", "most", "p50, us", "p99, us", "")
		for _, t := range ofTask {
			if len(t.Seconds) > 0 {
				times.Add(t.row()...)
			}
		}
		b.WriteString("\n## Times: " + ofTask[0].Task + "\n\n" + markdown(times))
	}

	scores := table.New("score", "metric", "processor", "card")
	for _, a := range r.Agreement {
		scores.Add(a.Cell, a.Metric, table.Number(a.CPU, 4), table.Number(a.CUDA, 4))
	}
	b.WriteString("\n## Scores after training\n\n" + markdown(scores))
	return b.Bytes()
}

// markdown is the table's grid.
func markdown(t table.Table) string {
	var b strings.Builder
	_ = table.WriteMarkdownGrid(&b, t) // a builder takes everything
	return b.String()
}

// row is the time's row of a table. The notes begin with the speed of a copy.
func (t Time) row() []any {
	notes := t.Notes
	if t.Bytes > 0 {
		notes = append([]string{fmt.Sprintf("%.1f GB/s", float64(t.Bytes)/1e9/latency.Middle(t.Seconds))}, notes...)
	}
	ms := func(seconds float64) string { return fmt.Sprintf("%.4g", 1e3*seconds) }
	us := func(seconds float64) string {
		if seconds == 0 { // not measured
			return ""
		}
		return fmt.Sprintf("%.1f", 1e6*seconds)
	}
	return []any{t.Model, t.Way, ms(latency.Middle(t.Seconds)), ms(slices.Min(t.Seconds)), ms(slices.Max(t.Seconds)), us(t.P50), us(t.P99), strings.Join(notes, "; ")}
}
