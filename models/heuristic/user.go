package heuristic

import (
	"math"

	"dgsbench/datasets"
	"dgsbench/models"
)

// userRule classifies an event by one causal scalar of its source.
type userRule struct {
	models.Offline
	models.NoLinks
	count []int64   // earlier events of the node as source
	first []float64 // time of its first event as source, seconds; models.Never for none
	// scalar makes the score of the number of earlier events and the age in
	// seconds.
	scalar func(count int64, age float64) float64
}

func newUserRule(s models.Setup, scalar func(int64, float64) float64) *userRule {
	r := &userRule{count: make([]int64, s.NumNodes), first: make([]float64, s.NumNodes), scalar: scalar}
	r.Reset()
	return r
}

// Classify scores by the tables from before the batch, then folds it in.
func (r *userRule) Classify(b datasets.Stream, logits []float32) error {
	for k, u := range b.Src {
		age := 0.0
		if !math.IsNaN(r.first[u]) {
			age = b.Time[k] - r.first[u]
		}
		logits[k] = float32(r.scalar(r.count[u], age))
	}
	if err := models.CheckScores(b, logits[:b.Len()]); err != nil {
		return err
	}
	return r.Observe(b)
}

// Observe counts the batch.
func (r *userRule) Observe(b datasets.Stream) error {
	for k, u := range b.Src {
		r.count[u]++
		if math.IsNaN(r.first[u]) {
			r.first[u] = b.Time[k]
		}
	}
	return nil
}

// Train only observes: there is nothing to learn.
func (r *userRule) Train(b datasets.Stream, _ []int32) (float64, error) { return 0, r.Observe(b) }

// Reset forgets all users.
func (r *userRule) Reset() {
	clear(r.count)
	for i := range r.first {
		r.first[i] = models.Never
	}
}

func (r *userRule) Snapshot(what models.Part) models.Snapshot {
	return models.Take(what, nil, r.fields())
}

func (r *userRule) Restore(s models.Snapshot) error { return models.Put(s, nil, r.fields()) }

func (r *userRule) NumParams() int { return 0 }

func (r *userRule) fields() models.Fields {
	return models.Fields{models.Integers("count", r.count, 0, aboveCounts-1), models.TimesOrNever("first", r.first, math.MaxFloat64)}
}
