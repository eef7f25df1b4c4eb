//go:build gpu

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// latencySuites are timed one after the other. A model's name says in which of
// several forms it is.
var latencySuites = []struct{ file, form string }{
	{"latency.yaml", ""},
	{"latency-last.yaml", ", pyg_last"},
}

// latencyReport is what is needed of what `bench latency --json` prints.
type latencyReport struct {
	Models []struct {
		Model, Mode, Error string
		Timings            []latencyTiming
	}
}

// latencyTiming is that of one batch size, or of the headline in a mode of the
// card's.
type latencyTiming struct {
	Batch      int
	Mode       string // empty for the mode of the model
	Iterations []float64
	P50, P99   float64
	Cache      string // what was done to it before a replay
	Warnings   []string
	Error      string
}

// latency times inference on a device.
func (c *check) latency(device string) func(context.Context) error {
	return func(ctx context.Context) error {
		var all error
		for _, suite := range latencySuites {
			if err := c.latencyOf(ctx, device, suite.file, suite.form); err != nil {
				all = errors.Join(all, fmt.Errorf("%s, %s: %w", suite.file, device, err))
			}
		}
		return all
	}
}

// latencyOf does so for one suite.
func (c *check) latencyOf(ctx context.Context, device, file, form string) error {
	out, err := c.bench(ctx, "latency", file, "--json", "--device", device)
	var r latencyReport
	if readErr := json.Unmarshal(out, &r); readErr != nil {
		return errors.Join(err, readErr)
	}
	times, timesErr := r.times(device, form)
	c.report.Times = append(c.report.Times, times...)
	return errors.Join(err, timesErr)
}

// times are those that were taken, and why others were not.
func (r latencyReport) times(device, form string) (all []Time, err error) {
	for _, m := range r.Models {
		if m.Error != "" {
			err = errors.Join(err, fmt.Errorf("%s, %s: %s", m.Model, device, m.Error))
		}
		for _, t := range m.Timings {
			found := t.time(m.Model+form, device+", "+cmp.Or(t.Mode, m.Mode))
			if t.Error != "" {
				err = errors.Join(err, fmt.Errorf("%s, %s: %s", found.Model, found.Way, t.Error))
				continue
			}
			all = append(all, found)
		}
	}
	return all, err
}

func (t latencyTiming) time(model, way string) Time {
	task := inference
	if t.Batch == 1 {
		task = singleEvents
	}
	notes := t.Warnings
	if t.Cache != "" {
		notes = append([]string{t.Cache}, notes...)
	}
	return Time{Task: task, Model: model, Way: way, Seconds: t.Iterations, P50: t.P50, P99: t.P99, Notes: notes}
}
