package nn

import "testing"

// TestStreamsAreIndependent: every seed and purpose has a stream of its own,
// always the same.
func TestStreamsAreIndependent(t *testing.T) {
	first := map[uint64]bool{}
	for seed := range uint64(8) {
		for _, p := range []Purpose{ForParameters, ForDropout, ForNegatives, ForValidation, ForArrivals} {
			n := Rand(seed, p).Uint64()
			if first[n] {
				t.Errorf("seed %d, %s: the stream of another seed or purpose", seed, p)
			}
			first[n] = true
			if Rand(seed, p).Uint64() != n {
				t.Errorf("seed %d, %s: two streams", seed, p)
			}
		}
	}
}
