//go:build gpu

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"dgsbench/kernels/devices"
)

// closeScores is by how much a score may differ between devices after
// training: rounding grows from step to step.
const closeScores = .02

// smallTrainings trains all models on both devices.
func (c *check) smallTrainings(ctx context.Context) error { return c.trainings(ctx, "agreement") }

// largeTrainings trains those whose epochs are timed.
func (c *check) largeTrainings(ctx context.Context) error { return c.trainings(ctx, "training") }

// trainings trains on the card and on the processor, and compares the scores.
// Where there is only time for a part, that is compared.
func (c *check) trainings(ctx context.Context, suite string) error {
	var err error
	for _, device := range []string{devices.CUDA, devices.CPU} {
		if _, runErr := c.bench(ctx, "run", suite+".yaml", "--device", device); runErr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", device, runErr))
		}
	}
	all, readErr := readRecords(filepath.Join(c.records(), "gpu-"+suite))
	found := compare(all)
	c.report.Agreement = append(c.report.Agreement, found...)
	if len(found) == 0 {
		return errors.Join(err, readErr, errors.New("there is no score of both devices"))
	}
	for _, a := range found {
		if !(math.Abs(a.CPU-a.CUDA) <= closeScores) {
			err = errors.Join(err, fmt.Errorf("%s of %s: %.4f on the processor, %.4f on the card", a.Metric, a.Cell, a.CPU, a.CUDA))
		}
	}
	return errors.Join(err, readErr)
}

// compare puts scores of the same trial beside each other.
func compare(all []record) []Agreement {
	var out []Agreement
	for _, a := range all {
		for _, b := range all {
			if a.Key != b.Key || !strings.HasPrefix(a.Device, devices.CPU) || b.Device != devices.CUDA || len(a.Scores) != len(b.Scores) {
				continue
			}
			for i, s := range a.Scores {
				metric := fmt.Sprintf("%s %s", s.Split, s.Metric)
				out = append(out, Agreement{Cell: a.Key.String(), Metric: metric, CPU: s.Value, CUDA: b.Scores[i].Value})
			}
		}
	}
	return out
}
