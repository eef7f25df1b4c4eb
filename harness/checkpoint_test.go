package harness

import (
	"context"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// TestCheckpointAnswersAsTheRecord: the model of a checkpoint, built from the file
// alone, gives the test part the scores of the record, bit for bit.
func TestCheckpointAnswersAsTheRecord(t *testing.T) {
	trials := toyTrials(t, `
  - {task: nc, datasets: [toy], models: [raw, logistic, single-column, user-age, graph-sprints, dgs, dgs-s, dgs-v, dgs-sum, tgn-id, tgn-attn, jodie]}
  - {task: nc, datasets: [toy], models: [dgs, jodie], protocol: {select: last, test_state: replay}, batches: [50]}
`)
	trials = slices.DeleteFunc(trials, func(s specs.Trial) bool { return s.Seed > 0 || s.Ref() == "broken" })
	store := record.Store{Dir: t.TempDir()}
	runner := Runner{Store: store, Checkpoints: true}
	runner.Hooks.Done = func(r record.Record) {
		if r.Failed() {
			t.Error(r.Error)
		}
	}
	if sum, err := runner.Run(context.Background(), trials); err != nil || sum.Failed > 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	dataset, err := datasets.Lookup("toy")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := dataset.Load("")
	if err != nil {
		t.Fatal(err)
	}
	cut := NewCutter(loaded)
	for _, trial := range trials {
		t.Run(trial.Ref(), func(t *testing.T) {
			rec, ok, err := Find(store, trial, Describe(trial, loaded, devices.Target{}), true)
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			facts, err := store.Facts(rec)
			if err != nil {
				t.Fatal(err)
			}
			file, err := models.ReadSaved(checkpointPath(store, rec))
			if err != nil {
				t.Fatal(err)
			}
			m, _, err := file.Build(0, trial.Protocol.Batch, 1)
			if err != nil {
				t.Fatal(err)
			}
			parts, err := cut.Parts(trial)
			if err != nil {
				t.Fatal(err)
			}
			if want := parts.Test.EventID(0); file.Events != want {
				t.Errorf("the state of after %d events, expected %d", file.Events, want)
			}
			var got []float32
			for k := 0; k < numWindows(parts.Test, trial.Protocol.Batch); k++ {
				b := window(parts.Test, trial.Protocol.Batch, k).WithoutLabels()
				scores := make([]float32, b.Len())
				if err := m.Classify(b, scores); err != nil {
					t.Fatal(err)
				}
				got = append(got, scores...)
			}
			if want := facts[record.Part{Split: protocol.Test}].Score; !slices.Equal(got, want) {
				t.Errorf("scores %v, expected %v", got, want)
			}
		})
	}
}
