package results_test

import (
	"testing"

	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results"
)

func TestPaperHasEveryCellOfItsTables(t *testing.T) {
	datasets := []string{"Wikipedia", "Mooc", "Reddit"}
	ncModels := []string{"raw", "tgn-id", "jodie", "tgn-attn", "graph-sprints", "dgs", "dgs-s", "dgs-v", "dgs-sum", "dgs-bp"}
	for _, dataset := range datasets {
		for _, model := range ncModels {
			checkReference(t, "nc", "", model, dataset, "auc")
		}
		for _, setting := range []protocol.Setting{protocol.Transductive, protocol.Inductive} {
			for _, model := range []string{"tgn-id", "jodie", "tgn-attn", "graph-sprints", "dgs"} {
				checkReference(t, "lp", setting, model, dataset, "mrr")
				checkReference(t, "lp", setting, model, dataset, "recall@10")
			}
		}
	}
}

func checkReference(t *testing.T, task protocol.Task, setting protocol.Setting, model, dataset, metric string) {
	t.Helper()
	ref, ok := results.Paper(task, setting, model, dataset, metric)
	if !ok || ref.Mean <= 0 || ref.Mean >= 100 || !(ref.Std > 0) || ref.Source == "" {
		t.Errorf("%s %s, %s on %s, %s: %+v, %v", task, setting, model, dataset, metric, ref, ok)
	}
}

func TestPaperValues(t *testing.T) {
	for _, c := range []struct {
		task                   protocol.Task
		setting                protocol.Setting
		model, dataset, metric string
		mean                   float64
		std                    optional.Number
	}{
		{"nc", "", "dgs", "Wikipedia", "auc", 89.2, 2.2},
		{"nc", "", "graph-sprints", "mooc", "auc", 75.0, 0.2},
		{"nc", "", "dgs-bp", "Mooc", "auc", 72.6, 13.2},
		{"lp", "T", "tgn-attn", "WIKIPEDIA", "recall@10", 78.3, 0.6},
		{"lp", "I", "dgs", "Reddit", "mrr", 56.9, 30.9},
		{"nc", "", "dgs", "Wikipedia", "latency_200x200", 0.24, 0.002},
		{"nc", "", "dgs-sum", "Reddit", "latency_200x200", 0.23, 0.0004},
	} {
		ref, ok := results.Paper(c.task, c.setting, c.model, c.dataset, c.metric)
		if !ok || ref.Mean != c.mean || ref.Std != c.std {
			t.Errorf("%+v: got %v ± %v, %v", c, ref.Mean, ref.Std, ok)
		}
	}
	if ref, ok := results.Paper("nc", "", "graph-sprints", "Mooc", "latency_200x200"); !ok || ref.Mean != 0.24 || ref.Std.Present() {
		t.Errorf("Graph-Sprints on MOOC: %+v, %v, expected .24 s without a deviation", ref, ok)
	}
	for _, c := range [][5]string{
		{"nc", "", "jodie", "Wikipedia", "latency_200x200"}, // in a figure only
		{"nc", "", "edgebank", "Wikipedia", "auc"}, {"lp", "T", "raw", "Wikipedia", "mrr"}, {"nc", "", "dgs", "", "auc"},
	} {
		if ref, ok := results.Paper(protocol.Task(c[0]), protocol.Setting(c[1]), c[2], c[3], c[4]); ok {
			t.Errorf("%v: %+v, want nothing", c, ref)
		}
	}
}
