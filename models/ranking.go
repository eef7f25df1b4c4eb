package models

import (
	"slices"

	"dgsbench/datasets"
)

// Candidates are the destinations that an event is ranked against.
type Candidates struct {
	// Nodes are the candidates, ascending, without repetition.
	Nodes []int32
	// Without lists, for each event of the batch, further nodes that are
	// not negatives of it (ascending); nil excludes nobody.
	Without [][]int32
}

// Excluded returns the nodes that are not negatives of event k beside its
// true destination.
func (c Candidates) Excluded(k int) []int32 {
	if c.Without == nil {
		return nil
	}
	return c.Without[k]
}

// Counts receives the ranking facts: entry k counts the negatives of event
// k that score above (Greater) and exactly level with (Equal) its true
// destination.
type Counts struct {
	Greater, Equal []int32
}

// Tally counts scores above and level with that of a true destination.
type Tally struct {
	True           float64 // score of the true destination
	Greater, Equal int32
}

// Add counts a score n times.
func (t *Tally) Add(score float64, n int32) {
	if score > t.True {
		t.Greater += n
	} else if score == t.True {
		t.Equal += n
	}
}

// RankScores is Rank for models that score all candidates of an event: score
// writes the scores of nodes for event k of the batch. It leaves out the true
// destination and the excluded nodes, counts ties, and returns a *BadScore for
// a score that is not finite.
func RankScores(b datasets.Stream, c Candidates, out Counts, score func(k int, nodes []int32, scores []float32) error) error {
	last := len(c.Nodes) // place of the true destination
	nodes, scores := append(slices.Clone(c.Nodes), 0), make([]float32, last+1)
	for k := range b.Len() {
		nodes[last] = b.Dst[k]
		if err := score(k, nodes, scores); err != nil {
			return err
		}
		if err := CheckScores(b.Slice(k, k+1), scores); err != nil {
			return err
		}
		excluded, t := c.Excluded(k), Tally{True: float64(scores[last])}
		for i, v := range c.Nodes {
			for len(excluded) > 0 && excluded[0] < v {
				excluded = excluded[1:]
			}
			if v != b.Dst[k] && (len(excluded) == 0 || excluded[0] != v) {
				t.Add(float64(scores[i]), 1)
			}
		}
		out.Greater[k], out.Equal[k] = t.Greater, t.Equal
	}
	return nil
}
