package datasets

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// tinyLoaded is tinyStream cut 4/1/1, with item 2 held out.
func tinyLoaded() *Loaded {
	return &Loaded{
		Stream: tinyStream(), Split: Split{4, 5},
		Dataset: Dataset{Name: "tiny", HeldOut: func(Stream, Split) ([]int32, error) { return []int32{2}, nil }},
	}
}

func eventIDs(s Stream) []int {
	var ids []int
	for k := range s.Len() {
		ids = append(ids, s.EventID(k))
	}
	return ids
}

func TestPartsByHand(t *testing.T) {
	l := tinyLoaded()
	for _, c := range []struct {
		setting Setting
		train   []int
		newNode []bool
	}{
		{Transductive, []int{0, 1, 2, 3}, nil},
		{Inductive, []int{1, 2}, []bool{false, false, true, false, true}},
	} {
		p, err := l.Parts(c.setting, true)
		if err != nil {
			t.Fatal(err)
		}
		got := [][]int{eventIDs(p.Train), eventIDs(p.Val), eventIDs(p.Test), eventIDs(p.Whole)}
		if diff := cmp.Diff([][]int{c.train, {4}, {5}, {0, 1, 2, 3, 4, 5}}, got); diff != "" {
			t.Errorf("%s: events: %s", c.setting, diff)
		}
		if diff := cmp.Diff(c.newNode, p.NewNode); diff != "" {
			t.Errorf("%s: new nodes: %s", c.setting, diff)
		}
		if diff := cmp.Diff(l.Stream.Feat, p.Whole.Feat); diff != "" || p.Substituted {
			t.Errorf("%s: features changed: %s", c.setting, diff)
		}
	}
	p, _ := l.Parts(Inductive, false)
	if p.Scored(1, 3) || !p.Scored(0, 4) || !p.Scored(2, 1) {
		t.Error("inductive: events count where at least one node is new")
	}
	if p, _ := l.Parts(Transductive, false); !p.Scored(1, 3) {
		t.Error("transductive: every event counts")
	}
	if _, err := l.Parts("X", false); err == nil {
		t.Error("setting X was taken")
	}
}

func TestPartsScalesOnWhatIsTrainedOn(t *testing.T) {
	l := tinyLoaded()
	l.Dataset.Features = []Derived{Log1p(0)}
	for setting, events := range map[Setting][]int{Transductive: {0, 1, 2, 3}, Inductive: {1, 2}} {
		p, err := l.Parts(setting, false)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Derive(l.Stream, l.Stream.Select(events), l.Dataset.Features)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Feat, p.Whole.Feat); diff != "" {
			t.Errorf("%s: %s", setting, diff)
		}
		if diff := cmp.Diff(want.Select(events).Feat, p.Train.Feat); diff != "" {
			t.Errorf("%s: train: %s", setting, diff)
		}
		if diff := cmp.Diff(want.Feat[4:5], p.Val.Feat); diff != "" {
			t.Errorf("%s: validation: %s", setting, diff)
		}
	}
}

func TestSubstituteOnlyWhereNeeded(t *testing.T) {
	l := tinyLoaded()
	l.Dataset.Substitute = []Derived{Count(Source), Count(Destination)}
	bare := *l
	bare.Stream = l.Stream.WithFeatures(nil, 0)
	none := bare
	none.Dataset.Substitute = nil
	for _, c := range []struct {
		what     string
		l        *Loaded
		need     bool
		features int
		used     bool
		fails    bool
	}{
		{"file with features", l, true, 2, false, false},
		{"bare file, model that needs none", &bare, false, 0, false, false},
		{"bare file, model that needs them", &bare, true, 2, true, false},
		{"bare file without substitute", &none, true, 0, false, true},
	} {
		p, err := c.l.Parts(Transductive, c.need)
		if (err != nil) != c.fails {
			t.Errorf("%s: error %v", c.what, err)
		} else if err == nil && (p.Whole.NumFeat != c.features || p.Train.NumFeat != c.features || p.Substituted != c.used) {
			t.Errorf("%s: %d features, substituted %t", c.what, p.Whole.NumFeat, p.Substituted)
		}
	}
}

// The inductive setting, whatever the stream: nobody held out is met in
// training, new nodes are exactly those not met, and nothing else is lost.
func TestInductiveParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawEvents(t, rapid.IntRange(2, 60).Draw(t, "events"))
		s.NumNodes = 20 // 15 of them without events
		l := &Loaded{Stream: s, Split: ByRow(0.5, 0.75).Split(s), Dataset: Dataset{HeldOut: SampleHeldOut(1)}}
		heldOut, err := l.Dataset.HeldOut(s, l.Split)
		if err != nil {
			t.Fatal(err)
		}
		p, err := l.Parts(Inductive, false)
		if err != nil {
			t.Fatal(err)
		}
		met := map[int32]bool{}
		for k := range p.Train.Len() {
			met[p.Train.Src[k]], met[p.Train.Dst[k]] = true, true
		}
		for node, isNew := range p.NewNode {
			if isNew == met[int32(node)] {
				t.Fatalf("node %d: met %t, new %t", node, met[int32(node)], isNew)
			}
		}
		left := 0
		for k := range l.Split.TrainEnd {
			if slices.Contains(heldOut, s.Src[k]) || slices.Contains(heldOut, s.Dst[k]) {
				left++
			}
		}
		if p.Train.Len()+left != l.Split.TrainEnd {
			t.Fatalf("%d events to train on, %d with a held-out node, %d in all", p.Train.Len(), left, l.Split.TrainEnd)
		}
	})
}

func TestSampleHeldOut(t *testing.T) {
	s := Stream{NumNodes: 100}
	for k := range 200 {
		s.Src, s.Dst, s.Time = append(s.Src, int32(k%50)), append(s.Dst, int32(50+k%50)), append(s.Time, float64(k))
		s.Label = append(s.Label, 0)
	}
	split := Split{TrainEnd: 180, ValEnd: 190} // later events touch nodes 30..49 and 80..99
	draw := func(seed uint64) []int32 {
		nodes, err := SampleHeldOut(seed)(s, split)
		if err != nil {
			t.Fatal(err)
		}
		return nodes
	}
	a := draw(1)
	if len(a) != 10 || !slices.IsSorted(a) || len(slices.Compact(slices.Clone(a))) != 10 {
		t.Errorf("held out %v, want 10 different nodes, ascending", a)
	}
	for _, n := range a {
		if n%50 < 30 {
			t.Errorf("node %d has no event after the train part", n)
		}
	}
	if diff := cmp.Diff(a, draw(1)); diff != "" {
		t.Errorf("the same seed draws others: %s", diff)
	}
	if cmp.Equal(a, draw(2)) {
		t.Error("another seed draws the same nodes")
	}
	split.TrainEnd = 198 // only 4 nodes left to draw from
	if diff := cmp.Diff([]int32{48, 49, 98, 99}, draw(1), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestTGNWikipediaHeldOut(t *testing.T) {
	nodes, err := TGNWikipediaHeldOut(Stream{NumNodes: 9227}, Split{})
	if err != nil || len(nodes) != 922 || nodes[0] != 9 || !slices.IsSorted(nodes) {
		t.Errorf("%d nodes from %d on, error %v", len(nodes), nodes[0], err)
	}
	if _, err := TGNWikipediaHeldOut(Stream{NumNodes: 500}, Split{}); err == nil {
		t.Error("the list was applied to another stream")
	}
}
