package heuristic

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"dgsbench/datasets"
	"dgsbench/models"
)

// linkRule scores a destination for a source: pairs that have occurred by
// ofPair, all others by ofDestination.
type linkRule struct {
	models.Offline
	ofPair        pairScore
	ofDestination destinationScore

	pairs    [][]pair        // by source
	position map[int64]int32 // of a pair (key) in the list of its source
	count    []int64         // events of every destination
	now      [1]float64      // time of the latest event observed, seconds

	// decayed is log2 of the sum of 2^(time/halfLife) over the events of every
	// destination, noEvent without any; nil where popularity does not decay. Its order is
	// that of popularities that halve with the halfLife, in seconds, at any time.
	decayed  []float64
	halfLife float64

	others      []float64 // scratch: ofDestination of all candidates; ascending for a large batch
	isCandidate []bool    // scratch: of a node
}

// pair is what is kept of a source and this destination.
type pair struct {
	dst  int32
	last int64   // number of its last event within the whole stream
	time float64 // time of its last event, seconds
}

func key(src, dst int32) int64 { return int64(src)<<32 | int64(dst) }

func newLinkRule(s models.Setup, ofPair pairScore, ofDestination destinationScore) *linkRule {
	return &linkRule{
		ofPair: ofPair, ofDestination: ofDestination,
		pairs: make([][]pair, s.NumNodes), position: map[int64]int32{}, count: make([]int64, s.NumNodes), isCandidate: make([]bool, s.NumNodes),
	}
}

func (r *linkRule) score(src, dst int32) float64 {
	if i, ok := r.position[key(src, dst)]; ok {
		if x, ok := r.ofPair(r, &r.pairs[src][i]); ok {
			return x
		}
	}
	return r.ofDestination(r, dst)
}

// noEvent is below the score of any destination with an event.
const noEvent = -aboveCounts

// smallBatch is how many events are ranked without sorting the candidates.
const smallBatch = 16

// Rank counts all candidates as if no pair had occurred, then corrects for the
// source's pairs, the true destination and the excluded nodes.
func (r *linkRule) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	r.others = r.others[:0]
	for _, v := range c.Nodes {
		r.isCandidate[v] = true
		r.others = append(r.others, r.ofDestination(r, v))
	}
	if b.Len() > smallBatch {
		slices.Sort(r.others)
	}
	for k := range b.Len() {
		t := models.Tally{True: r.score(b.Src[k], b.Dst[k])}
		if b.Len() > smallBatch {
			level := sort.SearchFloat64s(r.others, t.True)
			above := sort.Search(len(r.others), func(i int) bool { return r.others[i] > t.True })
			t.Equal, t.Greater = int32(above-level), int32(len(r.others)-above)
		} else {
			for _, x := range r.others {
				t.Add(x, 1)
			}
		}
		r.correct(&t, b.Src[k], b.Dst[k], c.Excluded(k))
		out.Greater[k], out.Equal[k] = t.Greater, t.Equal
	}
	for _, v := range c.Nodes {
		r.isCandidate[v] = false
	}
	return nil
}

// correct makes the count of all candidates that of an event's negatives.
func (r *linkRule) correct(t *models.Tally, src, dst int32, excluded []int32) {
	for i := range r.pairs[src] {
		p := &r.pairs[src][i]
		if x, ok := r.ofPair(r, p); ok && r.isCandidate[p.dst] {
			t.Add(r.ofDestination(r, p.dst), -1)
			t.Add(x, 1)
		}
	}
	if r.isCandidate[dst] {
		t.Add(t.True, -1)
	}
	for _, v := range excluded {
		if v != dst && r.isCandidate[v] {
			t.Add(r.score(src, v), -1)
		}
	}
}

// Score writes the plain scores. They rank as Rank does while event numbers
// and counts fit the 24 bits of a float32's significand.
func (r *linkRule) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	for k := range b.Len() {
		for i, v := range candidates {
			x := r.score(b.Src[k], v)
			if x >= aboveCounts {
				x = x - aboveCounts + 1<<23
			} else if r.decayed != nil {
				x -= r.halfLives(r.now[0])
			}
			logits[k*len(candidates)+i] = float32(x)
		}
	}
	return nil
}

