package results_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/results"
)

// graphRecord is a latencyRecord with both modes of a graph, in iterations of
// three replays; in the second one the first iteration is slow.
func graphRecord(model string) (results.Record, results.Samples, results.Replays) {
	r, samples := latencyRecord(model, "1")
	timing := results.GraphTiming{Mode: results.Graph, Batch: 100, Batches: 2, Iterations: 2, Replays: 3, Cache: results.WarmL2}
	copied := timing
	copied.Mode, copied.Warnings = results.GraphWithCopies, []string{"something"}
	r.Latency.Graphs = []results.GraphTiming{timing, copied}
	return r, samples, results.Replays{
		results.Graph:           {1e6, 9e6, 2e6, 3e6, 4e6, 3e6},
		results.GraphWithCopies: {5e6, 5e6, 5e6, 4e6, 4e6, 4e6},
	}
}

// TestGraphRows: the mean of the medians, under metrics of their own, after
// those of streaming, which do not change.
func TestGraphRows(t *testing.T) {
	s := results.Store{Dir: t.TempDir()}
	r, samples, replays := graphRecord("dgs")
	r, err := s.WriteLatency(r, samples, replays)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := results.LatencyRows(s, []results.Record{r})
	if err != nil {
		t.Fatal(err)
	}
	streaming, err := results.LatencyRows(s, []results.Record{writeLatency(t, s, "raw", "1")})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := results.WriteCSV(&out, rows[len(streaming):]); err != nil {
		t.Fatal(err)
	}
	want := `suite,dataset,task,setting,model,variant,candidates,split,device,metric,unit,mean,std,n,ci_low,ci_high,case
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_2x100_graph,s,0.0025,0.0007071067812,2,,,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_2x100_graph_with_copies,s,0.0045,0.0007071067812,2,,,
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestGraphTable: a table of its own for graphs, without those models that
// have none.
func TestGraphTable(t *testing.T) {
	s := results.Store{Dir: t.TempDir()}
	r, samples, replays := graphRecord("dgs")
	half, halfSamples, halfReplays := graphRecord("tgn")
	half.Latency.Graphs[1].Error = "tgn: other answers"
	delete(halfReplays, results.GraphWithCopies)
	var err error
	if r, err = s.WriteLatency(r, samples, replays); err != nil {
		t.Fatal(err)
	}
	if half, err = s.WriteLatency(half, halfSamples, halfReplays); err != nil {
		t.Fatal(err)
	}
	head := func(id string) results.ModelHead {
		return results.ModelHead{ID: id, Title: strings.ToUpper(id), Class: results.Learned}
	}
	layout := results.Layout{
		Models:   []results.ModelHead{head("dgs"), head("tgn"), head("raw")},
		Datasets: []results.DatasetHead{{ID: "wikipedia-sim", Title: "wikipedia-sim"}},
		Command:  "bench latency", Subtitle: "latency: made up",
	}
	tables, err := results.LatencyTables(s, []results.Record{r, half, writeLatency(t, s, "raw", "1")}, layout)
	if err != nil || len(tables) != 3 {
		t.Fatal(len(tables), err)
	}
	var out bytes.Buffer
	if err := results.WriteMarkdown(&out, tables[2]); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "latency-graph.md")
	want, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		_ = os.WriteFile(filepath.Join("testdata", ".got-latency-graph.md"), out.Bytes(), 0o644)
		t.Errorf("%s (-want +got), the new one is beside it as .got-latency-graph.md:\n%s", file, diff)
	}
}

// TestReplaysThatDoNotFit the record are refused.
func TestReplaysThatDoNotFit(t *testing.T) {
	s := results.Store{Dir: t.TempDir()}
	for want, change := range map[string]func(*results.Record, results.Replays){
		"graph: 5, expected 2 x 3": func(_ *results.Record, all results.Replays) { all[results.Graph] = all[results.Graph][1:] },
		"graph: 0, expected 2 x 3": func(_ *results.Record, all results.Replays) { delete(all, results.Graph) },
		"2 modes do not fit":       func(r *results.Record, _ results.Replays) { r.Latency.Graphs[0].Error = "failed" },
	} {
		r, samples, replays := graphRecord("dgs")
		change(&r, replays)
		if _, err := s.WriteLatency(r, samples, replays); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}
