package external

import (
	"errors"
	"fmt"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// Rank asks for counts or, of a process that has none, for scores, and counts them.
func (m *Model) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	if m.task != protocol.LinkPrediction {
		return models.ErrTask
	}
	if !m.greeting.offers(verbRank) {
		tallies, excluded := make([]models.Tally, b.Len()), exclusions(b, c)
		err := m.blocks(b, c.Nodes, func(first, k int, scores []float32) {
			t := &tallies[k]
			if first < 0 {
				t.True, scores, first = float64(scores[0]), scores[1:], 0
			}
			for i, x := range scores {
				if !excluded(k, c.Nodes[first+i]) {
					t.Add(float64(x), 1)
				}
			}
		})
		for k, t := range tallies {
			out.Greater[k], out.Equal[k] = t.Greater, t.Equal
		}
		return err
	}
	number, err := m.list(c.Nodes)
	if err != nil {
		return err
	}
	var more []column
	if c.Without != nil {
		more = []column{{"without", c.Without, 0}}
	}
	return m.send(question{
		request: request{Verb: verbRank, Candidates: number, Without: c.Without != nil}, limit: slack + 8*int64(b.Len()),
		each: func(a answer, payload []byte) (bool, error) {
			columns := []column{{"greater", []int32(nil), 0}, {"equal", []int32(nil), 0}}
			if err := rows(payload, columns, b.Len()); err != nil {
				return true, err
			}
			greater, equal := columns[0].values.([]int32), columns[1].values.([]int32)
			for k := range greater {
				if g, e := greater[k], equal[k]; g < 0 || e < 0 || int(g)+int(e) > len(c.Nodes) {
					return true, fmt.Errorf("event %d has %d candidates above and %d level with its destination, expected at most %d together", b.EventID(k), g, e, len(c.Nodes))
				}
			}
			copy(out.Greater, greater)
			copy(out.Equal, equal)
			return true, nil
		},
	}, b.WithFeatures(nil, 0), more...)
}

// exclusions returns the function that reports whether a node is no negative of event k.
// For each event it is asked in ascending order of nodes.
func exclusions(b datasets.Stream, c models.Candidates) func(k int, node int32) bool {
	left := make([][]int32, b.Len())
	for k := range left {
		left[k] = c.Excluded(k)
	}
	return func(k int, node int32) bool {
		for len(left[k]) > 0 && left[k][0] < node {
			left[k] = left[k][1:]
		}
		return node == b.Dst[k] || len(left[k]) > 0 && left[k][0] == node
	}
}

// Score asks for the scores.
func (m *Model) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	if m.task != protocol.LinkPrediction {
		return models.ErrTask
	}
	if !m.greeting.offers(verbScore) {
		return fmt.Errorf("%s: it does not offer %s", m.process.command, verbScore)
	}
	return m.blocks(b, candidates, func(first, k int, scores []float32) {
		if first < 0 {
			scores, first = scores[1:], 0
		}
		copy(logits[k*len(candidates)+first:], scores)
	})
}

// blocks asks for the scores of the events' own destinations and of candidates. It calls
// use with those of event k, in order, from candidate first on; first is -1 where the
// event's own destination comes before them.
func (m *Model) blocks(b datasets.Stream, candidates []int32, use func(first, k int, scores []float32)) error {
	number, err := m.list(candidates)
	if err != nil {
		return err
	}
	next, all := 0, 1+len(candidates)
	return m.send(question{
		request: request{Verb: verbScore, Candidates: number}, limit: slack + 4*int64(b.Len())*int64(all),
		each: func(a answer, payload []byte) (bool, error) {
			if a.First == nil || a.Columns == nil {
				return true, errors.New("scores without first or columns")
			}
			if *a.First != next || *a.Columns < 1 || *a.Columns > all-next {
				return true, fmt.Errorf("scores of %d columns from %d on, expected 1 to %d from %d on", *a.Columns, *a.First, all-next, next)
			}
			width := *a.Columns
			columns := []column{{"scores", []float32(nil), width}}
			if err := rows(payload, columns, b.Len()); err != nil {
				return true, err
			}
			scores := columns[0].values.([]float32)
			if err := models.CheckScores(b, scores); err != nil {
				return true, err
			}
			for k := range b.Len() {
				use(next-1, k, scores[k*width:(k+1)*width])
			}
			next += width
			return next == all, nil
		},
	}, b.WithFeatures(nil, 0))
}
