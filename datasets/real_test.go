package datasets

import (
	"math"
	"os"
	"slices"
	"testing"

	"dgsbench/protocol"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// loadReal reads a dataset of the registry below DGSBENCH_DATA.
func loadReal(t *testing.T, name string) (*Loaded, Stats) {
	dir := os.Getenv("DGSBENCH_DATA")
	if dir == "" {
		t.Skip("DGSBENCH_DATA is not set: it names the folder with the real streams")
	}
	d, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := l.Describe()
	if err != nil {
		t.Fatal(err)
	}
	return l, stats
}

// The split is TGN's, and so are the inductive counts (reported for TGN's
// utils/data_processing.py with seed 2020); the others are facts of the file.
func TestRealDataWikipedia(t *testing.T) {
	l, got := loadReal(t, "wikipedia-nofeat")
	want := Stats{
		Counts: Counts{Events: 157_474, Nodes: 9_227, Users: 8_227, Items: 1_000, Positives: 217}, Labelled: true,
		Span: 2_678_373, Distinct: 152_757, EqualTimes: 4_717, Destinations: 1_000,
		SameAgain: 0.835, SplitTies: 7, LastPositives: 217,
		Batches:   BatchStats{Stale: 0.682, Surviving: 1 - 0.634, Nodes: 146.212, RepeatedPositives: 94},
		Parts:     [3]PartStats{{110_232, 156}, {23_621, 17}, {23_621, 44}},
		Inductive: InductiveStats{HeldOut: 922, NewNodes: 3_086, Train: 81_029, Val: 12_016, Test: 11_715},
	}
	want.RepeatPairs = got.RepeatPairs // no reference
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 5e-4)); diff != "" {
		t.Error(diff)
	}
	heldOut, err := TGNWikipediaHeldOut(l.Stream, l.Split)
	if err != nil {
		t.Fatal(err)
	}
	users := slices.IndexFunc(heldOut, func(n int32) bool { return n >= int32(l.Stream.Users) })
	if users != 767 || len(heldOut)-users != 155 {
		t.Errorf("held out: %d users, %d items, want 767 and 155", users, len(heldOut)-users)
	}
	for _, n := range heldOut {
		later := l.Stream.Slice(l.Split.TrainEnd, l.Stream.Len())
		if !slices.Contains(later.Src, n) && !slices.Contains(later.Dst, n) {
			t.Errorf("held-out node %d has no event after the train part: nodes are numbered otherwise than in TGN", n)
		}
	}
}

// TestRealDataWikipediaIDs: every event has the ids of both nodes beside gaps
// and counts, whatever model asks.
func TestRealDataWikipediaIDs(t *testing.T) {
	l, _ := loadReal(t, "wikipedia-ids")
	p, err := l.Parts(Cut{Setting: protocol.Transductive})
	if err != nil || p.Whole.NumFeat != 4+64+64 || p.Substituted {
		t.Fatalf("%d features, substituted %t, error %v", p.Whole.NumFeat, p.Substituted, err)
	}
	of := map[int32][]float32{}
	for k := range p.Whole.Len() {
		ids := p.Whole.Features(k)[4:]
		for side, columns := range [][]float32{ids[:64], ids[64:]} {
			zeros := 0
			for _, x := range columns {
				if x == 0 {
					zeros++
				}
			}
			node := Side(side).node(p.Whole, k)
			if before := of[node]; zeros != 63 || before != nil && !slices.Equal(before, columns) {
				t.Fatalf("event %d: node %d has %v, before %v", k, node, columns, before)
			}
			of[node] = columns
		}
	}
}

func TestRealDataAMLSim(t *testing.T) {
	l, got := loadReal(t, "amlsim-20k")
	want := Counts{Events: 120_558, Nodes: 19_980, Positives: 13_844, Features: 1}
	if diff := cmp.Diff(want, got.Counts); diff != "" {
		t.Error(diff)
	}
	if got.SelfLoops != 15 || got.Distinct != 149 {
		t.Errorf("%d self loops, %d times, want 15 and 149", got.SelfLoops, got.Distinct)
	}
	if l.Split != (Split{72_334, 84_390}) {
		t.Errorf("split %v", l.Split)
	}
	p, err := l.Parts(Cut{Setting: protocol.Transductive})
	if err != nil {
		t.Fatal(err)
	}
	// From numpy, with mean and deviation in float64.
	for k, want := range map[int][]float32{
		0:       {-0.51826593, -1.37801053, -1.3237745, -1.19722715},
		50_000:  {-0.31461439, 1.83809675, -1.3237745, -0.29853308},
		72_333:  {-0.73385523, 1.04735648, 2.08804779, 2.12833598},
		72_334:  {0.39098605, -0.7225838, 1.77730694, 3.44895385},
		120_557: {-0.45671297, 0.14384323, -1.3237745, 2.47615145},
	} {
		if diff := cmp.Diff(want, p.Whole.Features(k), cmpopts.EquateApprox(0, 2e-6)); diff != "" {
			t.Errorf("features of event %d: %s", k, diff)
		}
	}
}

func TestRealDataCollegeMsg(t *testing.T) {
	l, got := loadReal(t, "collegemsg")
	if diff := cmp.Diff(Counts{Events: 59_835, Nodes: 1_899}, got.Counts); diff != "" {
		t.Error(diff)
	}
	if got.Destinations != 1_862 {
		t.Errorf("%d destinations, want 1862", got.Destinations)
	}
	want := [3]PartStats{{Events: 41_884}, {Events: 8_975}, {Events: 8_976}}
	if got.Parts != want {
		t.Errorf("parts %v, want %v", got.Parts, want)
	}
	if slices.ContainsFunc(l.Stream.Label, func(y int8) bool { return y != Unlabelled }) {
		t.Error("CollegeMsg has no labels")
	}
	p, err := l.Parts(Cut{Setting: protocol.Transductive, NeedFeatures: true})
	if err != nil || !p.Substituted || p.Whole.NumFeat != 4 {
		t.Fatalf("%d features, substituted %t, error %v", p.Whole.NumFeat, p.Substituted, err)
	}
	for _, x := range p.Whole.Feat {
		if math.IsNaN(float64(x)) {
			t.Fatal("a substitute is NaN")
		}
	}
}
