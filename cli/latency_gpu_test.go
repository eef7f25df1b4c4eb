//go:build gpu

package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/harness/latency"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/devices"
)

// cardSuite is a latency test of milliseconds on a card.
const cardSuite = `name: toy-latency
title: Toy
protocol: {batch: 20, latency: {batches: 2, iterations: 2, lead: 20}}
runs:
  - {task: nc, datasets: [toy], models: [raw, user-count]}
`

// TestLatencyOnCard: graphs are in the report, the rows and a table of their
// own, apart from streaming.
func TestLatencyOnCard(t *testing.T) {
	t.Setenv(devices.LibraryVariable, cudatest.Library(t))
	dir := latencyWorkplace(t, cardSuite)
	code, stdout, stderr := bench(latencyArgs(dir, "--device", "cuda", "--json")...)
	if code != exitDone || !strings.Contains(stderr, "/4] toy: 2 times one graph of 2 batches of 20") {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	var r latency.Summary
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	var modes []string
	for _, m := range r.Models {
		for _, at := range m.Timings {
			modes = append(modes, m.Model+" "+at.Mode)
		}
	}
	if got := strings.Join(modes, ", "); got != "raw streaming, raw graph, raw graph with copies, user-count streaming" {
		t.Errorf("it measures %s", got)
	}
	csv := read(t, dir, "out", "toy-latency", "results.csv")
	for _, metric := range []string{"latency_2x20", "latency_2x20_graph", "latency_2x20_graph_with_copies"} {
		if !strings.Contains(csv, ",cuda,"+metric+",s,") {
			t.Errorf("no %s in\n%s", metric, csv)
		}
	}
	tables := read(t, dir, filepath.Join("out", "toy-latency", "tables.md"))
	for _, want := range []string{"### Latency on toy, node classification, one graph: 2 batches of 20 events", "no batch has a time of its own", "warm L2"} {
		if !strings.Contains(tables, want) {
			t.Errorf("no %q in\n%s", want, tables)
		}
	}
}
