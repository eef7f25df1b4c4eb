package datasets

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/internal/safetensors"
)

// State returns the history as tensors: nothing before the first event, and for
// features that depend on no earlier events. float64s are there with their bits,
// as integers.
func (d *Deriver) State() (tensors []safetensors.Tensor) {
	h := d.history
	h.week.undo()
	nodes := len(h.last)
	for nodes > 0 && h.count[Source][nodes-1]+h.count[Destination][nodes-1] == 0 {
		nodes-- // it was asked for, and has no event
	}
	if nodes == 0 {
		return nil
	}
	last, count := make([]int64, nodes), make([]int64, 0, 2*nodes)
	for n := range last {
		last[n] = bits(h.last[n])
	}
	for _, of := range h.count {
		for _, n := range of[:nodes] {
			count = append(count, int64(n))
		}
	}
	tensors = []safetensors.Tensor{
		{Name: "history.last", Shape: []int{nodes}, I64: last},
		{Name: "history.count", Shape: []int{2, nodes}, I64: count},
	}
	if h.week != nil {
		tensors = append(tensors, h.week.state()...)
	}
	return tensors
}

// Restore replaces the history by that of a State, after which features have the
// same bits. Tensors may be of anybody's making: those that are of no state are an
// error that changes nothing.
func (d *Deriver) Restore(tensors []safetensors.Tensor) error {
	h := d.newHistory()
	if err := h.restore(tensors, d.past); err != nil {
		return fmt.Errorf("the history of features: %w", err)
	}
	d.history = h
	return nil
}

func (h *history) restore(tensors []safetensors.Tensor, past bool) error {
	if len(tensors) == 0 {
		return nil
	}
	want := 2
	if h.week != nil {
		want = 6
	}
	if !past || len(tensors) != want {
		return fmt.Errorf("%d tensors, expected %d, or none before the first event", len(tensors), want)
	}
	last, count := tensors[0], tensors[1]
	nodes := len(last.I64)
	if err := fits(last, "history.last", nodes); err != nil {
		return err
	}
	if err := fits(count, "history.count", 2, nodes); err != nil {
		return err
	}
	for i, n := range count.I64 {
		if n < 0 || n > MaxEvents {
			return fmt.Errorf("tensor %s: number %d is %d, expected 0 to %d", count, i, n, MaxEvents)
		}
	}
	h.grow(nodes)
	for n := range nodes {
		t, sources, destinations := math.Float64frombits(uint64(last.I64[n])), count.I64[n], count.I64[nodes+n]
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return fmt.Errorf("tensor %s: number %d is the time %v, expected a finite one", last, n, t)
		}
		h.last[n], h.count[Source][n], h.count[Destination][n] = t, int32(sources), int32(destinations)
		if sources+destinations > 0 {
			h.now = max(h.now, t)
		}
	}
	if h.week != nil {
		return h.week.restore(tensors[2:], nodes, h.now)
	}
	return nil
}

// fits returns an error for a tensor of another name or shape, of integers.
func fits(t safetensors.Tensor, name string, shape ...int) error {
	n := 1
	for _, size := range shape {
		n *= size
	}
	if t.Name != name || !slices.Equal(t.Shape, shape) || len(t.I64) != n || len(t.F32) != 0 {
		return fmt.Errorf("tensor %s, expected %s", t, safetensors.Tensor{Name: name, Shape: shape, I64: []int64{}})
	}
	return nil
}

func bits(x float64) int64 { return int64(math.Float64bits(x)) }

// state returns the events of the week, from which event on they are in each window,
// and the sums, which depend on how they were added up: by window, side and node, of
// those with events.
func (w *week) state() []safetensors.Tensor {
	first := w.oldest[numWindows-1]
	var events, oldest, sums []int64
	for _, e := range w.events[first:] {
		events = append(events, int64(e.node[Source]), int64(e.node[Destination]), bits(e.time))
	}
	for _, k := range w.oldest {
		oldest = append(oldest, int64(k-first))
	}
	for tally := range w.inUse() {
		for _, sum := range tally {
			sums = append(sums, bits(sum.high), bits(sum.low))
		}
	}
	n := len(w.events) - first
	return []safetensors.Tensor{
		{Name: "week.events", Shape: []int{n, 3}, I64: events},
		{Name: "week.features", Shape: []int{n, w.n}, F32: slices.Clone(w.feat[first*w.n:])},
		{Name: "week.oldest", Shape: []int{numWindows}, I64: oldest},
		{Name: "week.sums", Shape: []int{len(sums) / 2, 2}, I64: sums},
	}
}

// restore sets an empty week to a state of that many nodes, with the last event at
// the time now.
func (w *week) restore(tensors []safetensors.Tensor, nodes int, now float64) error {
	events, features, oldest, sums := tensors[0], tensors[1], tensors[2], tensors[3]
	n := len(events.I64) / 3
	if err := fits(events, "week.events", n, 3); err != nil {
		return err
	}
	if features.Name != "week.features" || !slices.Equal(features.Shape, []int{n, w.n}) || len(features.F32) != n*w.n || !finite(features.F32) {
		return fmt.Errorf("tensor %s, expected %d x %d finite numbers, week.features", features, n, w.n)
	}
	if err := fits(oldest, "week.oldest", numWindows); err != nil {
		return err
	}
	before := int64(n)
	for i, k := range oldest.I64 { // the windows get longer
		if k < 0 || k > before || i == numWindows-1 && k != 0 {
			return fmt.Errorf("tensor %s: %v, expected events from %d down to 0", oldest, oldest.I64, n)
		}
		w.oldest[i], before = int(k), k
	}
	time := math.Inf(-1)
	for k := range n {
		src, dst, t := events.I64[3*k], events.I64[3*k+1], math.Float64frombits(uint64(events.I64[3*k+2]))
		if src < 0 || dst < 0 || max(src, dst) >= int64(nodes) || !(time <= t && t <= now) || math.IsInf(t, 0) {
			return fmt.Errorf("tensor %s: event %d is of nodes %d and %d at the time %v, expected some of %d nodes, and times that do not decrease, up to %v", events, k, src, dst, t, nodes, now)
		}
		e := w.append(int32(src), int32(dst), t, features.F32[k*w.n:][:w.n])
		for i, first := range w.oldest {
			if k >= first {
				w.count(e, i)
			}
		}
		time = t
	}
	return w.restoreSums(sums)
}

// restoreSums sets the sums of the tallies in use.
func (w *week) restoreSums(saved safetensors.Tensor) error {
	if err := fits(saved, "week.sums", len(saved.I64)/2, 2); err != nil {
		return err
	}
	rest := saved.I64
	for tally := range w.inUse() {
		if len(rest) < 2*len(tally) {
			return fmt.Errorf("tensor %s, expected more", saved)
		}
		for j := range tally {
			high, low := math.Float64frombits(uint64(rest[2*j])), math.Float64frombits(uint64(rest[2*j+1]))
			if !(math.Abs(high) <= maxSum && math.Abs(low) <= maxSum) {
				return fmt.Errorf("tensor %s: a sum of %v and %v, expected them within %g", saved, high, low, maxSum)
			}
			tally[j] = sum{high, low}
		}
		rest = rest[2*len(tally):]
	}
	if len(rest) > 0 {
		return fmt.Errorf("tensor %s, expected %d fewer", saved, len(rest)/2)
	}
	return nil
}

// maxSum limits the sums of features, which are float32s, with much room.
const maxSum = math.MaxFloat32 * MaxEvents
