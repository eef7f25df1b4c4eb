package datasets

import (
	"fmt"
	"math"
	"slices"
)

// velocityWindows are the lengths of the windows of Velocity, in seconds.
var velocityWindows = []struct {
	name    string
	seconds float64
}{{"1 h", 3600}, {"1 d", 86_400}, {"7 d", 7 * 86_400}}

// maxVelocity is the number of the file's features, its first, of which
// Velocity has sums and means.
const maxVelocity = 16

// Velocity counts what the source and the destination of an event did in the
// last hour, day and week before it: for each of these six, the number of
// earlier events with the same node on that side whose age is at most the
// window's length, the number of different partners in them, and the sum and
// the mean of each of the first 16 features of the file over them. Numbers are
// log(1+n), sums sign(x) log(1+|x|), a mean of no events 0.
func Velocity() Derived {
	return Derived{
		name: "events, partners, sums and means of source and destination in the last hour, day and week",
		past: true, scaled: true, columns: velocityColumns, sweep: sweepVelocity, bytes: velocityBytes,
	}
}

// velocityColumns returns the names of the columns in their order.
func velocityColumns(file []string) (out []string) {
	for _, side := range []Side{Source, Destination} {
		for _, w := range velocityWindows {
			of := fmt.Sprintf("of the %s in %s", side, w.name)
			out = append(out, "events "+of, "partners "+of)
			for _, feature := range file[:min(len(file), maxVelocity)] {
				out = append(out, fmt.Sprintf("sum of %s %s", feature, of), fmt.Sprintf("mean of %s %s", feature, of))
			}
		}
	}
	return out
}

// velocityBytes is what sweepVelocity takes: the number of each event's pair with
// the sorted pairs, and what is known of nodes and pairs in one window.
func velocityBytes(s Stream) int64 {
	n := int64(min(s.NumFeat, maxVelocity))
	return int64(s.Len())*(8+4+4) + int64(s.NumNodes)*(4+4+16*n)
}

// sweepVelocity fills the columns of one side and window after the other, each
// in one pass over the events: one pointer goes before the event, or before its
// batch, and one follows at the age at which an event leaves the window.
func sweepVelocity(s Stream, begins []bool, row func(k int) []float32) {
	pairs, numPairs := pairNumbers(s)
	n := min(s.NumFeat, maxVelocity)
	width, at := 2+2*n, 0
	w := velocityWindow{
		events: make([]int32, s.NumNodes), partners: make([]int32, s.NumNodes),
		ofPair: make([]int32, numPairs), sums: make([]sum, s.NumNodes*n),
	}
	for _, side := range []Side{Source, Destination} {
		for _, length := range velocityWindows {
			clear(w.events)
			clear(w.partners)
			clear(w.ofPair)
			clear(w.sums)
			oldest, next := 0, 0 // events of the window, and the one after it
			for k := range s.Len() {
				if begins == nil || begins[k] {
					for ; next < k; next++ {
						w.add(side.node(s, next), pairs[next], s.Features(next)[:n])
					}
				}
				for ; oldest < next && s.Time[k]-s.Time[oldest] > length.seconds; oldest++ {
					w.remove(side.node(s, oldest), pairs[oldest], s.Features(oldest)[:n])
				}
				w.write(side.node(s, k), row(k)[at:][:width])
			}
			at += width
		}
	}
}

// velocityWindow is what is known of the events of a window.
type velocityWindow struct {
	events, partners []int32 // by node
	ofPair           []int32 // events by the number of their pair
	sums             []sum   // nodes x features
}

func (w *velocityWindow) add(node, pair int32, features []float32) {
	w.events[node]++
	if w.ofPair[pair]++; w.ofPair[pair] == 1 {
		w.partners[node]++
	}
	for i, x := range features {
		w.sums[int(node)*len(features)+i].add(float64(x))
	}
}

func (w *velocityWindow) remove(node, pair int32, features []float32) {
	w.events[node]--
	if w.ofPair[pair]--; w.ofPair[pair] == 0 {
		w.partners[node]--
	}
	for i, x := range features {
		w.sums[int(node)*len(features)+i].add(-float64(x))
	}
	if w.events[node] == 0 { // nothing is left of what was rounded
		clear(w.sums[int(node)*len(features):][:len(features)])
	}
}

// write writes the columns of a node.
func (w *velocityWindow) write(node int32, out []float32) {
	events := float64(w.events[node])
	out[0], out[1] = float32(math.Log1p(events)), float32(math.Log1p(float64(w.partners[node])))
	n := len(out)/2 - 1
	for i := range n {
		x := w.sums[int(node)*n+i].value()
		out[2+2*i] = float32(math.Copysign(math.Log1p(math.Abs(x)), x))
		out[3+2*i] = float32(x / max(1, events))
	}
}

// sum is a sum of float32s, from which some are taken away again, by Neumaier's
// compensated summation (ZAMM 54, 1974).
type sum struct{ high, low float64 }

func (s *sum) add(x float64) {
	total := s.high + x
	if math.Abs(s.high) >= math.Abs(x) {
		s.low += s.high - total + x
	} else {
		s.low += x - total + s.high
	}
	s.high = total
}

func (s *sum) value() float64 { return s.high + s.low }

// pairNumbers numbers the pairs of source and destination, and returns the number
// of each event's pair and how many there are.
func pairNumbers(s Stream) (numbers []int32, n int) {
	key := func(k int) int64 { return int64(s.Src[k])<<32 | int64(s.Dst[k]) }
	keys := make([]int64, s.Len())
	for k := range keys {
		keys[k] = key(k)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	numbers = make([]int32, s.Len())
	for k := range numbers {
		i, _ := slices.BinarySearch(keys, key(k))
		numbers[k] = int32(i)
	}
	return numbers, len(keys)
}
