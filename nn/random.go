package nn

import (
	"hash/fnv"
	"math/rand/v2"
)

// Purpose names one of the independent random streams of a trial.
type Purpose string

// The streams: drawing more from one never changes another.
const (
	ForParameters Purpose = "parameters"
	ForDropout    Purpose = "dropout"
	ForNegatives  Purpose = "negatives"
	ForValidation Purpose = "validation negatives"
)

// Rand is the stream for one purpose, derived from the trial's seed alone.
func Rand(seed uint64, p Purpose) *rand.Rand { return rand.New(source(seed, p)) }

func source(seed uint64, p Purpose) *rand.PCG {
	h := fnv.New64a()
	h.Write([]byte(p))
	return rand.NewPCG(seed, h.Sum64())
}
