package tune

import (
	"bytes"
	"path/filepath"
	"testing"

	"dgsbench/harness/tune/tpe"
	"dgsbench/internal/golden"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// searchedAt is a history with these lines.
func searchedAt(t *testing.T, model string, at specs.Place, lines ...Line) *History {
	t.Helper()
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	m, err := lib.LoadModel(model)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewStudy(m, at, specs.DefaultProtocol(), 2, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	h := &History{Study: s}
	for _, l := range lines {
		if l.Trial >= 0 {
			l.Values = s.values(tpe.New(s.space(), 0, s.Trials).Ask(l.Trial))
		}
		h.put(l)
	}
	return h
}

// TestChanges: places apart, in the order in which they come; a model all of
// whose trials failed has no options.
func TestChanges(t *testing.T) {
	value := func(x float64) *float64 { return &x }
	nc := specs.Place{Dataset: "shop-sim", Task: protocol.NodeClassification}
	lp := specs.Place{Dataset: "shop-sim", Task: protocol.LinkPrediction, Setting: protocol.Transductive}
	var got bytes.Buffer
	err := WriteChanges(&got, []*History{
		searchedAt(t, "raw", nc, Line{Trial: -1, Phase: Own, Value: value(.7)}, Line{Trial: 0, Phase: Random, Error: "not finite"}, Line{Trial: 1, Phase: TPE, Value: value(.7125)}),
		searchedAt(t, "dgs", lp, Line{Trial: -1, Phase: Own, Value: value(.3)}, Line{Trial: 0, Phase: Random, Value: value(.25)}),
		searchedAt(t, "jodie", lp, Line{Trial: -1, Phase: Own, Error: "not finite"}, Line{Trial: 0, Phase: Random, Value: value(.2)}),
		searchedAt(t, "tgn-id", nc, Line{Trial: -1, Phase: Own, Value: value(.5)}, Line{Trial: 0, Phase: Random, Error: "not finite"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "changes.md"), got.String())
}
