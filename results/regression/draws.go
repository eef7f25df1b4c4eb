package regression

import "math/rand/v2"

// draws is how many splits of more than ten seeds a side are tried: with them,
// a p-value of 1e-5 can still be told from one of 1e-4.
const draws = 1_000_000

// fixedStream makes a report a function of its inputs.
func fixedStream() *rand.Rand { return rand.New(rand.NewPCG(1, 0)) }
