package devicetest

import (
	"math"
	"slices"
	"testing"

	"dgsbench/kernels"
)

// optimiserCases step on groups of one, three and forty buffers, one of them
// empty, some with more numbers than a block of a card has threads.
func optimiserCases() []kernelCase {
	step := kernels.AdamStep{Size: .01, Root: 1.25, Beta1: .875, Rest1: .125, Beta2: .75, Rest2: .25, Eps: 1e-8, WeightDecay: .5}
	sizes := func(n int) []int {
		switch {
		case n < 3:
			return []int{n}
		case n < 64, n > 200:
			return []int{n, 0, 2*n + 1}
		}
		return slices.Repeat([]int{1, 3}, 20)
	}
	group := func(b *bench, n int, draw func(int) kernels.Buffer) kernels.Group {
		var of []kernels.Buffer
		for _, size := range sizes(n) {
			of = append(of, draw(size))
		}
		return b.NewGroup(of...)
	}
	return []kernelCase{
		{"Adam", 2, func(b *bench, _, n int) {
			b.Adam(group(b, n, b.normal), group(b, n, b.normal), group(b, n, b.normal), group(b, n, b.positive), step)
		}},
		{"Momentum", 2, func(b *bench, _, n int) {
			b.Momentum(group(b, n, b.normal), group(b, n, b.normal), group(b, n, b.normal), .125, .875, .25)
		}},
	}
}

// checkFirstBad: of the checked buffers the first bad one is found, and they are
// forgotten then.
func checkFirstBad(t *testing.T, d kernels.Device) {
	endsWith := func(x float32) kernels.Buffer { return upload(d, append(make([]float32, 299), x)...) }
	good, bad, value := endsWith(0), endsWith(float32(math.Inf(-1))), upload(d, 7)
	limit := upload(d, slices.Repeat([]float32{kernels.MaxMagnitude, -kernels.MaxMagnitude}, 150)...)
	large := endsWith(-2 * kernels.MaxMagnitude)
	group := func(buffers ...kernels.Buffer) kernels.Group { return d.NewGroup(buffers...) }
	for _, c := range []struct {
		name  string
		check func() (places []int)
		want  int
	}{
		{"nothing", func() []int { return nil }, -1},
		{"a good one", func() []int { return []int{d.CheckFinite(300, good)} }, -1},
		{"a bad one", func() []int { return []int{d.CheckFinite(300, bad)} }, 0},
		{"the good part of it", func() []int { return []int{d.CheckFinite(299, bad)} }, -1},
		{"bad ones behind others", func() []int {
			return []int{d.CheckFinite(300, good), d.CheckGroup(group(good, value, bad)), d.CheckFinite(300, bad)}
		}, 3},
		{"a bad one before a group", func() []int {
			return []int{d.CheckFinite(300, good), d.CheckFinite(300, bad), d.CheckGroup(group(bad, good))}
		}, 1},
		{"large ones by themselves", func() []int { return []int{d.CheckFinite(300, limit), d.CheckFinite(300, large)} }, -1},
		{"large ones of a group", func() []int { return []int{d.CheckGroup(group(limit, value, large))} }, 2},
		{"a bad one that is forgotten", func() []int {
			d.CheckFinite(300, bad)
			d.ResetChecks()
			return []int{d.CheckFinite(300, good)}
		}, -1},
		{"an empty one", func() []int { return []int{d.CheckFinite(0, bad), d.CheckGroup(group())} }, -1},
	} {
		for place, got := range c.check() {
			if place < 2 && got != place {
				t.Errorf("%s: %s: place %d, expected %d", d.Name(), c.name, got, place)
			}
		}
		read := []float32{0}
		if got := d.FirstBad(read, value); got != c.want || read[0] != 7 {
			t.Errorf("%s: %s: first bad %d and %v, expected %d and 7", d.Name(), c.name, got, read[0], c.want)
		}
		if got := d.FirstBad(nil, nil); got != -1 {
			t.Errorf("%s: %s: %d is not forgotten", d.Name(), c.name, got)
		}
	}
}

// checkNoStep: optimisers do nothing between a bad buffer and FirstBad. A
// gradient whose square is not finite is bad.
func checkNoStep(t *testing.T, d kernels.Device) {
	bad, p, g, m, v := upload(d, float32(math.NaN())), d.NewBuffer(2), upload(d, 1, 1), d.NewBuffer(2), d.NewBuffer(2)
	params, gradients, means, squares := d.NewGroup(p), d.NewGroup(g), d.NewGroup(m), d.NewGroup(v)
	step := func() (moved bool) {
		d.Adam(params, gradients, means, squares, kernels.AdamStep{Size: 1, Root: 1, Rest1: 1, Rest2: 1})
		d.Momentum(params, gradients, means, 1, .5, 0)
		now := slices.Concat(download(d, p), download(d, m), download(d, v))
		return !slices.Equal(now, make([]float32, 6))
	}
	d.ResetChecks()
	d.CheckFinite(1, bad)
	if step() {
		t.Errorf("%s: a step in spite of a bad buffer", d.Name())
	}
	d.FirstBad(nil, nil)
	d.Write(g, []float32{1, 1e25})
	d.CheckGroup(gradients)
	if step() {
		t.Errorf("%s: a step by a gradient of 1e25", d.Name())
	}
	d.FirstBad(nil, nil)
	d.Write(g, []float32{1, kernels.MaxMagnitude})
	d.CheckGroup(gradients)
	if !step() {
		t.Errorf("%s: no step after FirstBad", d.Name())
	}
}

