package tpe

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Candidates is how many values of a parameter are weighed at a time.
const Candidates = 24

// Trial is a point that was tried. A larger Value is better; NaN is that of a
// trial that failed, which counts as the worst.
type Trial struct {
	Number int
	Point  Point
	Value  float64
}

// Sampler proposes points. The trials with numbers below Random are drawn at
// random: they are counted over all workers, whichever of them finish first.
type Sampler struct {
	space  []Param
	seed   uint64
	random int
	told   []Trial // by number
}

// New starts without any trial told. It panics when the space is none.
func New(space []Param, seed uint64, random int) *Sampler {
	for _, p := range space {
		p.check()
	}
	return &Sampler{space: slices.Clone(space), seed: seed, random: random}
}

// Tell takes in a finished or failed trial. The order does not matter; telling
// a number twice is a mistake of the program.
func (s *Sampler) Tell(t Trial) {
	i, twice := slices.BinarySearchFunc(s.told, t.Number, func(t Trial, n int) int { return cmp.Compare(t.Number, n) })
	if twice || len(t.Point) != len(s.space) {
		panic(fmt.Sprintf("tpe: trial %d was told before, or its point %v is not of %d numbers", t.Number, t.Point, len(s.space)))
	}
	s.told = slices.Insert(s.told, i, t)
}

// Ask proposes the point of a trial.
func (s *Sampler) Ask(number int) Point {
	rng := rand.New(rand.NewPCG(s.seed, uint64(number)))
	point := make(Point, len(s.space))
	good, others := split(s.told)
	for i, p := range s.space {
		if number < s.random || len(s.told) == 0 {
			point[i] = p.random(rng)
		} else {
			point[i] = p.propose(rng, column(good, i), column(others, i))
		}
	}
	return point
}

// random draws a value by chance alone.
func (p Param) random(rng *rand.Rand) float64 {
	if p.Choices > 0 {
		return float64(rng.IntN(p.Choices))
	}
	low, high := p.ends()
	return p.outside(low + rng.Float64()*(high-low))
}

// propose draws candidates where the good values are dense and takes the one
// that is densest among the good and rarest among the others.
func (p Param) propose(rng *rand.Rand, good, others []float64) float64 {
	near, far := p.density(good), p.density(others)
	best, most := 0.0, math.Inf(-1)
	for range Candidates {
		v := near.draw(rng)
		if gain := math.Log(near.at(v)) - math.Log(far.at(v)); gain > most {
			best, most = v, gain
		}
	}
	return best
}

// split parts the best tenth of the trials, 25 at most, from the others, each
// in the order of their numbers. Level trials go by number.
func split(told []Trial) (good, others []Trial) {
	order := slices.Clone(told)
	slices.SortStableFunc(order, func(a, b Trial) int { return cmp.Compare(worth(b), worth(a)) })
	n := min((len(told)+9)/10, 25)
	good, others = order[:n], order[n:]
	byNumber := func(a, b Trial) int { return cmp.Compare(a.Number, b.Number) }
	slices.SortFunc(good, byNumber)
	slices.SortFunc(others, byNumber)
	return good, others
}

// worth is the value by which trials are ordered.
func worth(t Trial) float64 {
	if math.IsNaN(t.Value) {
		return math.Inf(-1)
	}
	return t.Value
}

func column(trials []Trial, i int) []float64 {
	out := make([]float64, len(trials))
	for k, t := range trials {
		out[k] = t.Point[i]
	}
	return out
}