// Observe adds the batch to the tables.
func (r *linkRule) Observe(b datasets.Stream) error {
	for k, dst := range b.Dst {
		r.put(b.Src[k], pair{dst: dst, last: int64(b.EventID(k)), time: b.Time[k]})
		r.count[dst]++
		if r.decayed != nil {
			r.decayed[dst] = addLog2(r.decayed[dst], r.halfLives(b.Time[k]))
		}
		r.now[0] = max(r.now[0], b.Time[k])
	}
	return nil
}

// halfLives returns a time in half-lives, up to a limit far beyond those of streams.
func (r *linkRule) halfLives(time float64) float64 {
	const limit = aboveCounts / 2
	return max(-limit, min(limit, time/r.halfLife))
}

// addLog2 returns log2(2^a + 2^b).
func addLog2(a, b float64) float64 {
	return max(a, b) + math.Log2(1+math.Exp2(-math.Abs(a-b)))
}

// put adds a pair or replaces what is kept of it.
func (r *linkRule) put(src int32, p pair) {
	if i, ok := r.position[key(src, p.dst)]; ok {
		r.pairs[src][i] = p
		return
	}
	r.position[key(src, p.dst)] = int32(len(r.pairs[src]))
	r.pairs[src] = append(r.pairs[src], p)
}

// Train only observes: there is nothing to learn.
func (r *linkRule) Train(b datasets.Stream, _ []int32) (float64, error) { return 0, r.Observe(b) }

func (r *linkRule) Classify(datasets.Stream, []float32) error { return models.ErrTask }

// Reset empties the tables.
func (r *linkRule) Reset() {
	clear(r.pairs)
	clear(r.position)
	for v := range r.decayed {
		r.decayed[v] = noEvent
	}
	clear(r.count)
	r.now[0] = 0
}

func (r *linkRule) Snapshot(what models.Part) models.Snapshot {
	return models.Take(what, nil, r.fields())
}

func (r *linkRule) Restore(s models.Snapshot) error { return models.Put(s, nil, r.fields()) }

func (r *linkRule) NumParams() int { return 0 }

// fields are the tables in snapshots. A pair is four numbers: source,
// destination, last event, bits of its time.
func (r *linkRule) fields() models.Fields {
	fields := models.Fields{
		{
			Name: "pairs", Shape: []int{len(r.position), 4}, AnyRows: true,
			Ints: func() (rows []int64) {
				for src, list := range r.pairs {
					for _, p := range list {
						rows = append(rows, int64(src), int64(p.dst), p.last, int64(math.Float64bits(p.time)))
					}
				}
				return rows
			},
			Check: r.checkPairs,
			Set: func(saved models.Tensor) {
				clear(r.pairs)
				clear(r.position)
				for row := range slices.Chunk(saved.I64, 4) {
					r.put(int32(row[0]), pair{dst: int32(row[1]), last: row[2], time: math.Float64frombits(uint64(row[3]))})
				}
			},
		},
		models.Integers("count", r.count, 0, aboveCounts-1),
		models.Times("now", r.now[:], math.MaxFloat64),
	}
	if r.decayed != nil {
		fields = append(fields, models.Times("decayed", r.decayed, -noEvent))
	}
	return fields
}

// checkPairs returns an error for pairs that no stream has.
func (r *linkRule) checkPairs(saved []models.Tensor) error {
	t, known, nodes := saved[0], map[int64]bool{}, int64(len(r.pairs))
	for row := range slices.Chunk(t.I64, 4) {
		if row[0] < 0 || row[0] >= nodes || row[1] < 0 || row[1] >= nodes {
			return fmt.Errorf("the snapshot has a pair of nodes %d and %d, the stream has %d nodes", row[0], row[1], nodes)
		}
		k := key(int32(row[0]), int32(row[1]))
		if known[k] || row[2] < 0 || row[2] >= aboveCounts {
			return fmt.Errorf("the snapshot has the pair of nodes %d and %d twice, or as event %d, expected once and 0 to %d", row[0], row[1], row[2], int64(aboveCounts-1))
		}
		known[k] = true
		if err := models.CheckTimes(models.Tensor{Name: t.Name, Shape: t.Shape, I64: row[3:]}, math.MaxFloat64); err != nil {
			return err
		}
	}
	return nil
}
