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
	"time"

	"dgsbench/harness/latency"
	"dgsbench/internal/lists"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// By how much a score may differ between devices after training. Rounding stays
// small in some models. In others it grows from step to step: their scores differ
// by up to .048 on one processor, if a learning rate differs by a millionth.
const (
	sameScores  = .002
	closeScores = .06
)

// trainings trains the models of a suite on the card and on the processor, and
// compares the scores. Where there is only time for some, those are compared.
func (c *check) trainings(suite string, limit float64) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		for _, device := range []string{devices.CUDA, devices.CPU} {
			if _, runErr := c.bench(ctx, "run", suite+".yaml", "--device", device); runErr != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", device, runErr))
			}
		}
		pairs, compareErr := agreements(record.Store{Dir: c.records()}, "gpu-"+suite, limit)
		for _, a := range pairs {
			c.results.addAgreement(a)
		}
		return errors.Join(err, compareErr)
	}
}

// agreements compares the scores of a suite's records. The error names records
// that could not be read and scores that differ by more than limit.
func agreements(store record.Store, suite string, limit float64) ([]Agreement, error) {
	records, incomplete, err := store.Load(suite)
	for _, file := range incomplete {
		err = errors.Join(err, fmt.Errorf("%s has no whole sidecar beside it: it is not compared", file))
	}
	pairs := compare(records)
	if len(pairs) == 0 {
		return nil, errors.Join(err, errors.New("there is no score of both devices"))
	}
	for _, a := range pairs {
		if !(math.Abs(float64(a.CPU-a.CUDA)) <= limit) {
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

// patienceForModel is how long one model may be timed.
const patienceForModel = 40 * time.Second

// latency times inference on a device, each model with its variants in a program
// of its own: one that fails or hangs does not take the others' times with it.
func (c *check) latency(device string) func(context.Context) error {
	return func(ctx context.Context) (all error) {
		for _, suite := range latencySuites {
			trials, err := trialsOf("gpu-"+strings.TrimSuffix(suite.file, ".yaml"), c.results.Tiny)
			all = errors.Join(all, err)
			for _, variants := range lists.GroupBy(trials, func(t specs.Trial) string { return t.ModelID }) {
				model := variants[0].ModelID
				err := within(ctx, c.limit(patienceForModel), func(ctx context.Context) error {
					return c.latencyOf(ctx, model, suite.file, suite.form, device)
				})
				if err != nil {
					all = errors.Join(all, fmt.Errorf("%s of %s, %s: %w", model, suite.file, device, err))
				}
			}
		}
		return all
	}
}

// latencyOf times one model and its variants.
func (c *check) latencyOf(ctx context.Context, model, file, form, device string) error {
	out, err := c.bench(ctx, "latency", file, "--models", model, "--json", "--verbose", "--device", device) // the last line says how far it came
	var s latency.Summary
	err = errors.Join(err, json.Unmarshal(out, &s))
	times, timesErr := timesOf(s, device, form)
	for _, t := range times {
		c.results.addTime(t)
	}
	return errors.Join(err, timesErr)
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
