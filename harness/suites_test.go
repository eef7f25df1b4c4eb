package harness

import (
	"testing"

	"dgsbench/protocol"
	"dgsbench/specs"
)

// TestQuickTrains: what people run first trains every model for at least 800
// steps, with ten seeds, under both tasks, and has latency and live tests.
func TestQuickTrains(t *testing.T) {
	toySuite(t)
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite("quick")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := loadAll(trials, "")
	if err != nil {
		t.Fatal(err)
	}
	scored, timed, loaded := specs.Scored(trials), specs.LatencyTests(trials), specs.LiveTests(trials)
	seeds := map[string]int{}
	for _, trial := range scored {
		if trial.Kind.Class != protocol.Learned {
			continue
		}
		parts, err := data[trial.Dataset].Parts(trial)
		if err != nil {
			t.Fatal(err)
		}
		if steps := trial.Protocol.Epochs * numWindows(parts.Train, trial.Protocol.Batch); steps < 800 {
			t.Errorf("%s on %s makes %d steps", trial.Ref(), trial.Dataset, steps)
		}
		seeds[string(trial.Task)+trial.Dataset+trial.Ref()]++
	}
	for cell, n := range seeds {
		if n != 10 {
			t.Errorf("%s has %d seeds", cell, n)
		}
	}
	if len(seeds) != 2*12+5 || len(timed) != 8 || len(loaded) != 9 {
		t.Errorf("%d learned cells, %d latency tests, %d live tests", len(seeds), len(timed), len(loaded))
	}
}
