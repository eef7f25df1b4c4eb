package tpe

import "math"

// function is one with a known optimum, negated where it is a minimum. The
// same ones stand in peers/tpe_optuna.py.
type function struct {
	name  string
	space []Param
	value func(Point) float64
	best  float64
}

func functions() []function {
	side := Param{Low: -5, High: 5}
	return []function{
		{"sphere", []Param{side, side, side, side, side}, sphere, 0},
		{"branin", []Param{{Low: -5, High: 10}, {Low: 0, High: 15}}, branin, -0.397887},
		{"mixed", []Param{
			{Low: 1e-5, High: 1, Log: true},
			{Low: 1, High: 8, Step: 1},
			{Choices: 4},
			{Low: 0, High: 1},
			{Low: 32, High: 256, Step: 2},
		}, mixed, 0},
	}
}

// sphere is best where every number is 1.
func sphere(p Point) float64 {
	sum := 0.0
	for _, x := range p {
		sum -= (x - 1) * (x - 1)
	}
	return sum
}

// branin has three optima of the same height, as at (pi, 2.275).
func branin(p Point) float64 {
	x, y := p[0], p[1]
	bow := y - 5.1/(4*math.Pi*math.Pi)*x*x + 5/math.Pi*x - 6
	return -(bow*bow + 10*(1-1/(8*math.Pi))*math.Cos(x) + 10)
}

// mixed looks like a model's options: a rate, a number of layers, a word, a
// share and a size. It is best at 1e-3, 3, the choice 2, 0.2 and 96.
func mixed(p Point) float64 {
	rate := math.Log10(p[0]) + 3
	layers := (p[1] - 3) / 3
	word := []float64{0.6, 0.3, 0, 0.9}[int(p[2])]
	share := p[3] - 0.2
	size := (p[4] - 96) / 128
	return -(rate*rate/2 + layers*layers + word + 2*share*share + size*size/2)
}
