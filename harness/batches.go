package harness

import (
	"iter"

	"dgsbench/datasets"
)

// windows cuts a part into batches of the given size; the last may be
// shorter. Parts are cut one by one, so windows restart at the first event
// of each part, and nothing is ever shuffled.
func windows(part datasets.Stream, size int) iter.Seq[datasets.Stream] {
	return func(yield func(datasets.Stream) bool) {
		for lo := 0; lo < part.Len(); lo += size {
			if !yield(part.Slice(lo, min(lo+size, part.Len()))) {
				return
			}
		}
	}
}

// numWindows is how many batches windows yields.
func numWindows(part datasets.Stream, size int) int { return (part.Len() + size - 1) / size }
