package results_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
	"dgsbench/results/table"
)

// TestGraphRows: the mean of the medians, under metrics of their own, after
// those of streaming, which do not change.
func TestGraphRows(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	r, times := recordtest.Graphs("dgs")
	r = recordtest.Write(t, s, r, times)
	rows := results.LatencyRows(readTimes(t, s, r))
	streaming := results.LatencyRows(readTimes(t, s, recordtest.WriteLatency(t, s, "raw", "1")))
	var out bytes.Buffer
	if err := results.WriteCSV(&out, rows[len(streaming):]); err != nil {
		t.Fatal(err)
	}
	want := `suite,dataset,task,setting,model,variant,candidates,split,device,metric,unit,mean,std,n,ci_low,ci_high,case,degenerate,caveat
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_2x100_graph,s,0.0025,0.0007071067812,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_2x100_graph_with_copies,s,0.0045,0.0007071067812,2,,,,false,
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestGraphTable: a table of its own for graphs, without those models that
// have none.
func TestGraphTable(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	r, times := recordtest.Graphs("dgs")
	half, halfTimes := recordtest.Graphs("tgn")
	half.Latency.Graphs[1].Error = "tgn: other answers"
	delete(halfTimes, half.Latency.Graphs[1].Array())
	r, half = recordtest.Write(t, s, r, times), recordtest.Write(t, s, half, halfTimes)
	head := func(id string) results.ModelHead {
		return results.ModelHead{ID: id, Title: strings.ToUpper(id), Class: protocol.Learned}
	}
	layout := results.Layout{
		Models:   []results.ModelHead{head("dgs"), head("tgn"), head("raw")},
		Datasets: []results.DatasetHead{{ID: "wikipedia-sim", Title: "wikipedia-sim"}},
	}
	timed := readTimes(t, s, r, half, recordtest.WriteLatency(t, s, "raw", "1"))
	tables := makeTables(t, results.Input{Timed: timed, Latency: layout, Command: "bench latency", Subtitle: "latency: made up"}, "latency").Tables
	if len(tables) != 3 {
		t.Fatal(len(tables))
	}
	var out bytes.Buffer
	if err := table.WriteMarkdown(&out, tables[2]); err != nil {
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
