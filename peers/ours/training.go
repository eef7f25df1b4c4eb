package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"
)

// taken is the answer to a number of batches.
type taken struct {
	Seconds float64   `json:"seconds"`
	Losses  []float64 `json:"losses"`
}

func training(streamPath, modelPath string) error {
	stream, negatives, err := readStream(streamPath)
	if err != nil {
		return err
	}
	m, c, err := readModel(modelPath, stream)
	if err != nil {
		return err
	}
	todo := batches(stream.Slice(c.From, stream.Len()), c.Batch)
	negatives = negatives[c.From:]
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		if err != nil || n < 0 || n > len(todo) {
			return fmt.Errorf("%q batches, expected 0 to %d", lines.Text(), len(todo))
		}
		var t taken
		start := time.Now()
		for _, b := range todo[:n] {
			loss, err := m.Train(b, negatives[:b.Len()])
			if err != nil {
				return err
			}
			t.Losses = append(t.Losses, loss)
			negatives = negatives[b.Len():]
		}
		t.Seconds = time.Since(start).Seconds()
		todo = todo[n:]
		if err := json.NewEncoder(os.Stdout).Encode(t); err != nil {
			return err
		}
	}
	return nil
}
