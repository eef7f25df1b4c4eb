// Command ours is our side of the comparisons in this folder's parent: it
// runs a registered model on data that a script wrote, and answers on
// standard output, a line of JSON for every line of standard input. So a
// script alternates between this process and its own measurement.
//
//	ours latency  STREAM MODEL LOGITS
//	ours training STREAM MODEL
//
// STREAM and MODEL are safetensors files, described at readStream and
// readModel. latency warms the state up, writes the logits of the events that
// are measured to LOGITS and answers {}; then every line is answered with the
// seconds of one pass over them. training answers each line, a number of
// batches, with the seconds that the next ones took, and their losses.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"dgsbench/datasets"
	"dgsbench/internal/safetensors"
	"dgsbench/models"
	_ "dgsbench/models/standard"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ours:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	latencies := len(args) == 4 && args[0] == "latency"
	if !latencies && !(len(args) == 3 && args[0] == "training") {
		return fmt.Errorf("usage: ours latency STREAM MODEL LOGITS, or ours training STREAM MODEL")
	}
	stream, negatives, err := readStream(args[1])
	if err != nil {
		return err
	}
	m, c, err := readModel(args[2], stream)
	if err != nil {
		return err
	}
	if latencies {
		return latency(m, c, stream.WithoutLabels(), args[3])
	}
	return training(m, slices.Collect(stream.Slice(c.From, stream.Len()).Batches(c.Batch)), negatives[c.From:])
}

func latency(m models.Model, c spec, stream datasets.Stream, logitsPath string) error {
	for b := range stream.Slice(0, c.From).Batches(c.Batch) {
		if err := m.Observe(b); err != nil {
			return err
		}
	}
	measured := slices.Collect(stream.Slice(c.From, stream.Len()).Batches(c.Batch))
	logits := make([]float32, stream.Len()-c.From)
	warm := m.Snapshot(models.Everything)
	if _, err := pass(m, measured, logits); err != nil {
		return err
	}
	data, err := safetensors.Encode([]safetensors.Tensor{{Name: "logits", Shape: []int{len(logits)}, F32: logits}}, nil)
	if err != nil {
		return err
	}
	if err := os.WriteFile(logitsPath, data, 0o644); err != nil {
		return err
	}
	fmt.Println("{}")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if err := m.Restore(warm); err != nil {
			return err
		}
		seconds, err := pass(m, measured, logits)
		if err != nil {
			return err
		}
		fmt.Printf("{\"seconds\": %g}\n", seconds)
	}
	return nil
}

// pass classifies the batches and returns how long it took.
func pass(m models.Model, measured []datasets.Stream, logits []float32) (seconds float64, err error) {
	start := time.Now()
	for _, b := range measured {
		if err := m.Classify(b, logits[:b.Len()]); err != nil {
			return 0, err
		}
		logits = logits[b.Len():]
	}
	return time.Since(start).Seconds(), nil
}

func training(m models.Model, batches []datasets.Stream, negatives []int32) error {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		if err != nil || n < 0 || n > len(batches) {
			return fmt.Errorf("%q batches, expected 0 to %d", lines.Text(), len(batches))
		}
		var answer struct {
			Seconds float64   `json:"seconds"`
			Losses  []float64 `json:"losses"`
		}
		start := time.Now()
		for _, b := range batches[:n] {
			loss, err := m.Train(b, negatives[:b.Len()])
			if err != nil {
				return err
			}
			answer.Losses = append(answer.Losses, loss)
			negatives = negatives[b.Len():]
		}
		answer.Seconds = time.Since(start).Seconds()
		batches = batches[n:]
		if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
			return err
		}
	}
	return nil
}