// checkPrepared: prepared calls are made whenever they are run, on the buffers'
// contents at that time.
func checkPrepared(t *testing.T, d kernels.Device) {
	r, ok := d.(kernels.Repeater)
	if !ok {
		return // it makes each call by itself
	}
	x, y := upload(d, slices.Repeat([]float32{1}, 100)...), d.NewBuffer(100)
	again := r.Prepare(func() {
		d.Add(100, y, y, x)
		d.Zero(50, x)
	})
	for i, want := range []float32{0, 1, 1, 3} { // of the first number
		if i == 3 { // x is zero by now, and what is written need not be there yet
			d.Write(x, []float32{2})
		}
		if i > 0 {
			again()
		}
		if got := download(d, y)[0]; got != want {
			t.Errorf("%s: after %d times the sum is %v, expected %v", d.Name(), i, got, want)
		}
	}
	if got := download(d, y)[99]; got != 3 {
		t.Errorf("%s: the last number is %v, expected 3", d.Name(), got)
	}
}

// checkNothingCommitted: between a bad buffer and FirstBad, tables and Jacobians
// stay as they are.
func checkNothingCommitted(t *testing.T, d kernels.Device) {
	bad, table, row, one := upload(d, float32(math.NaN())), d.NewBuffer(1), upload(d, 3), upload(d, 1)
	tables, rows, index := d.NewGroup(table), d.NewGroup(row), d.NewInts(1)
	j := d.NewJacobians(kernels.JacobianShape{Features: 1, States: 1, State: []int32{0}, Plus: []int32{-1}, Minus: []int32{-1}})
	j.Grow(1)
	step := kernels.JacobianStep{Slots: []int32{0}, Writes: []kernels.JacobianWrite{{}}, Keep: one, Mix: one, Drive: one, X: one}
	work := func() []float32 {
		d.CommitRows(1, 1, tables, rows, index)
		j.Step(&step)
		now := append(download(d, table), 0)
		j.Read(now[1:], 0)
		return now
	}
	d.ResetChecks()
	d.CheckFinite(1, one)
	d.CheckFinite(1, bad)
	if now := work(); !slices.Equal(now, []float32{0, 0}) {
		t.Errorf("%s: in spite of a bad buffer the numbers are %v", d.Name(), now)
	}
	d.FirstBad(nil, nil)
	if now := work(); !slices.Equal(now, []float32{3, 1}) {
		t.Errorf("%s: after FirstBad the numbers are %v, expected 3 and 1", d.Name(), now)
	}
}

// Repeating is a device that prepares calls, by itself if it can and else one by
// one, and counts how often that is done.
type Repeating struct {
	kernels.Device
	Prepared int
}

var _ kernels.Repeater = (*Repeating)(nil)

// Prepare makes f's calls again.
func (r *Repeating) Prepare(f func()) (again func()) {
	r.Prepared++
	if d, ok := r.Device.(kernels.Repeater); ok {
		return d.Prepare(f)
	}
	return f
}

// Single is a device that repeats nothing.
type Single struct{ kernels.Device }

// checkPreparedFirstBad: what prepared calls check has the same place each time,
// and what is checked after them has another one.
func checkPreparedFirstBad(t *testing.T, d kernels.Device) {
	r, ok := d.(kernels.Repeater)
	if !ok {
		return // it makes each call by itself
	}
	before, within, behind := d.NewBuffer(1), d.NewBuffer(1), d.NewBuffer(1)
	nan := []float32{float32(math.NaN())}
	d.ResetChecks()
	d.CheckFinite(1, before)
	again := r.Prepare(func() { d.CheckFinite(1, within) })
	if place := d.CheckFinite(1, behind); place != 1 {
		t.Errorf("%s: place %d behind calls that were only prepared, expected 1", d.Name(), place)
	}
	d.FirstBad(nil, nil)
	for i, bad := range []kernels.Buffer{before, within, behind, nil} {
		want := -1
		if bad != nil {
			d.Write(bad, nan)
			want = i
		}
		d.CheckFinite(1, before)
		again()
		if place := d.CheckFinite(1, behind); place != 2 {
			t.Errorf("%s: place %d behind repeated calls, expected 2", d.Name(), place)
		}
		if got := d.FirstBad(nil, nil); got != want {
			t.Errorf("%s: first bad %d, expected %d", d.Name(), got, want)
		}
		if bad != nil {
			d.Write(bad, []float32{0})
		}
	}
	again = r.Prepare(func() { d.CheckFinite(1, within) })
	d.CheckFinite(1, before)
	if !panics(again) {
		t.Errorf("%s: repeated calls look at buffers in another place than at first", d.Name())
	}
	d.ResetChecks()
}
