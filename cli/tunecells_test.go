package cli

import (
	"testing"

	"dgsbench/protocol"
	"dgsbench/specs"
)

// TestTuneProtocol: the studies of a suite have its protocol, but for what
// flags say; negatives are those of link prediction alone.
func TestTuneProtocol(t *testing.T) {
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	q := tuning{options: options{suite: "quick"}, trials: 20, random: 14, epochs: 3, patience: 2, negatives: 50}
	studies, err := q.studies(lib, false)
	if err != nil || len(studies) != 27 {
		t.Fatalf("%d studies, expected the 27 that docs/tuning.md tells of, %v", len(studies), err)
	}
	for _, s := range studies {
		p, negatives := s.Protocol, 0
		if s.At.Task == protocol.LinkPrediction {
			negatives = 50
		}
		if p.Epochs != 3 || p.Patience != 2 || p.ValNegatives != negatives {
			t.Errorf("%s: %d epochs, patience %d, %d negatives", s, p.Epochs, p.Patience, p.ValNegatives)
		}
	}
}
