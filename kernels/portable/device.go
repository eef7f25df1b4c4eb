package portable

import "dgsbench/kernels"

// Device runs kernels on slices in the host's memory, in one thread. Its methods
// are those of [kernels.Device], which says what they do: they cut buffers to
// size and round scalars to T.
type Device[T Float] struct {
	k    *Kernels[T]
	name string
	// Divide runs f on rows 0 to rows-1, all at once or in parts at the same time, some of
	// them empty; the kernel that is divided so reads or writes numbers elements. Where sums
	// go over rows, f is given heads or columns.
	Divide func(rows, numbers int, f func(lo, hi int))

	checked, bad int // checked buffers; the place of the first bad one +1, 0 for none

	scratch        []T
	ones           kernels.Buffer // of MixForward
	picked, pulled []T            // of BlockDerivatives

	// Operands of the kernel that runs: kept here, they are not allocated.
	attention attention[T]
	gru       gru[T]
	times     times[T]
	rows      rowsWork[T]
	// Their methods run and runGrad.
	runAttention, runAttentionGrad, runGRU, runGRUGrad, runTimes, runTimesGrad, runRows func(lo, hi int)
}

var _, _ kernels.Device = (*Device[float32])(nil), (*Device[float64])(nil)

// NewDevice returns a device with this name that runs the kernels k. It works on
// as many elements at once as scratch has, where it needs any.
func NewDevice[T Float](name string, k *Kernels[T], scratch []T) *Device[T] {
	d := &Device[T]{k: k, name: name, scratch: scratch, ones: Buffer[T]{}}
	d.Divide = func(rows, _ int, f func(lo, hi int)) { f(0, rows) }
	d.runRows = d.rows.run
	d.runAttention, d.runAttentionGrad = d.attention.run, d.attention.runGrad
	d.runGRU, d.runGRUGrad = d.gru.run, d.gru.runGrad
	d.runTimes, d.runTimesGrad = d.times.run, d.times.runGrad
	return d
}

// Buffer is memory of a device.
type Buffer[T Float] []T

// Len is the number of elements.
func (b Buffer[T]) Len() int { return len(b) }

// Ints is a list on a device.
type Ints []int32

// Len is the number of elements.
func (l Ints) Len() int { return len(l) }

// group is a list of buffers.
type group[T Float] []Buffer[T]

// Buffers is the number of buffers.
func (g group[T]) Buffers() int { return len(g) }

// Elements returns those of a buffer, nil if it is nil.
func (d *Device[T]) Elements(b kernels.Buffer) []T {
	if b == nil {
		return nil
	}
	return b.(Buffer[T])
}

// in returns the first n elements of a buffer.
func (d *Device[T]) in(b kernels.Buffer, n int) []T { return b.(Buffer[T])[:n:n] }

// listed returns the first n elements of a list.
func listed(l kernels.Ints, n int) []int32 { return l.(Ints)[:n:n] }

func (d *Device[T]) Name() string { return d.name }

func (d *Device[T]) Threads() int { return 1 }

func (d *Device[T]) Thread(int) kernels.Device { return d }

func (d *Device[T]) Parallel(f func(thread int)) { f(0) }

func (d *Device[T]) NewBuffer(n int) kernels.Buffer { return Buffer[T](kernels.Allocate[T](n)) }

func (d *Device[T]) NewInts(n int) kernels.Ints { return Ints(kernels.Allocate[int32](n)) }

func (d *Device[T]) View(b kernels.Buffer, offset, n int) kernels.Buffer {
	return b.(Buffer[T])[offset : offset+n : offset+n]
}

func (d *Device[T]) ViewInts(l kernels.Ints, offset, n int) kernels.Ints {
	return l.(Ints)[offset : offset+n : offset+n]
}

func (d *Device[T]) Write(dst kernels.Buffer, src []float32) { convert(d.in(dst, len(src)), src) }

func (d *Device[T]) WriteFloat64(dst kernels.Buffer, src []float64) {
	convert(d.in(dst, len(src)), src)
}

func (d *Device[T]) Read(dst []float32, src kernels.Buffer) { convert(dst, d.in(src, len(dst))) }

func (d *Device[T]) WriteInts(dst kernels.Ints, src []int32) { copy(listed(dst, len(src)), src) }

// convert copies src to dst, which is as long.
func convert[D, S Float](dst []D, src []S) {
	if same, ok := any(src).([]D); ok {
		copy(dst, same)
		return
	}
	for i, v := range src {
		dst[i] = D(v)
	}
}

func (d *Device[T]) NewGroup(buffers ...kernels.Buffer) kernels.Group {
	g := make(group[T], len(buffers))
	for i, b := range buffers {
		g[i] = b.(Buffer[T])
	}
	return g
}

func (d *Device[T]) Adam(p, g, m, v kernels.Group, s kernels.AdamStep) {
	if d.FoundBad() {
		return
	}
	params, gradients, means, squares := p.(group[T]), g.(group[T]), m.(group[T]), v.(group[T])
	kernels.CheckGroups(params, gradients, means, squares)
	for i, b := range params {
		d.k.Adam(b, gradients[i], means[i], squares[i],
			T(s.WeightDecay), T(s.Beta1), T(s.Rest1), T(s.Beta2), T(s.Rest2), T(s.Size), T(s.Root), T(s.Eps))
	}
}

func (d *Device[T]) Momentum(p, g, v kernels.Group, rate, momentum, decay float64) {
	if d.FoundBad() {
		return
	}
	params, gradients, velocities := p.(group[T]), g.(group[T]), v.(group[T])
	kernels.CheckGroups(params, gradients, velocities)
	for i, b := range params {
		d.k.Momentum(b, gradients[i], velocities[i], T(decay), T(momentum), T(rate))
	}
}

// FoundBad reports whether any checked buffer is bad.
func (d *Device[T]) FoundBad() bool { return d.bad > 0 }

func (d *Device[T]) ResetChecks() { d.checked, d.bad = 0, 0 }

// check notes whether the next buffer is good, and returns its place.
func (d *Device[T]) check(good bool) (place int) {
	d.checked++
	if !good && d.bad == 0 {
		d.bad = d.checked
	}
	return d.checked - 1
}

func (d *Device[T]) CheckFinite(n int, b kernels.Buffer) int { return d.check(d.IsFinite(n, b)) }

func (d *Device[T]) CheckGroup(g kernels.Group) int {
	first := d.checked
	for _, b := range g.(group[T]) {
		d.check(d.withinMagnitude(b))
	}
	return first
}

// withinMagnitude reports whether all numbers are within +-MaxMagnitude.
func (d *Device[T]) withinMagnitude(numbers []T) bool {
	const limit = kernels.MaxMagnitude
	if squares := d.k.Dot(numbers, numbers); squares <= limit*limit {
		return true // the usual case, in one quick pass
	}
	for _, x := range numbers {
		if !(max(x, -x) <= limit) {
			return false
		}
	}
	return true
}

func (d *Device[T]) FirstBad(dst []float32, src kernels.Buffer) int {
	if len(dst) > 0 {
		d.Read(dst, src)
	}
	first := d.bad - 1
	d.ResetChecks()
	return first
}

func (d *Device[T]) IsFinite(n int, b kernels.Buffer) bool {
	numbers := d.in(b, n)
	if sum := d.k.Sum(numbers); sum-sum == 0 {
		return true // the usual case, in one quick pass
	}
	for _, x := range numbers {
		if x-x != 0 { // NaN or infinite
			return false
		}
	}
	return true
}
