package harness

import (
	"slices"
	"testing"

	"dgsbench/datasets"
	_ "dgsbench/models/standard"
	"dgsbench/specs"
)

// TestCutter: each trial is given the parts of its own setting, and substitute
// features only if its model needs some, whatever other trials have asked for.
func TestCutter(t *testing.T) {
	s := stream(5, [3]int{0, 3, 0}, [3]int{1, 3, 1}, [3]int{2, 3, 2}, [3]int{0, 4, 3}, [3]int{2, 4, 4}, [3]int{1, 4, 5})
	loaded := &datasets.Loaded{Stream: s, Split: datasets.Split{TrainEnd: 4, ValEnd: 5}, Dataset: datasets.Dataset{
		Name:       "bare",
		Substitute: []datasets.Derived{datasets.Count(datasets.Source), datasets.Count(datasets.Destination)},
		HeldOut:    func(datasets.Stream, datasets.Split) ([]int32, error) { return []int32{2}, nil },
	}}
	cases := []struct {
		kind     string
		setting  datasets.Setting
		train    int
		newNodes []bool
		features int
	}{
		{"raw", "", 4, nil, 2}, // classification
		{"raw", datasets.Transductive, 4, nil, 2},
		{"raw", datasets.Inductive, 3, []bool{false, false, true, false, false}, 2},
		{"tgn", datasets.Inductive, 3, []bool{false, false, true, false, false}, 0}, // may have features
		{"tgn", datasets.Transductive, 4, nil, 0},
		{"edgebank", datasets.Transductive, 4, nil, 0}, // reads none
		{"edgebank", datasets.Inductive, 3, []bool{false, false, true, false, false}, 0},
	}
	ask := func(c *Cutter) {
		t.Helper()
		for _, want := range cases {
			p, err := c.Parts(specs.Trial{Kind: want.kind, Setting: want.setting})
			if err != nil {
				t.Fatal(err)
			}
			if p.Train.Len() != want.train || !slices.Equal(p.NewNode, want.newNodes) || p.Whole.NumFeat != want.features || p.Substituted != (want.features > 0) {
				t.Errorf("%s %q: %d training events, new nodes %v, %d features, substituted: %t; expected %+v",
					want.kind, want.setting, p.Train.Len(), p.NewNode, p.Whole.NumFeat, p.Substituted, want)
			}
		}
	}
	c := NewCutter(loaded)
	ask(c)
	ask(c) // made already
	slices.Reverse(cases)
	ask(NewCutter(loaded))
}
