package harness

import (
	"context"
	"testing"

	"dgsbench/kernels/devices"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A lab trains as a run does, epoch by epoch, and leaves the test part alone.
func TestLab(t *testing.T) {
	var trials []specs.Trial
	for _, trial := range toySuite(t) {
		if trial.Kind.Class == protocol.Learned && trial.Seed == 0 {
			trials = append(trials, trial)
		}
	}
	if len(trials) != 4 {
		t.Fatalf("%d trials, want raw and graph-sprints, nc and lp in both settings", len(trials))
	}
	whole := record.Store{Dir: t.TempDir()}
	runner := Runner{Store: whole}
	if _, err := runner.Run(context.Background(), trials); err != nil {
		t.Fatal(err)
	}
	lab, err := NewLab(record.Store{Dir: t.TempDir()}, "", devices.Target{}, 1, trials)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range trials {
		share := 0.0
		rec, err := lab.Validate(context.Background(), trial, func(s float64) { share = s })
		if err != nil || rec.Failed() {
			t.Fatalf("%s: %v %s", trial.Ref(), err, rec.Error)
		}
		want, found, err := whole.Find(rec.Key, rec.Identity)
		if err != nil || !found {
			t.Fatalf("%s: found %v, %v", trial.Ref(), found, err)
		}
		diff := cmp.Diff(want.Epochs, rec.Epochs, cmpopts.IgnoreFields(record.Epoch{}, "Seconds", "Training"))
		if diff != "" || want.BestEpoch != rec.BestEpoch || len(rec.Scores) > 0 || share <= 0 || share > 1 {
			t.Errorf("%s: best epoch %d, want %d, %d scores, progress %v; epochs (-run +lab):\n%s",
				trial.Ref(), rec.BestEpoch, want.BestEpoch, len(rec.Scores), share, diff)
		}
		again, err := lab.Validate(context.Background(), trial, func(float64) { t.Errorf("%s is measured again", trial.Ref()) })
		if err != nil || again.Durations != rec.Durations {
			t.Errorf("%s: %v, another record", trial.Ref(), err)
		}
	}
}

func TestWithoutTest(t *testing.T) {
	trial := toySuite(t)[0]
	lab, err := loadAll([]specs.Trial{trial}, "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := lab[trial.Dataset].Parts(trial)
	if err != nil {
		t.Fatal(err)
	}
	q := WithoutTest(p)
	if q.Whole.Len() != p.Train.Len()+p.Val.Len() || q.Test.Len() != 0 || q.Val.Len() != p.Val.Len() || q.Whole.NumNodes != p.Whole.NumNodes {
		t.Errorf("%d of %d events, test part %d, %d nodes", q.Whole.Len(), p.Whole.Len(), q.Test.Len(), q.Whole.NumNodes)
	}
}
