package results

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
	"dgsbench/specs"
)

// TestTableBytesAreAllocated: what is said before the facts are read is about
// what summarising them takes of the heap, garbage included.
func TestTableBytesAreAllocated(t *testing.T) {
	const events = 5_000
	for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
		s, setting := record.Store{Dir: t.TempDir()}, protocol.Setting("")
		if task == protocol.LinkPrediction {
			setting = protocol.Transductive
		}
		for seed := range uint64(3) {
			rng, o := rand.New(rand.NewPCG(seed, 0)), record.Observed{}
			for _, part := range record.Parts(task, "") {
				var f metrics.Facts
				for k := range events {
					if setting == "" {
						f.Score, f.Label = append(f.Score, rng.Float32()), append(f.Label, int8(k%2))
					} else {
						f.Greater, f.Equal = append(f.Greater, rng.Int32N(99)), append(f.Equal, rng.Int32N(3))
					}
				}
				o[part] = f
			}
			r := recordtest.Trial(task, setting, "dgs", seed)
			r.Data = &record.Data{Events: 11 * events, Parts: []record.DataPart{{Events: 9 * events}, {Events: events}, {Events: events}}}
			recordtest.Write(t, s, r, o)
		}
		records, _, err := s.Load("")
		if err != nil {
			t.Fatal(err)
		}
		cells, err := newCells(records)
		if err != nil {
			t.Fatal(err)
		}
		said := bytesOf(cells, specs.Tables{})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Aggregate(s, records, specs.Tables{}, nil); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		took := after.TotalAlloc - before.TotalAlloc
		if share := float64(took) / float64(said); share < .5 || share > 4 {
			t.Errorf("%s: %d bytes allocated, %.2f of the %d said before", task, took, share, said)
		} else {
			t.Logf("%s: %.2f", task, share)
		}
	}
}

// TestTablesWithoutRoom are refused with the numbers before any facts are
// read.
func TestTablesWithoutRoom(t *testing.T) {
	r := recordtest.Trial(protocol.NodeClassification, "", "dgs", 0)
	r.Data = &record.Data{Parts: []record.DataPart{{}, {Events: 1 << 40}, {Events: 1 << 40}}}
	_, err := Aggregate(record.Store{Dir: t.TempDir()}, []record.Record{r}, specs.Tables{}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "the tables of ") || !strings.Contains(err.Error(), " GB are free; leave models or datasets out") {
		t.Error(err)
	}
}
