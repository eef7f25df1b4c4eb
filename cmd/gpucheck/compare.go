//go:build gpu

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"dgsbench/harness/latency"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
)

// closeScores is by how much a score may differ between devices after
// training: rounding grows from step to step.
const closeScores = .02

// trainings trains the models of a suite on the card and on the processor, and
// compares the scores. Where there is only time for some, those are compared.
func (c *check) trainings(suite string) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		for _, device := range []string{devices.CUDA, devices.CPU} {
			if _, runErr := c.bench(ctx, "run", suite+".yaml", "--device", device); runErr != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", device, runErr))
			}
		}
		pairs, compareErr := agreements(record.Store{Dir: c.records()}, "gpu-"+suite)
		c.results.Agreement = append(c.results.Agreement, pairs...)
		return errors.Join(err, compareErr)
	}
}

// agreements compares the scores of a suite's records. The error names records
// that could not be read and scores that differ too much.
func agreements(store record.Store, suite string) ([]Agreement, error) {
	records, incomplete, err := store.Load(suite)
	for _, file := range incomplete {
		err = errors.Join(err, fmt.Errorf("%s has no whole sidecar beside it: it is not compared", file))
	}
	pairs := compare(records)
	if len(pairs) == 0 {
		return nil, errors.Join(err, errors.New("there is no score of both devices"))
	}
	for _, a := range pairs {
		if !(math.Abs(float64(a.CPU-a.CUDA)) <= closeScores) {
			err = errors.Join(err, fmt.Errorf("%s of %s: %.4f on the processor, %.4f on the card", a.Metric, a.Cell, a.CPU, a.CUDA))
		}
	}
	return pairs, err
}

// compare pairs the scores of each trial on the two devices.
func compare(all []record.Record) (pairs []Agreement) {
	for _, a := range all {
		for _, b := range all {
			if a.Key != b.Key || !strings.HasPrefix(a.Device, devices.CPU) || b.Device != devices.CUDA || len(a.Scores) != len(b.Scores) {
				continue
			}
			for i, s := range a.Scores {
				pairs = append(pairs, Agreement{
					Cell: a.Key.CellKey.String(), Metric: fmt.Sprintf("%s %s", s.Split, s.Metric), CPU: s.Value, CUDA: b.Scores[i].Value,
				})
			}
		}
	}
	return pairs
}

// latencySuites are timed one after the other. A model's name in the results
// ends with the form that the suite times it in.
var latencySuites = []struct{ file, form string }{
	{"latency.yaml", ""},
	{"latency-last.yaml", ", pyg_last"},
}

// latency times inference on a device.
func (c *check) latency(device string) func(context.Context) error {
	return func(ctx context.Context) (all error) {
		for _, suite := range latencySuites {
			out, err := c.bench(ctx, "latency", suite.file, "--json", "--device", device)
			var s latency.Summary
			err = errors.Join(err, json.Unmarshal(out, &s))
			times, timesErr := timesOf(s, device, suite.form)
			c.results.Times = append(c.results.Times, times...)
			if err = errors.Join(err, timesErr); err != nil {
				all = errors.Join(all, fmt.Errorf("%s, %s: %w", suite.file, device, err))
			}
		}
		return all
	}
}

// timesOf returns what was measured; the error says why the rest was not.
func timesOf(s latency.Summary, device, form string) (all []Time, err error) {
	for _, m := range s.Models {
		if m.Error != "" {
			err = errors.Join(err, fmt.Errorf("%s, %s: %s", m.Model, device, m.Error))
		}
		for _, t := range m.Timings {
			found := Time{
				Task: inference, Model: m.Model + form, Way: device + ", " + cmp.Or(t.Mode, m.Mode),
				Seconds: t.Iterations, P50: t.P50, P99: t.P99, Notes: t.Warnings,
			}
			if t.Batch == 1 {
				found.Task = singleEvents
			}
			if t.Cache != "" {
				found.Notes = append([]string{t.Cache}, t.Warnings...)
			}
			if t.Error != "" {
				err = errors.Join(err, fmt.Errorf("%s, %s: %s", found.Model, found.Way, t.Error))
				continue
			}
			all = append(all, found)
		}
	}
	return all, err
}
