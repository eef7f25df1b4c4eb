package heuristic

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"

	"pgregory.net/rapid"
)

// TestSignOfAColumn: the sign is that of the AUC over the labelled events of
// the training less one half, counted pair by pair.
func TestSignOfAColumn(t *testing.T) {
	kind, err := models.Lookup("single-column")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		n, rng := rapid.IntRange(1, 30).Draw(t, "events"), rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		s := datasets.NewStream(n, 3)
		s.NumNodes = 1
		for k := range n {
			s.Label[k] = int8(rng.IntN(3)) - 1
			for c := range 3 {
				s.Feat[3*k+c] = float32(rng.IntN(5)) // with ties
			}
		}
		m, err := kind.New(models.Setup{Task: protocol.NodeClassification, NumNodes: 1, NumFeat: 3, MaxBatch: n, Columns: []string{"a", "b", "c"}}, &models.NoOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range []int{2, 0} {
			m.(models.Chooser).Choose(column)
			for b := range s.Batches(7) {
				if _, err := m.Train(b, nil); err != nil {
					t.Fatal(err)
				}
			}
			right := 0
			for i := range n {
				for j := range n {
					if x, y := s.Features(i)[column], s.Features(j)[column]; s.Label[i] == 1 && s.Label[j] == 0 && x > y {
						right++
					} else if s.Label[i] == 1 && s.Label[j] == 0 && x < y {
						right--
					}
				}
			}
			want, says := float32(1), ""
			if right < 0 {
				want, says = -1, "minus "
			}
			got := make([]float32, n)
			if err := m.Classify(s.WithoutLabels(), got); err != nil {
				t.Fatal(err)
			}
			for k := range got {
				if got[k] != want*s.Features(k)[column] {
					t.Fatalf("column %d: event %d scores %v, the pairs say %d: expected %v", column, k, got[k], right, want*s.Features(k)[column])
				}
			}
			if said, want := m.(models.Chooser).Chosen(), says+string("abc"[column]); said != want {
				t.Fatalf("%q, expected %q", said, want)
			}
		}
	})
}

// TestColumnOutOfRange: a snapshot cannot name a column that is not there.
func TestColumnOutOfRange(t *testing.T) {
	s := story()
	s.NumFeat, s.Feat = 2, make([]float32, 10)
	kind, _ := models.Lookup("single-column")
	m, err := kind.New(models.Setup{Task: protocol.NodeClassification, NumNodes: s.NumNodes, NumFeat: 2, MaxBatch: 5}, &models.NoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range [][]float32{{2, 1}, {-1, 1}, {.5, 1}, {1, 2}, {1, 0}} {
		bad := m.Snapshot(models.Everything)
		bad.Params[0].F32 = slices.Clone(rule)
		if m.Restore(bad) == nil {
			t.Errorf("column and sign %v are accepted", rule)
		}
	}
}
