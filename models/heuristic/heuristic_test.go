package heuristic

import (
	"errors"
	"math"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// story is three users (0-2) and three items (3-5).
func story() datasets.Stream {
	return datasets.Stream{
		Src: []int32{0, 1, 0, 2, 0}, Dst: []int32{3, 4, 4, 4, 3},
		Time: []float64{0, 10, 20, 30, 40}, Label: make([]int8, 5), NumNodes: 6, Users: 3,
	}
}

func build(t *testing.T, name string, o models.Options, task protocol.Task, train datasets.Stream) models.Model {
	t.Helper()
	kind, err := models.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	if o == nil {
		o = kind.Options()
	}
	m, err := kind.New(models.Setup{Task: task, NumNodes: train.NumNodes, MaxBatch: 10, Train: train}, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLinkRules: after the story, whatever its batches, a user is asked about the
// items.
func TestLinkRules(t *testing.T) {
	for _, c := range []struct {
		rule           string
		opts           models.Options
		src, dst       int32
		greater, level int32
	}{
		{"edgebank", nil, 0, 3, 0, 1},                                // 4 was seen as well
		{"edgebank", nil, 0, 5, 2, 0},                                // never seen, 3 and 4 were
		{"edgebank", &EdgeBankOptions{Window: .25}, 0, 3, 0, 0},      // 4 was seen 20 s ago, the window is 10 s
		{"edgebank", &EdgeBankOptions{Window: .25}, 0, 4, 1, 1},      // forgotten: below 3, level with 5
		{"edgebank", &EdgeBankOptions{Window: .999}, 0, 3, 0, 1},     // a window over the whole story
		{"edgebank", &EdgeBankOptions{Window: .25}, 2, 4, 0, 0},      // 10 s ago, at the beginning of the window
		{"recency", nil, 0, 3, 0, 0},                                 // 3 was seen last
		{"recency", nil, 0, 4, 1, 0},                                 // then 4
		{"recency", nil, 0, 5, 2, 0},                                 // then all others
		{"popularity", nil, 0, 4, 0, 0},                              // 3 events, 3 has 2
		{"popularity", nil, 0, 3, 1, 0},                              //
		{"recency-decay", nil, 1, 3, 1, 0},                           // 4 was seen by 1; 3 has an event more than 5
		{"recency-decay", nil, 1, 5, 2, 0},                           //
		{"recency-decay", &DecayOptions{HalfLife: 1}, 3, 3, 0, 0},    // at 40, after the three of 4
		{"recency-decay", &DecayOptions{HalfLife: 1000}, 3, 3, 1, 0}, // three events count more than two
		{"recency-pop", nil, 0, 3, 0, 0},                             //
		{"recency-pop", nil, 0, 5, 2, 0},                             //
	} {
		b := datasets.Stream{Src: []int32{c.src}, Dst: []int32{c.dst}, Time: []float64{50}, Label: []int8{0}, NumNodes: 6, Users: 3}
		for _, size := range []int{1, 2, 5} {
			m := build(t, c.rule, c.opts, protocol.LinkPrediction, story())
			for lo := 0; lo < 5; lo += size {
				if err := m.Observe(story().Slice(lo, min(5, lo+size))); err != nil {
					t.Fatal(err)
				}
			}
			out := models.Counts{Greater: make([]int32, 1), Equal: make([]int32, 1)}
			if err := m.Rank(b, models.Candidates{Nodes: []int32{3, 4, 5}}, out); err != nil {
				t.Fatal(err)
			}
			if out.Greater[0] != c.greater || out.Equal[0] != c.level {
				t.Errorf("%s %+v, batches of %d, user %d, item %d: %d above, %d level; expected %d, %d",
					c.rule, c.opts, size, c.src, c.dst, out.Greater[0], out.Equal[0], c.greater, c.level)
			}
		}
	}
}

// TestUserRules: scores come from before the batch; both halves of the story
// are one batch.
func TestUserRules(t *testing.T) {
	for rule, want := range map[string][]float32{
		"user-count": {-2, 0, -2},   // users 0, 2, 0
		"user-age":   {-20, 0, -40}, // user 0 since 0 s, user 2 is new
	} {
		m := build(t, rule, nil, protocol.NodeClassification, story())
		if err := m.Observe(story().Slice(0, 2)); err != nil {
			t.Fatal(err)
		}
		if rule == "user-count" { // a second event for user 0
			if err := m.Observe(story().Slice(0, 1)); err != nil {
				t.Fatal(err)
			}
		}
		got := make([]float32, 3)
		if err := m.Classify(story().Slice(2, 5), got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule, diff)
		}
	}
}

// TestUserAgeOverflows: an age beyond float32 is reported, and changes no
// table.
func TestUserAgeOverflows(t *testing.T) {
	late := story()
	late.Time = []float64{0, 10, 20, 30, 4e292}
	m := build(t, "user-age", nil, protocol.NodeClassification, late)
	if err := m.Observe(late.Slice(0, 3)); err != nil {
		t.Fatal(err)
	}
	before := m.Snapshot(models.Everything)
	var bad *models.BadScore
	if err := m.Classify(late.Slice(3, 5), make([]float32, 2)); !errors.As(err, &bad) || bad.Event != 4 {
		t.Errorf("%v, expected the score of event 4", err)
	}
	if diff := cmp.Diff(before, m.Snapshot(models.Everything)); diff != "" {
		t.Errorf("the tables before (-) and after (+):\n%s", diff)
	}
}

// TestDecayedPopularity: whatever the batches, destinations that are new to a source are
// ranked by the sum of 2^(-age/half-life) over their events.
func TestDecayedPopularity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const nodes, source = 9, 8 // the source that is asked about has no events
		n := rapid.IntRange(0, 40).Draw(t, "events")
		s := datasets.Stream{NumNodes: nodes}
		now := 0.0
		for range n {
			now += rapid.Float64Range(0, 50).Draw(t, "gap")
			s.Src, s.Dst = append(s.Src, 0), append(s.Dst, int32(rapid.IntRange(1, 7).Draw(t, "destination")))
			s.Time, s.Label = append(s.Time, now), append(s.Label, 0)
		}
		o := &DecayOptions{HalfLife: rapid.Float64Range(1, 500).Draw(t, "half-life")}
		kind, err := models.Lookup("recency-decay")
		if err != nil {
			t.Fatal(err)
		}
		m, err := kind.New(models.Setup{Task: protocol.LinkPrediction, NumNodes: nodes, MaxBatch: 40}, o)
		if err != nil {
			t.Fatal(err)
		}
		for lo, size := 0, rapid.IntRange(1, 40).Draw(t, "batch"); lo < n; lo += size {
			if err := m.Observe(s.Slice(lo, min(n, lo+size))); err != nil {
				t.Fatal(err)
			}
		}
		popularity := make([]float64, nodes)
		for k, v := range s.Dst {
			popularity[v] += math.Exp2((s.Time[k] - now) / o.HalfLife)
		}
		candidates := []int32{1, 2, 3, 4, 5, 6, 7}
		for _, size := range []int{1, 2 * smallBatch} {
			b := datasets.Stream{NumNodes: nodes}
			for k := range size {
				b.Src, b.Dst, b.Time = append(b.Src, source), append(b.Dst, candidates[k%len(candidates)]), append(b.Time, now)
			}
			out := models.Counts{Greater: make([]int32, size), Equal: make([]int32, size)}
			if err := m.Rank(b, models.Candidates{Nodes: candidates}, out); err != nil {
				t.Fatal(err)
			}
			for k, dst := range b.Dst {
				greater, least := int32(0), int32(0) // surely, and with what rounding may decide
				for _, v := range candidates {
					if popularity[v] > popularity[dst]*(1+1e-9) {
						greater++
					}
					if v != dst && popularity[v] >= popularity[dst]*(1-1e-9) {
						least++
					}
				}
				if got := out.Greater[k] + out.Equal[k]; out.Greater[k] < greater || got > least {
					t.Fatalf("destination %d of popularities %v: %d above and %d level, expected %d to %d", dst, popularity, out.Greater[k], out.Equal[k], greater, least)
				}
			}
		}
	})
}
