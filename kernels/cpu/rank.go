package cpu

import (
	"fmt"

	"dgsbench/kernels/portable"
)

// Ranking is a question to a Ranker; see [portable.Ranking].
type Ranking = portable.Ranking[float32]

// Ranker counts candidates that score above true destinations and as high, and
// stores no scores. A score is one sum over the dimensions in order, by
// fused multiply-add but for Portable: equal rows have equal scores, whatever
// is computed beside them. Neither the level (but for Portable) nor the
// number of threads changes a count.
type Ranker struct {
	pool              *Pool
	maxEvents, maxDim int
	scorer            scorer
	countPart         func(part int) // scorer.countPart
}

// A scorer does the work of a Ranker at one level.
type scorer interface {
	// set sets the question that the other methods answer.
	set(q Ranking, greater, equal []int32)
	// countPart does one part of the counting, concurrently with others.
	countPart(part int)
	// collect writes the counts when all parts are done.
	collect() (bad int)
	// score is the score of one pair.
	score(event int, node int32) float32
}

// NewRanker makes a Ranker for at most maxEvents events and maxDim
// dimensions at once. It runs on the pool and is to be used by one goroutine
// at a time.
func NewRanker(k Kernels, pool *Pool, maxEvents, maxDim int) *Ranker {
	s := k.scorer(pool.Workers(), maxEvents, maxDim)
	return &Ranker{pool: pool, maxEvents: maxEvents, maxDim: maxDim, scorer: s, countPart: s.countPart}
}

// Rank counts, for every event, the negatives that score above its true
// destination and exactly as high, into greater and equal. It returns the first
// event with a score (of its true destination or of any candidate, excluded or
// not) that is not finite, whose counts mean nothing, or -1. It allocates
// nothing, and panics if sizes do not fit.
func (r *Ranker) Rank(q Ranking, greater, equal []int32) (bad int) {
	r.check(&q)
	if len(greater) < q.Events || len(equal) < q.Events {
		panic(fmt.Sprintf("ranking: room for %d and %d counts of %d events", len(greater), len(equal), q.Events))
	}
	r.scorer.set(q, greater[:q.Events], equal[:q.Events])
	r.pool.Run(r.pool.Workers(), r.countPart)
	return r.scorer.collect()
}

// Scores writes the scores that Rank compares, Events x NumCandidates. For
// tests and small exports.
func (r *Ranker) Scores(q Ranking, out []float32) {
	r.check(&q)
	candidates := q.NumCandidates()
	if len(out) < q.Events*candidates {
		panic(fmt.Sprintf("ranking: room for %d scores of %d events and %d candidates", len(out), q.Events, candidates))
	}
	r.scorer.set(q, nil, nil)
	for e := range q.Events {
		for i := range candidates {
			out[e*candidates+i] = r.scorer.score(e, q.Candidate(i))
		}
	}
}

func (r *Ranker) check(q *Ranking) {
	q.Check()
	if q.Events > r.maxEvents || q.Dim > r.maxDim {
		panic(fmt.Sprintf("ranking: %d events of dimension %d, made for %d of %d", q.Events, q.Dim, r.maxEvents, r.maxDim))
	}
}

// portableScorer divides the events over the parts.
type portableScorer struct {
	q              Ranking
	greater, equal []int32
	bad            []int // by part
}

func (s *portableScorer) set(q Ranking, greater, equal []int32) {
	s.q, s.greater, s.equal = q, greater, equal
}

func (s *portableScorer) countPart(part int) {
	lo, hi := Split(s.q.Events, len(s.bad), part)
	s.bad[part] = s.q.Count(lo, hi, s.greater, s.equal)
}

func (s *portableScorer) collect() (bad int) {
	for _, bad := range s.bad {
		if bad >= 0 {
			return bad
		}
	}
	return -1
}

func (s *portableScorer) score(event int, node int32) float32 { return s.q.Score(event, node) }
