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
		{"Adam", 2, func(b *bench, n int) {
			b.Adam(group(b, n, b.normal), group(b, n, b.normal), group(b, n, b.normal), group(b, n, b.positive), step)
		}},
		{"Momentum", 2, func(b *bench, n int) {
			b.Momentum(group(b, n, b.normal), group(b, n, b.normal), group(b, n, b.normal), .125, .875, .25)
		}},
	}
}

// checkSeen: of the buffers that were seen the first bad one is found, and
// what was asked about is forgotten.
func checkSeen(t *testing.T, d kernels.Device) {
	good, bad, value := d.NewBuffer(300), d.NewBuffer(300), d.NewBuffer(1)
	spoilt := make([]float32, 300)
	spoilt[299] = float32(math.Inf(-1))
	d.Write(bad, spoilt)
	d.Write(value, []float32{7})
	most, large := d.NewBuffer(300), d.NewBuffer(300)
	d.Write(most, slices.Repeat([]float32{kernels.MaxMagnitude, -kernels.MaxMagnitude}, 150))
	d.Write(large, append(make([]float32, 299), -2*kernels.MaxMagnitude))
	group := func(buffers ...kernels.Buffer) kernels.Group { return d.NewGroup(buffers...) }
	for _, c := range []struct {
		name string
		see  func() (places []int)
		want int
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
		{"large ones by themselves", func() []int { return []int{d.CheckFinite(300, most), d.CheckFinite(300, large)} }, -1},
		{"large ones of a group", func() []int { return []int{d.CheckGroup(group(most, value, large))} }, 2},
		{"a bad one that is forgotten", func() []int {
			d.CheckFinite(300, bad)
			d.ResetChecks()
			return []int{d.CheckFinite(300, good)}
		}, -1},
		{"an empty one", func() []int { return []int{d.CheckFinite(0, bad), d.CheckGroup(group())} }, -1},
	} {
		for place, got := range c.see() {
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

// checkNoStep: optimisers do nothing after a bad buffer, until it was asked
// about. A gradient whose square is not finite is one.
func checkNoStep(t *testing.T, d kernels.Device) {
	bad, p, g, m, v := d.NewBuffer(1), d.NewBuffer(2), d.NewBuffer(2), d.NewBuffer(2), d.NewBuffer(2)
	d.Write(bad, []float32{float32(math.NaN())})
	d.Write(g, []float32{1, 1})
	params, gradients, means, squares := d.NewGroup(p), d.NewGroup(g), d.NewGroup(m), d.NewGroup(v)
	step := func() (moved bool) {
		d.Adam(params, gradients, means, squares, kernels.AdamStep{Size: 1, Root: 1, Rest1: 1, Rest2: 1})
		d.Momentum(params, gradients, means, 1, .5, 0)
		now := make([]float32, 6)
		for i, b := range []kernels.Buffer{p, m, v} {
			d.Read(now[2*i:2*i+2], b)
		}
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
		t.Errorf("%s: no step after the bad buffer was asked about", d.Name())
	}
}

// checkRepeated: calls that are prepared are made when they are asked for, and
// as often, on what the buffers hold then.
func checkRepeated(t *testing.T, d kernels.Device) {
	r, ok := d.(kernels.Repeater)
	if !ok {
		return // it makes each call by itself
	}
	x, y, got := d.NewBuffer(100), d.NewBuffer(100), make([]float32, 1)
	ones := slices.Repeat([]float32{1}, 100)
	d.Write(x, ones)
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
		if d.Read(got, y); got[0] != want {
			t.Errorf("%s: after %d times the sum is %v, expected %v", d.Name(), i, got[0], want)
		}
	}
	d.Read(got, d.View(y, 99, 1))
	if got[0] != 3 {
		t.Errorf("%s: the last number is %v, expected 3", d.Name(), got[0])
	}
}
