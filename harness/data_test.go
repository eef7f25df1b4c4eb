package harness

import (
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"
	_ "dgsbench/models/standard"
	"dgsbench/protocol"
	"dgsbench/results/record"
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
		setting  protocol.Setting
		train    int
		newNodes []bool
		features int
	}{
		{"raw", "", 4, nil, 2}, // classification
		{"raw", protocol.Transductive, 4, nil, 2},
		{"raw", protocol.Inductive, 3, []bool{false, false, true, false, false}, 2},
		{"tgn", protocol.Inductive, 3, []bool{false, false, true, false, false}, 0}, // may have features
		{"tgn", protocol.Transductive, 4, nil, 0},
		{"edgebank", protocol.Transductive, 4, nil, 0}, // reads none
		{"edgebank", protocol.Inductive, 3, []bool{false, false, true, false, false}, 0},
	}
	ask := func(c *Cutter) {
		t.Helper()
		for _, want := range cases {
			p, err := c.Parts(specs.Trial{Kind: kindOf(want.kind), Setting: want.setting})
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

// repeated is the same user who meets the same page, but for every third
// event, which is with a page that is held out.
func repeated(features, substitute []datasets.Derived) *datasets.Loaded {
	var events [][3]int
	for k := range 60 {
		events = append(events, [3]int{0, 1 + k%3/2, k})
	}
	return &datasets.Loaded{Stream: stream(3, events...), Split: datasets.Split{TrainEnd: 26, ValEnd: 41}, Dataset: datasets.Dataset{
		Name: "repeated", Features: features, Substitute: substitute,
		HeldOut: func(datasets.Stream, datasets.Split) ([]int32, error) { return []int32{2}, nil },
	}}
}

// TestFeaturesOfABatch: the events of a window know of the same earlier events,
// and of more than the window before, in every part.
func TestFeaturesOfABatch(t *testing.T) {
	cut := NewCutter(repeated([]datasets.Derived{datasets.Count(datasets.Source)}, nil))
	for _, size := range []int{1, 2, 7, 10, 200} { // of one cutter
		for _, setting := range []protocol.Setting{protocol.Transductive, protocol.Inductive} {
			trial := specs.Trial{Kind: kindOf("dgs"), Setting: setting, Protocol: specs.Protocol{Batch: size, DerivedFeatures: specs.BeforeBatch}}
			p, err := cut.Parts(trial)
			if err != nil {
				t.Fatal(err)
			}
			before := float32(math.Inf(-1))
			for _, part := range []datasets.Stream{p.Train, p.Val, p.Test} {
				for k := range numWindows(part, size) {
					w := window(part, size, k)
					first := w.Feat[0]
					// Standardised on a single window, all numbers are 0.
					if slices.ContainsFunc(w.Feat, func(x float32) bool { return x != first }) || first <= before && numWindows(p.Train, size) > 1 {
						t.Errorf("%s, batches of %d: events from %d on have %v, the window before %v", setting, size, w.EventID(0), w.Feat, before)
					}
					before = first
				}
			}
		}
	}
}

// TestCutterOfBatches: trials share parts unless their features differ.
func TestCutterOfBatches(t *testing.T) {
	count := []datasets.Derived{datasets.Count(datasets.Source)}
	of := func(kind string, rule specs.FeatureRule, batch int) specs.Trial {
		return specs.Trial{Kind: kindOf(kind), Protocol: specs.Protocol{Batch: batch, DerivedFeatures: rule}}
	}
	for _, c := range []struct {
		what                 string
		features, substitute []datasets.Derived
		a, b                 specs.Trial
		shared               bool
	}{
		{"two sizes before the batch", count, nil, of("dgs", specs.BeforeBatch, 3), of("dgs", specs.BeforeBatch, 4), false},
		{"both rules", count, nil, of("dgs", "", 3), of("dgs", specs.BeforeBatch, 3), false},
		{"one size", count, nil, of("dgs", specs.BeforeBatch, 3), of("raw", specs.BeforeBatch, 3), true},
		{"two sizes before the event", count, nil, of("dgs", "", 3), of("dgs", "", 4), true},
		{"ids alone", []datasets.Derived{datasets.HashedID(datasets.Source, 2)}, nil, of("dgs", specs.BeforeBatch, 3), of("dgs", "", 4), true},
		{"substitute", nil, count, of("dgs", specs.BeforeBatch, 3), of("dgs", specs.BeforeBatch, 4), false},
		{"substitute that is not needed", nil, count, of("tgn", specs.BeforeBatch, 3), of("tgn", "", 4), true},
	} {
		cut := NewCutter(repeated(c.features, c.substitute))
		a, errA := cut.Parts(c.a)
		b, errB := cut.Parts(c.b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		cuts := 0
		cut.cuts.Range(func(any, any) bool { cuts++; return true })
		if shared, same := cuts == 1, slices.Equal(a.Whole.Feat, b.Whole.Feat); shared != c.shared || same != c.shared {
			t.Errorf("%s: %d cuts, same features: %t", c.what, cuts, same)
		}
	}
}

// TestFootnotesOfFeatures: tables say what stands in for features, and that
// they are from before the batch.
func TestFootnotesOfFeatures(t *testing.T) {
	const instead, before = "in place of features it is given log1p of the number of earlier events of the source as source",
		"features that depend on earlier events do not include events of their own batch"
	l := repeated(nil, []datasets.Derived{datasets.Count(datasets.Source)})
	lib := library{"repeated": NewCutter(l)}
	for _, c := range []struct {
		kind string
		rule specs.FeatureRule
		want []string
	}{
		{"raw", "", []string{"note", instead}},
		{"raw", specs.BeforeBatch, []string{"note", instead, before}},
		{"edgebank", specs.BeforeBatch, []string{"note"}},
	} {
		trial := specs.Trial{Dataset: "repeated", Kind: kindOf(c.kind), Protocol: specs.DefaultProtocol()}
		trial.Protocol.DerivedFeatures = c.rule
		j := newJob(trial, record.Record{Footnotes: []string{"note"}}, lib, trainer{}, map[record.CellKey]int64{{}: 1})
		if j.cutError != nil {
			t.Fatal(j.cutError)
		}
		if !slices.Equal(j.record.Footnotes, c.want) {
			t.Errorf("%s %s: %q, want %q", c.kind, c.rule, j.record.Footnotes, c.want)
		}
	}
}
