package datasets

import (
	"iter"
	"math"
)

// numWindows is the number of windows of Velocity, the last of which is the
// longest.
const numWindows = len(velocityWindows)

// week is what is known of the events of the last week, for Velocity. Events enter
// all windows, and leave each at an age of its own. A nil week knows nothing.
type week struct {
	n      int             // features of the file in use
	events []weekEvent     // in the order of time
	feat   []float32       // events x n
	oldest [numWindows]int // events before it have left the window
	// tallies are those of the nodes with events in a window, by side and node.
	tallies [2][][numWindows]*tally
	free    []*tally                        // of zeros
	pairs   map[[2]int32]*[numWindows]int32 // events of source and destination, by window

	// What was done since the last event was added, or since begin: the windows of
	// which evict removed an event, or added; the sums of source and destination
	// before; and the time up to which evict went.
	done    []int
	before  []sum
	until   float64
	keeping bool // since begin
	kept    int  // how much of done is there since begin, and not of evict alone
}

// added, in place of a window, is an event that was added to all of them.
const added = -1

// weekEvent is an event of the last week.
type weekEvent struct {
	node [2]int32 // by side
	time float64
	pair *[numWindows]int32
}

// tally is what is known of the events of a node on one side in a window.
type tally struct {
	events, partners int32
	sums             []sum // by feature
}

func newWeek(features int) *week {
	return &week{n: min(features, maxVelocity), pairs: map[[2]int32]*[numWindows]int32{}, until: math.Inf(-1)}
}

// weekBytes is the memory in bytes that the events of a whole stream take in a week:
// at most twice those of its busiest.
func weekBytes(s Stream) int64 {
	busiest, oldest := 0, 0
	for k, t := range s.Time {
		for ; t-s.Time[oldest] > velocityWindows[numWindows-1].seconds; oldest++ {
		}
		busiest = max(busiest, k+1-oldest)
	}
	const event, pair, tally, grown = 24, 64, 40, 5 / 4.
	n, events := int64(min(s.NumFeat, maxVelocity)), int64(2*busiest)
	tallies := 2 * int64(numWindows) * min(events, int64(s.NumNodes))
	return 2*8*int64(numWindows)*int64(s.NumNodes) + int64(grown*float64(events*(event+4*n))) + events*pair + tallies*(tally+16*n)
}

// grow makes room for that many nodes.
func (w *week) grow(nodes int) {
	if w == nil {
		return
	}
	for side, tallies := range w.tallies {
		w.tallies[side] = append(tallies, make([][numWindows]*tally, nodes-len(tallies))...)
	}
}

// add adds the events of a window, after evicting what is too old for the last.
func (w *week) add(window Stream) {
	if w == nil || window.Len() == 0 {
		return
	}
	now := window.Time[window.Len()-1]
	if now < w.until {
		w.undo()
	}
	w.evict(now)
	for k, u := range window.Src {
		features := window.Features(k)[:w.n]
		e := w.append(u, window.Dst[k], window.Time[k], features)
		if w.keeping {
			w.done = append(w.done, added)
		}
		for i := range numWindows {
			for _, t := range w.count(e, i) {
				if w.keeping {
					w.before = append(w.before, t.sums...)
				}
				for j, x := range features {
					t.sums[j].add(float64(x))
				}
			}
		}
	}
	w.commit()
}

// append appends an event, which is not counted yet.
func (w *week) append(src, dst int32, time float64, features []float32) weekEvent {
	e := weekEvent{node: [2]int32{src, dst}, time: time}
	if e.pair = w.pairs[e.node]; e.pair == nil {
		e.pair = new([numWindows]int32)
		w.pairs[e.node] = e.pair
	}
	w.events, w.feat = append(w.events, e), append(w.feat, features...)
	return e
}

// count counts an event in window i, and returns the tallies of its nodes.
func (w *week) count(e weekEvent, i int) (tallies [2]*tally) {
	e.pair[i]++
	for side, node := range e.node {
		t := w.tallies[side][node][i]
		if t == nil {
			if n := len(w.free) - 1; n >= 0 {
				t, w.free = w.free[n], w.free[:n]
			} else {
				t = &tally{sums: make([]sum, w.n)}
			}
			w.tallies[side][node][i] = t
		}
		t.events++
		if e.pair[i] == 1 {
			t.partners++
		}
		tallies[side] = t
	}
	return tallies
}

// inUse yields the sums of the tallies by window, side and node.
func (w *week) inUse() iter.Seq[[]sum] {
	return func(yield func([]sum) bool) {
		for i := range numWindows {
			for _, tallies := range w.tallies {
				for _, of := range tallies {
					if t := of[i]; t != nil && !yield(t.sums) {
						return
					}
				}
			}
		}
	}
}

