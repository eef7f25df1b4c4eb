package heuristic

import (
	"errors"
	"fmt"
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
	// scalar turns (earlier events, age in seconds) into the score.
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

// fewerEvents scores new users high: minus the number of earlier events.
func fewerEvents(count int64, _ float64) float64 { return -float64(count) }

// younger scores new users high: minus the seconds since the first event.
func younger(_ int64, age float64) float64 { return -age }

// Classify scores by the tables from before the batch, then folds it in.
func (r *userRule) Classify(b datasets.Stream, logits []float32) error {
	for k, u := range b.Src {
		age := 0.0
		if r.first[u] != never {
			age = b.Time[k] - timeOf(r.first[u])
		}
		logits[k] = float32(r.scalar(r.count[u], age))
		if !models.Finite(logits[k]) {
			return &models.BadScore{Event: b.EventID(k), Score: float64(logits[k])}
		}
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

// Rank is not defined for user rules.
func (r *userRule) Rank(datasets.Stream, models.Candidates, models.Counts) error {
	return models.ErrTask
}

// Score is not defined for user rules.
func (r *userRule) Score(datasets.Stream, []int32, []float32) error { return models.ErrTask }

// Reset forgets all users.
func (r *userRule) Reset() {
	clear(r.count)
	for i := range r.first {
		r.first[i] = never
	}
}

// Snapshot copies the tables; there are no parameters.
func (r *userRule) Snapshot(what models.Part) models.Snapshot {
	if what == models.Parameters {
		return models.Snapshot{}
	}
	return models.Snapshot{State: models.Clone(r.tensors())}
}

// Restore puts the tables back.
func (r *userRule) Restore(s models.Snapshot) error {
	if len(s.Params) > 0 {
		return errors.New("the snapshot has parameters, user rules have none")
	}
	if s.State == nil {
		return nil
	}
	own := r.tensors()
	err := models.Check(own, s.State)
	if err == nil {
		err = errors.Join(checkCounts(s.State[0]), models.CheckTimes(s.State[1], math.MaxFloat64, never))
	}
	if err == nil {
		err = models.Copy(own, s.State)
	}
	if err != nil {
		return fmt.Errorf("user rule: %w", err)
	}
	return nil
}

// checkCounts rejects negative counts and counts above the number of events
// that a stream can have.
func checkCounts(t models.Tensor) error {
	for i, n := range t.I64 {
		if n < 0 || n >= abovePopularity {
			return fmt.Errorf("snapshot tensor %s: number %d is %d, expected a count below %d", t, i, n, int64(abovePopularity))
		}
	}
	return nil
}

func (r *userRule) tensors() []models.Tensor {
	n := []int{len(r.count)}
	return []models.Tensor{{Name: "count", Shape: slices.Clone(n), I64: r.count}, {Name: "first", Shape: n, I64: r.first}}
}

// NumParams is 0.
func (r *userRule) NumParams() int { return 0 }

func timeBits(t float64) int64 { return int64(math.Float64bits(t)) }

func timeOf(bits int64) float64 { return math.Float64frombits(uint64(bits)) }
