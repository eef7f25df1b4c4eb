package heuristic

import (
	"cmp"
	"math"
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
)

// userRule classifies an event by one causal scalar of its source.
type userRule struct {
	models.Offline
	count []int64 // earlier events of the node as source
	first []int64 // bits of the time of its first event as source; never for none
	// scalar makes the score of the number of earlier events and the age in
	// seconds.
	scalar func(count int64, age float64) float64
}

var _ models.Model = (*userRule)(nil)

// never marks a node without events: the bits of no finite time.
const never = int64(math.MaxInt64)

func newUserRule(s models.Setup, scalar func(int64, float64) float64) *userRule {
	r := &userRule{count: make([]int64, s.NumNodes), first: make([]int64, s.NumNodes), scalar: scalar}
	r.Reset()
	return r
}

// Classify scores by the tables from before the batch, then folds it in.
func (r *userRule) Classify(b datasets.Stream, logits []float32) error {
	for k, u := range b.Src {
		age := 0.0
		if r.first[u] != never {
			age = b.Time[k] - timeOf(r.first[u])
		}
		logits[k] = float32(r.scalar(r.count[u], age))
	}
	if err := models.CheckScores(b, logits); err != nil {
		return err
	}
	return r.Observe(b)
}

// Observe counts the batch.
func (r *userRule) Observe(b datasets.Stream) error {
	for k, u := range b.Src {
		r.count[u]++
		if r.first[u] == never {
			r.first[u] = timeBits(b.Time[k])
		}
	}
	return nil
}

// Train only observes: there is nothing to learn.
func (r *userRule) Train(b datasets.Stream, _ []int32) (float64, error) { return 0, r.Observe(b) }

// Rank returns ErrTask.
func (r *userRule) Rank(datasets.Stream, models.Candidates, models.Counts) error {
	return models.ErrTask
}

// Score returns ErrTask.
func (r *userRule) Score(datasets.Stream, []int32, []float32) error { return models.ErrTask }

// Reset forgets all users.
func (r *userRule) Reset() {
	clear(r.count)
	for i := range r.first {
		r.first[i] = never
	}
}

// Snapshot copies the tables; there are no parameters.
func (r *userRule) Snapshot(what models.Part) models.Snapshot { return models.Take(what, nil, r) }

// Restore replaces the tables.
func (r *userRule) Restore(s models.Snapshot) error { return models.Put(s, nil, r) }

// NumParams is 0.
func (r *userRule) NumParams() int { return 0 }

// Tensors copies the tables.
func (r *userRule) Tensors() []models.Tensor {
	n := []int{len(r.count)}
	return []models.Tensor{
		{Name: "count", Shape: n, I64: slices.Clone(r.count)}, {Name: "first", Shape: slices.Clone(n), I64: slices.Clone(r.first)},
	}
}

// CheckTensors implements models.State.
func (r *userRule) CheckTensors(saved []models.Tensor) error {
	if err := models.Check(r.Tensors(), saved); err != nil {
		return err
	}
	return cmp.Or(checkCounts(saved[0]), models.CheckTimes(saved[1], math.MaxFloat64, never))
}

// SetTensors implements models.State.
func (r *userRule) SetTensors(saved []models.Tensor) {
	copy(r.count, saved[0].I64)
	copy(r.first, saved[1].I64)
}
