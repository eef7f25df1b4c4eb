//go:build gpu

package standard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/cuda"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// TestWork counts what a batch asks of a card, for every learned model, and
// compares it with the table of docs/cuda.md, which has all rows of the shipped
// models; those of others may be left out. With -v it prints all rows.
func TestWork(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "cuda.md"))
	if err != nil {
		t.Fatal(err)
	}
	calls := map[protocol.Task][]string{
		protocol.NodeClassification: {"train", "classify"},
		protocol.LinkPrediction:     {"train", "observe"},
	}
	rows := map[string]bool{}
	for _, name := range models.Names() {
		kind, err := models.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if !kind.Trainable() {
			continue
		}
		for _, task := range kind.Tasks {
			for _, call := range calls[task] {
				w := workOf(t, kind, task, call)
				what := fmt.Sprintf("| %s | %s | %s |", name, task, call)
				row := fmt.Sprintf("%s %d | %d | %d | %d | %d | %d |", what, w.Launches, w.Repeats, w.Fills, w.Uploads, w.Downloads, w.Waits)
				t.Log(row)
				rows[row] = true
				if slices.Contains(shipped, name) && !strings.Contains(string(page), "\n"+row+"\n") {
					t.Errorf("docs/cuda.md does not have the row\n%s", row)
				}
			}
		}
	}
	_, table, _ := strings.Cut(string(page), "| model | task | call | launches |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range strings.Split(table, "\n")[2:] {
		if !rows[row] {
			t.Errorf("docs/cuda.md has the row\n%s\nwhich no model has", row)
		}
	}
}

// workOf is what one batch asks for, after two batches of training and, for
// another call, two batches of that: so all sizes have occurred before.
func workOf(t *testing.T, kind models.Kind, task protocol.Task, call string) cuda.Work {
	t.Helper()
	const batch = 40
	d := cudatest.Device(t).(*cuda.Device)
	s := modeltest.Random(1, 400)
	m := onCard(t, d, kind, task, s, batch)
	logits := make([]float32, batch)
	calls := map[string]func(b datasets.Stream) error{
		"train":    func(b datasets.Stream) error { _, err := m.Train(b, b.Dst); return err },
		"classify": func(b datasets.Stream) error { return m.Classify(b, logits) },
		"observe":  m.Observe,
	}
	names := []string{"train", "train", "train"}
	if call != "train" {
		names = []string{"train", "train", call, call, call}
	}
	var work cuda.Work
	for i, name := range names {
		d.Work()
		if err := calls[name](s.Slice(i*batch, (i+1)*batch)); err != nil {
			t.Fatal(err)
		}
		work = d.Work()
	}
	return work
}
