//go:build gpu

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"

	"dgsbench/kernels/devices"
)

var bothDevices = []string{devices.CPU, devices.CUDA}

// closeScores is by how much a score may differ between devices after
// training: rounding grows from step to step.
const closeScores = .02

// agreement trains on both devices and compares the scores.
func (c *check) agreement(ctx context.Context) error {
	for _, device := range bothDevices {
		if _, err := c.bench(ctx, "run", "agreement.yaml", "--device", device); err != nil {
			return fmt.Errorf("%s: %w", device, err)
		}
	}
	all, err := readRecords(filepath.Join(c.records(), "gpu-agreement"))
	if err != nil {
		return err
	}
	c.report.Agreement = compare(all)
	if len(c.report.Agreement) == 0 {
		return errors.New("there is no score of both devices")
	}
	for _, a := range c.report.Agreement {
		if !(math.Abs(a.CPU-a.CUDA) <= closeScores) {
			return fmt.Errorf("%s of %s: %.4f on the processor, %.4f on the card", a.Metric, a.Cell, a.CPU, a.CUDA)
		}
	}
	return nil
}

// compare puts scores of the same trial beside each other.
func compare(all []record) []Agreement {
	var out []Agreement
	for _, a := range all {
		for _, b := range all {
			if a.Key != b.Key || a.Device != devices.CPU || b.Device != devices.CUDA {
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

// latency times inference on the card, then on the processor.
func (c *check) latency(ctx context.Context) error {
	for _, device := range []string{devices.CUDA, devices.CPU} {
		out, err := c.bench(ctx, "latency", "latency.yaml", "--json", "--device", device)
		if err != nil {
			return fmt.Errorf("%s: %w", device, err)
		}
		var r struct {
			Models []struct {
				Dataset, Title string
				Timings        []struct {
					Batch, Batches int
					Iterations     []float64
					P50, P99       float64
				}
			}
		}
		if err := json.Unmarshal(out, &r); err != nil {
			return err
		}
		for _, m := range r.Models {
			for _, t := range m.Timings {
				c.report.Latency = append(c.report.Latency, Latency{
					Model: m.Title, Dataset: m.Dataset, Device: device, Batch: t.Batch, Batches: t.Batches,
					Iterations: t.Iterations, P50: t.P50, P99: t.P99,
				})
			}
		}
	}
	return nil
}

// training times epochs and the ranking of the test part, on the card.
func (c *check) training(ctx context.Context) error {
	_, err := c.bench(ctx, "run", "training.yaml", "--workers", "1", "--device", devices.CUDA)
	all, readErr := readRecords(filepath.Join(c.records(), "gpu-training"))
	for _, r := range all {
		t := Training{Cell: r.Key.String(), Device: r.Device, Test: r.Durations.Test}
		for _, e := range r.Epochs {
			t.Epochs = append(t.Epochs, e.Seconds)
		}
		c.report.Training = append(c.report.Training, t)
	}
	return errors.Join(err, readErr)
}

// peers times what PyTorch takes for the latency test of DGS, where it is
// installed.
func (c *check) peers(ctx context.Context) error {
	if err := exec.CommandContext(ctx, "python3", "-c", "import torch").Run(); err != nil {
		return fmt.Errorf("%w: python3 has no torch", errSkipped)
	}
	arguments := []string{"dgs_card.py"}
	if c.report.Tiny {
		arguments = append(arguments, "--tiny")
	}
	out, err := output(ctx, c.home, "python3", arguments...)
	for line := range bytes.Lines(out) { // also of what was done before a failure
		var p Peer
		if json.Unmarshal(line, &p) == nil {
			c.report.Peers = append(c.report.Peers, p)
		}
	}
	return err
}
