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
	"dgsbench/specs"
)

// readTimes reads latency tests from a store.
func readTimes(t *testing.T, s record.Store, records ...record.Record) []results.LatencyTest {
	t.Helper()
	tests, err := results.ReadTimes(s, records)
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

// TestLatencyRows: mean and deviation over iterations, quantiles over batches.
func TestLatencyRows(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	rows := results.LatencyRows(readTimes(t, s, recordtest.WriteLatency(t, s, "dgs", "1"), record.Record{Error: "failed"}))
	var out bytes.Buffer
	if err := results.WriteCSV(&out, rows); err != nil {
		t.Fatal(err)
	}
	want := `suite,dataset,task,setting,model,variant,candidates,split,device,metric,unit,mean,std,n,ci_low,ci_high,case,degenerate,caveat
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_2x100,s,0.005,0.001414213562,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_batch_100_p50,s,0.002,,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_batch_100_p90,s,0.004,,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_batch_100_p99,s,0.004,,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_batch_100_p99.9,s,0.004,,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_batch_100_max,s,0.004,,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,throughput_batch_100,events/s,40000,,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_batch_1_p50,s,3e-06,,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_batch_1_p90,s,6e-05,,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_batch_1_p99,s,6e-05,,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_batch_1_p99.9,s,6e-05,,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,latency_batch_1_max,s,6e-05,,2,,,,false,
latency,wikipedia-sim,nc,,dgs,,,last,cpu,throughput_batch_1,events/s,80000,,2,,,,false,
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestLatencyTables: the paper's values beside ours where the test is the
// same, warnings as footnotes, failures with their reason.
func TestLatencyTables(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	r, times := recordtest.Latency("dgs", "1")
	r.Latency.Timings[0].Batches, r.Latency.Timings[0].Batch = 200, 200
	for i := range 400 {
		times["batch_200"] = append(times["batch_200"], 100_000+int64(i%200)*100)
	}
	delete(times, "batch_100")
	r.Footnotes = []string{"simulated data"}
	r = recordtest.Write(t, s, r, times)
	failed, _ := recordtest.Latency("raw", "1")
	failed.Error = "raw: it broke"
	layout := results.Layout{
		Models:   []results.ModelHead{{ID: "dgs", Title: "DGS", Class: protocol.Learned}, {ID: "raw", Title: "Raw", Class: protocol.Learned}},
		Datasets: []results.DatasetHead{{ID: "wikipedia-sim", Title: "wikipedia-sim"}, {ID: "mooc-sim", Title: "mooc-sim"}},
	}
	tables := makeTables(t, results.Input{Timed: readTimes(t, s, r, failed), Latency: layout, Command: "bench latency", Subtitle: "latency: made up"}, "latency").Tables
	if len(tables) != 2 {
		t.Fatal(len(tables))
	}
	var out bytes.Buffer
	for _, made := range tables {
		if err := table.WriteMarkdown(&out, made); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join("testdata", "latency.md")
	want, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		_ = os.WriteFile(filepath.Join("testdata", ".got-latency.md"), out.Bytes(), 0o644)
		t.Errorf("%s (-want +got), the new one is beside it as .got-latency.md:\n%s", file, diff)
	}
}

// TestLatencyModes: a table says of which mode it is, and is of one alone.
func TestLatencyModes(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	ahead := func(model string) record.Record {
		r, _ := recordtest.Latency(model, "1")
		r.Latency.Mode, r.Latency.Timings, r.PaperName = record.Known, []record.Timing{{Batch: 200, Batches: 1, Iterations: 2}}, ""
		return recordtest.Write(t, s, r, record.Times{"batch_200": {1e6, 3e6}})
	}
	layout := results.Layout{
		Models:   []results.ModelHead{{ID: "dgs", Title: "DGS", Class: protocol.Learned}, {ID: "raw", Title: "Raw", Class: protocol.Learned}},
		Datasets: []results.DatasetHead{{ID: "wikipedia-sim", Title: "wikipedia-sim"}},
	}
	in := results.Input{Timed: readTimes(t, s, ahead("dgs"), ahead("raw")), Latency: layout}
	tables := makeTables(t, in, "latency").Tables
	if len(tables) != 1 || !strings.Contains(tables[0].Title, "whole stream known in advance: 200 events") ||
		!strings.HasPrefix(tables[0].Legend[0], "whole stream known in advance: ") {
		t.Fatalf("%+v", tables)
	}
	for i, row := range tables[0].Blocks[0] { // no distribution over one batch
		if len(tables[0].Columns) != 2 || len(row) != 2 {
			t.Errorf("%d columns, %d entries in row %d, expected model and seconds", len(tables[0].Columns), len(row), i)
		}
	}
	in.Timed = readTimes(t, s, ahead("dgs"), recordtest.WriteLatency(t, s, "raw", "1"))
	if _, err := results.Make(in, specs.Tables{Show: []specs.Table{{ID: "latency"}}}); err == nil || !strings.Contains(err.Error(), "would share a cell of the table") {
		t.Errorf("two modes: %v", err)
	}
}

// TestLatestRun: records of other runs of the same dataset are left out.
func TestLatestRun(t *testing.T) {
	old, _ := recordtest.Latency("dgs", "2026-01-01T00:00:00Z")
	latest, _ := recordtest.Latency("raw", "2026-01-02T00:00:00Z")
	elsewhere, _ := recordtest.Latency("dgs", "2026-01-01T00:00:00Z")
	elsewhere.Key.Dataset = "mooc-sim"
	got, left := record.LatestRun([]record.Record{old, latest, elsewhere, {}})
	if len(got) != 2 || left != 2 || got[0].Key.Model != "raw" || got[1].Key.Dataset != "mooc-sim" {
		t.Errorf("%d records, %d left out: %+v", len(got), left, got)
	}
}