// evict removes from each window the events that are too old at that time.
func (w *week) evict(now float64) {
	for i, length := range velocityWindows {
		for w.oldest[i] < len(w.events) && now-w.events[w.oldest[i]].time > length.seconds {
			w.remove(i)
		}
	}
	w.until = max(w.until, now)
}

// remove removes the oldest event of window i.
func (w *week) remove(i int) {
	e, features := w.events[w.oldest[i]], w.feat[w.oldest[i]*w.n:][:w.n]
	w.oldest[i]++
	w.done = append(w.done, i)
	for side, node := range e.node {
		t := w.tallies[side][node][i]
		w.before = append(w.before, t.sums...)
		for j, x := range features {
			t.sums[j].add(-float64(x))
		}
	}
	w.discount(e, i)
}

// discount is the inverse of count.
func (w *week) discount(e weekEvent, i int) {
	if e.pair[i]--; e.pair[i] == 0 && i == numWindows-1 {
		delete(w.pairs, e.node)
	}
	for side, node := range e.node {
		place := &w.tallies[side][node][i]
		t := *place
		if e.pair[i] == 0 {
			t.partners--
		}
		if t.events--; t.events == 0 { // nothing is left of what was rounded
			clear(t.sums)
			*place, w.free = nil, append(w.free, t)
		}
	}
}

// undo takes back what evict has removed since the last event was added.
func (w *week) undo() {
	if w == nil {
		return
	}
	w.back(w.kept)
	w.commit()
	w.until = math.Inf(-1)
}

// back takes back what was done after the first steps.
func (w *week) back(steps int) {
	for k := len(w.done) - 1; k >= steps; k-- {
		i := w.done[k]
		w.done = w.done[:k]
		if i == added {
			w.drop()
			continue
		}
		w.oldest[i]--
		e := w.events[w.oldest[i]]
		w.pairs[e.node] = e.pair
		sums := w.sumsBefore(1)
		for side, t := range w.count(e, i) {
			copy(t.sums, sums[side*w.n:])
		}
	}
}

// drop takes back the event that was added last.
func (w *week) drop() {
	last := len(w.events) - 1
	e, sums := w.events[last], w.sumsBefore(numWindows)
	for i := range numWindows {
		for side, node := range e.node {
			copy(w.tallies[side][node][i].sums, sums[(2*i+side)*w.n:])
		}
		w.discount(e, i)
	}
	w.events[last] = weekEvent{}
	w.events, w.feat = w.events[:last], w.feat[:last*w.n]
}

// sumsBefore takes the last sums of source and destination in some windows.
func (w *week) sumsBefore(windows int) (sums []sum) {
	n := len(w.before) - 2*windows*w.n
	w.before, sums = w.before[:n], w.before[n:]
	return sums
}

// begin starts to keep what is done, for end.
func (w *week) begin() {
	if w != nil {
		w.undo()
		w.keeping = true
	}
}

// end makes what was done since begin final, or takes it back.
func (w *week) end(keep bool) {
	if w == nil {
		return
	}
	if !keep {
		w.kept = 0
	}
	w.back(w.kept)
	w.keeping, w.kept, w.until = false, 0, math.Inf(-1)
	w.commit()
}

// commit makes what evict has removed final, up to the end of what is kept, and drops
// the events that have left all windows if they are most.
func (w *week) commit() {
	if w.keeping {
		w.kept = len(w.done)
		return
	}
	w.done, w.before = w.done[:0], w.before[:0]
	n := w.oldest[numWindows-1]
	if n <= len(w.events)/2 {
		return
	}
	kept := copy(w.events, w.events[n:])
	clear(w.events[kept:])
	w.events = w.events[:kept]
	w.feat = w.feat[:copy(w.feat, w.feat[n*w.n:])]
	for i := range w.oldest {
		w.oldest[i] -= n
	}
}

// write writes the columns of the nodes of an event, which are 0 before.
func (w *week) write(src, dst int32, out []float32) {
	for side, node := range [...]int32{src, dst} {
		for _, t := range w.tallies[side][node] {
			if t != nil {
				t.write(out)
			}
			out = out[2+2*w.n:]
		}
	}
}

// write writes the columns of one window.
func (t *tally) write(out []float32) {
	events := float64(t.events)
	out[0], out[1] = float32(math.Log1p(events)), float32(math.Log1p(float64(t.partners)))
	for j, sum := range t.sums {
		x := sum.value()
		out[2+2*j] = float32(math.Copysign(math.Log1p(math.Abs(x)), x))
		out[3+2*j] = float32(x / events)
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
