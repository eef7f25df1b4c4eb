//go:build gpu

package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"dgsbench/internal/escape"
)

// markdown is the report for people.
func (r Report) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s, %s\n\n", r.Facts.Card, r.Date)
	if r.Tiny {
		b.WriteString("Small sizes: the times mean nothing.\n\n")
	}
	fmt.Fprintf(&b, "%s; code %s; PTX %s; TF32 off. All streams are simulated.\n", r.Facts.Machine, r.Facts.Code, r.Facts.PTX)
	if r.Facts.NvidiaSMI != "" {
		fmt.Fprintf(&b, "\n    %s\n", r.Facts.NvidiaSMI)
	}
	b.WriteString("\n## Goals, for one H200\n\n")
	b.WriteString(goalsTable(r.Goals))
	r.steps(&b)
	for _, task := range r.tasks() {
		r.times(&b, task)
	}
	r.agreement(&b)
	return b.Bytes()
}

func (r Report) steps(b *bytes.Buffer) {
	b.WriteString("\n## Steps\n\n| step | outcome | seconds | |\n|---|---|---|---|\n")
	for _, s := range r.Steps {
		fmt.Fprintf(b, "| %s | %s | %.1f | %s |\n", s.Name, s.Outcome, s.Seconds, escape.Markdown(s.Detail))
	}
}

// tasks are those of the times, in their order.
func (r Report) tasks() (all []string) {
	for _, t := range r.Times {
		if !slices.Contains(all, t.Task) {
			all = append(all, t.Task)
		}
	}
	return all
}

func (r Report) times(b *bytes.Buffer, task string) {
	fmt.Fprintf(b, "\n## Times: %s\n\n| what | way | ms, median | rounds: least | most | p50, us | p99, us | |\n|---|---|---|---|---|---|---|---|\n", task)
	for _, t := range r.Times {
		if t.Task != task || len(t.Seconds) == 0 {
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %.4g | %.4g | %.4g | %s | %s | %s |\n", t.Model, t.Way,
			1e3*median(t.Seconds), 1e3*slices.Min(t.Seconds), 1e3*slices.Max(t.Seconds),
			microseconds(t.P50), microseconds(t.P99), escape.Markdown(strings.Join(t.notes(), "; ")))
	}
}

// notes are those of a time, with the speed of a copy.
func (t Time) notes() []string {
	if t.Bytes == 0 {
		return t.Notes
	}
	return append([]string{fmt.Sprintf("%.1f GB/s", float64(t.Bytes)/1e9/median(t.Seconds))}, t.Notes...)
}

// microseconds is empty for a time that was not taken.
func microseconds(seconds float64) string {
	if seconds == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", 1e6*seconds)
}

func (r Report) agreement(b *bytes.Buffer) {
	b.WriteString("\n## Scores after training\n\n| score | metric | processor | card |\n|---|---|---|---|\n")
	for _, a := range r.Agreement {
		fmt.Fprintf(b, "| %s | %s | %.4f | %.4f |\n", a.Cell, a.Metric, a.CPU, a.CUDA)
	}
}
