// Package tpe chooses what to try next: random search, then tree-structured
// Parzen estimators (Bergstra et al. 2011, "Algorithms for Hyper-Parameter
// Optimization"), each parameter by itself, with the choices of Optuna's
// TPESampler where the article leaves them open.
//
// A point is drawn from the seed, the trial's number and the trials told so
// far, and from nothing else.
package tpe

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"dgsbench/internal/lists"
)

// Param is one dimension of the space: numbers from Low to High, both
// included, or one of Choices. The space is a slice of them, and a Point has a
// number for each: the value itself, or the index of the choice.
type Param struct {
	Low, High float64
	Log       bool    // uniform in the logarithm; Low is above 0, Step 0
	Step      float64 // Low, Low + Step, ... High; 0 for all numbers
	Choices   int     // 0 for numbers
}

// Point has a number for each Param.
type Point []float64

// check panics if the parameter is invalid: a mistake of the program.
func (p Param) check() {
	steps := 0.0
	if p.Step > 0 {
		steps = (p.High - p.Low) / p.Step
	}
	bad := p.Choices < 0 || p.Step < 0 || p.Choices == 0 && !(p.Low < p.High) ||
		p.Log && (p.Low <= 0 || p.Step > 0) || math.Abs(steps-math.Round(steps)) > 1e-9
	if bad {
		panic(fmt.Sprintf("tpe: %+v is no parameter", p))
	}
}

// ends returns those of the scale, half a step beyond the outer values.
func (p Param) ends() (low, high float64) {
	if p.Log {
		return math.Log(p.Low), math.Log(p.High)
	}
	return p.Low - p.Step/2, p.High + p.Step/2
}

// inside maps a value to that scale, outside maps it back to the nearest value
// that the parameter can have.
func (p Param) inside(v float64) float64 {
	if p.Log {
		return math.Log(v)
	}
	return v
}

func (p Param) outside(x float64) float64 {
	switch {
	case p.Log:
		x = math.Exp(x)
	case p.Step > 0:
		x = p.Low + math.Round((x-p.Low)/p.Step)*p.Step
	}
	return min(max(x, p.Low), p.High)
}

// candidates is how many values of a parameter are compared at a time.
const candidates = 24

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

// New returns a Sampler without trials. It panics if a parameter is invalid.
func New(space []Param, seed uint64, random int) *Sampler {
	for _, p := range space {
		p.check()
	}
	return &Sampler{space: slices.Clone(space), seed: seed, random: random}
}

// Tell adds a trial, in any order; telling a number twice is a mistake of the program.
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

// random draws a value uniformly on the parameter's scale.
func (p Param) random(rng *rand.Rand) float64 {
	if p.Choices > 0 {
		return float64(rng.IntN(p.Choices))
	}
	low, high := p.ends()
	return p.outside(low + rng.Float64()*(high-low))
}

// propose draws candidates where the good values are dense and returns the one
// with the largest ratio of the densities of the good and the other values.
func (p Param) propose(rng *rand.Rand, good, others []float64) float64 {
	near, far := p.density(good), p.density(others)
	best, highest := 0.0, math.Inf(-1)
	for range candidates {
		v := near.draw(rng)
		if gain := math.Log(near.at(v)) - math.Log(far.at(v)); gain > highest {
			best, highest = v, gain
		}
	}
	return best
}

// split separates the best tenth of the trials, 25 at most, from the others,
// each in the order of their numbers. Equal trials go by number.
func split(told []Trial) (good, others []Trial) {
	order := slices.Clone(told)
	slices.SortStableFunc(order, func(a, b Trial) int { return cmp.Compare(b.Value, a.Value) }) // NaN is below all numbers
	n := min((len(told)+9)/10, 25)
	good, others = order[:n], order[n:]
	for _, some := range [][]Trial{good, others} {
		slices.SortFunc(some, func(a, b Trial) int { return cmp.Compare(a.Number, b.Number) })
	}
	return good, others
}

func column(trials []Trial, i int) []float64 {
	return lists.Map(trials, func(t Trial) float64 { return t.Point[i] })
}
