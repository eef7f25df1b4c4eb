package results_test

import (
	"bytes"
	"strings"
	"testing"

	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// TestTrainingTable: a rate is that of the training part in the median epoch, without
// validation; models without times are left out.
func TestTrainingTable(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	in := results.Input{Store: s}
	in.Classification.Settings = []protocol.Setting{""}
	in.Classification.Datasets = []results.DatasetHead{{ID: "new", Title: "new"}}
	for i, model := range []string{"fast", "slow", "older"} {
		planted{"new", model, protocol.Learned, 3, .5, func(r *record.Record, _ record.Observed) {
			r.Epochs, r.BestEpoch, r.Threads = nil, 0, 2
			r.Data = &record.Data{Events: 24_000, Parts: []record.DataPart{{Events: 6000}, {Events: 9000}, {Events: 9000}}}
			for _, seconds := range []float64{7, .5, .25} { // the first one is disturbed
				e := record.Epoch{Seconds: 100, Training: seconds * float64(1+i) / float64(1+r.Key.Seed)}
				if model == "older" {
					e.Training = 0
				}
				r.Epochs = append(r.Epochs, e)
			}
		}}.write(t, s)
		in.Classification.Models = append(in.Classification.Models, results.ModelHead{ID: model, Title: "The " + model, Class: protocol.Learned})
	}
	records, _, err := s.Load("")
	if err != nil {
		t.Fatal(err)
	}
	if in.Cells, err = results.Aggregate(s, records, showing(), nil); err != nil {
		t.Fatal(err)
	}
	out, err := results.Make(in, specs.Tables{Show: []specs.Table{{ID: "training"}}})
	if err != nil || len(out.Tables) != 1 {
		t.Fatal(err, out.Tables)
	}
	// 6,000 events in 1/2, 1/4 and 1/6 s.
	var text bytes.Buffer
	if err := table.WriteText(&text, table.Screen{Width: 120}, out.Tables[0]); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(text.String()), " ")
	for _, want := range []string{"The fast 24.0 ± 12.0*", "The slow 12.0 ± 6.0+", "threads of a trial: 2"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "older") {
		t.Errorf("a model without times:\n%s", got)
	}
}
