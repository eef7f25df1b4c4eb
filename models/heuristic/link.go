package heuristic

import (
	"errors"
	"math"
	"slices"
	"sort"

	"dgsbench/datasets"
	"dgsbench/models"
)

// linkRule scores a destination for a source: pairs that occurred by what
// is remembered of them, all others by their destination alone.
type linkRule struct {
	models.Offline
	pairs *pairMemory
	count []int64 // events of every destination
	now   float64 // time of the latest event observed, seconds

	// ofPair scores a remembered pair; false treats it as never seen.
	ofPair func(r *linkRule, s *seen) (float64, bool)
	// ofOthers scores a destination without memory of the pair.
	ofOthers func(r *linkRule, dst int32) float64

	sorted []float64 // scratch: ofOthers of all candidates, ascending
	member []bool    // scratch: is the node a candidate
}

var _ models.Model = (*linkRule)(nil)

// abovePopularity is larger than any event count, so that every remembered
// pair outranks every forgotten one.
const abovePopularity = 1 << 40

// ignorePairs serves rules that look at the destination only.
func ignorePairs(*linkRule, *seen) (float64, bool) { return 0, false }

// byRecency scores a pair by the stream index of its last event.
func byRecency(_ *linkRule, s *seen) (float64, bool) {
	return abovePopularity + float64(s.last), true
}

// level gives all destinations the same score.
func level(*linkRule, int32) float64 { return 0 }

// byPopularity scores a destination by its event count.
func byPopularity(r *linkRule, dst int32) float64 { return float64(r.count[dst]) }

func newLinkRule(s models.Setup, ofPair func(*linkRule, *seen) (float64, bool), ofOthers func(*linkRule, int32) float64) *linkRule {
	return &linkRule{
		pairs: newPairMemory(s.NumNodes), count: make([]int64, s.NumNodes),
		ofPair: ofPair, ofOthers: ofOthers, member: make([]bool, s.NumNodes),
	}
}

func (r *linkRule) score(src, dst int32) float64 {
	if s := r.pairs.find(src, dst); s != nil {
		if x, ok := r.ofPair(r, s); ok {
			return x
		}
	}
	return r.ofOthers(r, dst)
}

// Rank counts by bisection: all candidates as if no pair were remembered,
// then corrected for the source's remembered pairs, the true destination
// and the excluded nodes.
func (r *linkRule) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	r.sorted = r.sorted[:0]
	for _, v := range c.Nodes {
		r.member[v] = true
		r.sorted = append(r.sorted, r.ofOthers(r, v))
	}
	slices.Sort(r.sorted)
	for k := range b.Len() {
		var without []int32
		if c.Without != nil {
			without = c.Without[k]
		}
		out.Greater[k], out.Equal[k] = r.rankOne(b.Src[k], b.Dst[k], without)
	}
	for _, v := range c.Nodes {
		r.member[v] = false
	}
	return nil
}

func (r *linkRule) rankOne(src, dst int32, without []int32) (int32, int32) {
	t := tally{positive: r.score(src, dst)}
	level := sort.SearchFloat64s(r.sorted, t.positive)
	above := sort.Search(len(r.sorted), func(i int) bool { return r.sorted[i] > t.positive })
	t.equal, t.greater = int32(above-level), int32(len(r.sorted)-above)
	for i := range r.pairs.bySource[src] {
		s := &r.pairs.bySource[src][i]
		if x, ok := r.ofPair(r, s); ok && r.member[s.dst] {
			t.add(r.ofOthers(r, s.dst), -1)
			t.add(x, 1)
		}
	}
	if r.member[dst] {
		t.add(t.positive, -1)
	}
	for _, v := range without {
		if v != dst && r.member[v] {
			t.add(r.score(src, v), -1)
		}
	}
	return t.greater, t.equal
}

// tally holds the counts of one event.
type tally struct {
	positive       float64
	greater, equal int32
}

func (t *tally) add(score float64, n int32) {
	if score > t.positive {
		t.greater += n
	} else if score == t.positive {
		t.equal += n
	}
}

// Score writes the plain scores. They rank as Rank does while event numbers
// and counts fit the 24 bits of a float32's significand.
func (r *linkRule) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	for k := range b.Len() {
		for i, v := range candidates {
			x := r.score(b.Src[k], v)
			if x >= abovePopularity {
				x = x - abovePopularity + 1<<23
			}
			logits[k*len(candidates)+i] = float32(x)
		}
	}
	return nil
}

// Observe remembers the batch.
func (r *linkRule) Observe(b datasets.Stream) error {
	r.pairs.observe(b)
	for k, dst := range b.Dst {
		r.count[dst]++
		r.now = max(r.now, b.Time[k])
	}
	return nil
}

// Train only observes: there is nothing to learn.
func (r *linkRule) Train(b datasets.Stream, _ []int32) (float64, error) { return 0, r.Observe(b) }

// Classify is not defined for link rules.
func (r *linkRule) Classify(datasets.Stream, []float32) error { return models.ErrTask }

// Reset forgets everything.
func (r *linkRule) Reset() {
	r.pairs.reset()
	clear(r.count)
	r.now = 0
}

// Snapshot copies the tables; there are no parameters.
func (r *linkRule) Snapshot(what models.Part) models.Snapshot {
	if what == models.Parameters {
		return models.Snapshot{}
	}
	return models.Snapshot{State: append([]models.Tensor{r.pairs.tensor()}, r.tables()...)}
}

// tables copies what is remembered beside the pairs.
func (r *linkRule) tables() []models.Tensor {
	return []models.Tensor{
		{Name: "count", Shape: []int{len(r.count)}, I64: slices.Clone(r.count)},
		{Name: "now", Shape: []int{1}, I64: []int64{timeBits(r.now)}},
	}
}

// Restore puts the tables back.
func (r *linkRule) Restore(s models.Snapshot) error {
	if len(s.Params) > 0 {
		return errors.New("the snapshot has parameters, link rules have none")
	}
	if s.State == nil {
		return nil
	}
	if len(s.State) == 0 {
		return errors.New("the snapshot has no state, link rules have one")
	}
	if err := models.Check(r.tables(), s.State[1:]); err != nil {
		return err
	}
	if err := errors.Join(r.pairs.check(s.State[0]), checkCounts(s.State[1]), models.CheckTimes(s.State[2], math.MaxFloat64)); err != nil {
		return err
	}
	r.pairs.restore(s.State[0])
	copy(r.count, s.State[1].I64)
	r.now = timeOf(s.State[2].I64[0])
	return nil
}

// NumParams is 0.
func (r *linkRule) NumParams() int { return 0 }
