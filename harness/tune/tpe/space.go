package tpe

import (
	"fmt"
	"math"
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

// check panics when the parameter is not one: a mistake of the program.
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

// ends are those of the scale on which values are equally likely, half a step
// beyond the outer values.
func (p Param) ends() (low, high float64) {
	if p.Log {
		return math.Log(p.Low), math.Log(p.High)
	}
	return p.Low - p.Step/2, p.High + p.Step/2
}

// inside takes a value to that scale, outside takes it back, to the nearest
// value that the parameter can have.
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
