package datasets

import (
	"math"
	"slices"
	"testing"

	"dgsbench/protocol"

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
		setting protocol.Setting
		train   []int
		newNode []bool
	}{
		{protocol.Transductive, []int{0, 1, 2, 3}, nil},
		{protocol.Inductive, []int{1, 2}, []bool{false, false, true, false, true}},
	} {
		p, err := l.Parts(Cut{Setting: c.setting, NeedFeatures: true})
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
	p, _ := l.Parts(Cut{Setting: protocol.Inductive})
	if p.Scored(1, 3) || !p.Scored(0, 4) || !p.Scored(2, 1) {
		t.Error("inductive: events count where at least one node is new")
	}
	if p, _ := l.Parts(Cut{Setting: protocol.Transductive}); !p.Scored(1, 3) {
		t.Error("transductive: every event counts")
	}
	if _, err := l.Parts(Cut{Setting: "X"}); err == nil {
		t.Error("setting X was taken")
	}
}

func TestPartsScalesOnWhatIsTrainedOn(t *testing.T) {
	l := tinyLoaded()
	l.Dataset.Features = []Derived{Log1p(0)}
	for setting, events := range map[protocol.Setting][]int{protocol.Transductive: {0, 1, 2, 3}, protocol.Inductive: {1, 2}} {
		p, err := l.Parts(Cut{Setting: setting})
		if err != nil {
			t.Fatal(err)
		}
		want, err := derive(l.Stream, l.Stream.Select(events), l.Dataset.Features, nil)
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
		p, err := c.l.Parts(Cut{Setting: protocol.Transductive, NeedFeatures: c.need})
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
		p, err := l.Parts(Cut{Setting: protocol.Inductive})
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

func TestWindowsBegin(t *testing.T) {
	s := Stream{NumNodes: 3}
	for k := range 14 {
		s.Src, s.Dst, s.Time = append(s.Src, 0), append(s.Dst, 1+int32(k%3)%2), append(s.Time, float64(k))
		s.Label = append(s.Label, 0)
	}
	l := &Loaded{Stream: s, Split: Split{TrainEnd: 7, ValEnd: 10}, Dataset: Dataset{
		HeldOut: func(Stream, Split) ([]int32, error) { return []int32{2}, nil }, // of events 1, 4, 7, ...
	}}
	for _, c := range []struct {
		setting protocol.Setting
		batch   int
		want    []int
	}{
		{protocol.Transductive, 2, []int{0, 2, 4, 6, 7, 9, 10, 12}},
		{protocol.Transductive, 5, []int{0, 5, 7, 10}},
		{protocol.Inductive, 2, []int{0, 3, 6, 7, 9, 10, 12}}, // trained on 0, 2, 3, 5, 6
		{protocol.Inductive, 200, []int{0, 7, 10}},
		{protocol.Transductive, 1, nil},
		{protocol.Inductive, 0, nil},
	} {
		train, _, err := l.train(c.setting)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		begins := l.begins(train(s), c.batch)
		for k, yes := range begins {
			if yes {
				got = append(got, k)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || (begins == nil) != (c.want == nil) {
			t.Errorf("%s, batches of %d: %s", c.setting, c.batch, diff)
		}
	}
}

// unscaled is a feature that is not standardised.
func unscaled(f Derived) Derived {
	f.scaled = false
	return f
}

// What is derived for an event of any part is computed from the event and the
// events of the whole stream that are before its batch, whether or not they
// are trained on.
func TestFeaturesBeforeTheBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawEvents(t, rapid.IntRange(2, 40).Draw(t, "events"))
		batch := rapid.IntRange(2, 9).Draw(t, "batch")
		setting := rapid.SampledFrom([]protocol.Setting{protocol.Transductive, protocol.Inductive}).Draw(t, "setting")
		heldOut := rapid.SliceOfNDistinct(rapid.Int32Range(0, 4), 0, 2, rapid.ID).Draw(t, "held out")
		l := &Loaded{Stream: s, Split: ByRow(0.5, 0.75).Split(s), Dataset: Dataset{
			Features: []Derived{unscaled(Gap(Source)), unscaled(Gap(Destination)), unscaled(Count(Source)), unscaled(Count(Destination)), HashedID(Source, 3)},
			HeldOut:  func(Stream, Split) ([]int32, error) { return heldOut, nil },
		}}
		p, err := l.Parts(Cut{Setting: setting, Batch: batch})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []Stream{p.Train, p.Val, p.Test} {
			for k := range part.Len() {
				before := s.Slice(0, part.EventID(k-k%batch))
				want := []float32{
					gapAfter(before, part.Src[k], part.Time[k]), gapAfter(before, part.Dst[k], part.Time[k]),
					logCount(before.Src, part.Src[k]), logCount(before.Dst, part.Dst[k]),
				}
				if got := part.Features(k); !slices.Equal(want, got[:4]) || slices.Equal(got[4:], []float32{0, 0, 0}) {
					t.Fatalf("%s, event %d: %v, want %v and a hashed id", setting, part.EventID(k), got, want)
				}
			}
		}
	})
}

func gapAfter(before Stream, node int32, now float64) float32 {
	for k := before.Len() - 1; k >= 0; k-- {
		if before.Src[k] == node || before.Dst[k] == node {
			return float32(math.Log1p(now - before.Time[k]))
		}
	}
	return 0
}

func logCount(nodes []int32, node int32) float32 {
	n := 0
	for _, other := range nodes {
		if other == node {
			n++
		}
	}
	return float32(math.Log1p(float64(n)))
}

// Before the batch is before the event where batches have one event.
func TestFeaturesBeforeABatchOfOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawEvents(t, rapid.IntRange(1, 40).Draw(t, "events"))
		each := slices.Repeat([]bool{true}, s.Len())
		want, errWant := derive(s, s, everyFeature, nil)
		got, errGot := derive(s, s, everyFeature, each)
		if errWant != nil || errGot != nil {
			t.Fatal(errWant, errGot)
		}
		if diff := cmp.Diff(want.Feat, got.Feat); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestLooksBack(t *testing.T) {
	for name, want := range map[string][2]bool{ // models that may have features, models that need them
		"amlsim-20k": {true, true}, "collegemsg": {false, true}, "wikipedia-ids": {true, true},
		"wikipedia-nofeat": {false, true}, "mooc": {true, true}, "mooc-raw4": {false, false}, "wikipedia": {false, false},
	} {
		d, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{d.LooksBack(false), d.LooksBack(true)}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if (Dataset{Features: []Derived{HashedID(Source, 2), Standardised(), Log1p(0), Raw()}}).LooksBack(true) {
		t.Error("an event's own numbers are taken for earlier events")
	}
}
