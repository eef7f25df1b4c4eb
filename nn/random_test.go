package nn

import "testing"

func TestStreamsAreIndependent(t *testing.T) {
	if Rand(1, ForParameters).Uint64() == Rand(1, ForDropout).Uint64() {
		t.Error("two purposes share a stream")
	}
	if Rand(1, ForParameters).Uint64() != Rand(1, ForParameters).Uint64() {
		t.Error("one purpose, one seed, two streams")
	}
}
