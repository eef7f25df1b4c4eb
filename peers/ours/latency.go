package main

import (
	"bufio"
	"fmt"
	"os"
	"time"

	"dgsbench/datasets"
	"dgsbench/internal/safetensors"
	"dgsbench/models"
)

func latency(streamPath, modelPath, logitsPath string) error {
	stream, _, err := readStream(streamPath)
	if err != nil {
		return err
	}
	stream = stream.WithoutLabels()
	m, c, err := readModel(modelPath, stream)
	if err != nil {
		return err
	}
	for _, b := range batches(stream.Slice(0, c.From), c.Batch) {
		if err := m.Observe(b); err != nil {
			return err
		}
	}
	measured := batches(stream.Slice(c.From, stream.Len()), c.Batch)
	logits := make([]float32, stream.Len()-c.From)
	warm := m.Snapshot(models.Everything)
	if _, err := pass(m, measured, logits); err != nil {
		return err
	}
	if err := writeLogits(logitsPath, logits); err != nil {
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

// batches cuts a stream into windows.
func batches(s datasets.Stream, size int) []datasets.Stream {
	var out []datasets.Stream
	for lo := 0; lo < s.Len(); lo += size {
		out = append(out, s.Slice(lo, min(lo+size, s.Len())))
	}
	return out
}

// pass classifies the batches and says how long it took.
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

func writeLogits(path string, logits []float32) error {
	data, err := safetensors.Encode([]safetensors.Tensor{{Name: "logits", Shape: []int{len(logits)}, F32: logits}}, nil)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
