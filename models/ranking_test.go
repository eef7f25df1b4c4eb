package models_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
)

// TestRankScores: the true destination and the excluded nodes of each event are
// no negatives, ties count apart, and a score that is not finite is an error.
func TestRankScores(t *testing.T) {
	b := datasets.Stream{Src: make([]int32, 3), Dst: []int32{2, 4, 9}, Time: make([]float64, 3), Label: make([]int8, 3), NumNodes: 10}.From(5)
	c := models.Candidates{Nodes: []int32{1, 2, 3, 4, 5}, Without: [][]int32{{0, 3, 9}, {1}, nil}}
	byNode := []float32{0, 7, 4, 8, 4, 1, 0, 0, 0, 7}
	score := func(_ int, nodes []int32, scores []float32) error {
		for i, v := range nodes {
			scores[i] = byNode[v]
		}
		return nil
	}
	out := models.Counts{Greater: make([]int32, 3), Equal: make([]int32, 3)}
	if err := models.RankScores(b, c, out, score); err != nil {
		t.Fatal(err)
	}
	if want := []int32{1, 1, 1}; !slices.Equal(out.Greater, want) {
		t.Errorf("%v above, expected %v", out.Greater, want)
	}
	if want := []int32{1, 1, 1}; !slices.Equal(out.Equal, want) {
		t.Errorf("%v level, expected %v", out.Equal, want)
	}
	byNode[9] = float32(math.NaN())
	var bad *models.BadScore
	if err := models.RankScores(b, c, out, score); !errors.As(err, &bad) || bad.Event != 7 {
		t.Errorf("%v, expected the score of event 7", err)
	}
}
