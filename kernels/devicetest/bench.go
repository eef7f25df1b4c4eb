package devicetest

import (
	"math"
	"math/rand/v2"

	"dgsbench/kernels"
)

// bench hands out the operands of one call of a kernel. Of the same seed it
// gives the same numbers on every device.
type bench struct {
	kernels.Device
	rng     *rand.Rand
	special bool // with NaN, infinities and denormals
	all     []kernels.Buffer
}

// guard is what lies before and behind the operands, in the same memory.
const guard = -12345

var specialValues = []float32{
	float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), 1e-40, -1e-40,
}

func newBench(d kernels.Device, seed uint64, special bool) *bench {
	return &bench{Device: d, rng: rand.New(rand.NewPCG(seed, 11)), special: special}
}

// draw is a window of a buffer. Some end with their buffer, so that a device
// with guarded memory notices what reads too far.
func (b *bench) draw(n int, f func() float32) kernels.Buffer {
	before, behind := b.rng.IntN(4), b.rng.IntN(2)
	host := make([]float32, before+n+behind)
	for i := range host {
		host[i] = guard
		if i >= before && i < before+n {
			host[i] = f()
		}
	}
	whole := b.NewBuffer(len(host))
	b.Write(whole, host)
	b.all = append(b.all, whole)
	return b.View(whole, before, n)
}

// normal are numbers around zero; some of them special, where asked for.
func (b *bench) normal(n int) kernels.Buffer {
	return b.draw(n, func() float32 {
		if v := float32(b.rng.NormFloat64()); !b.special || b.rng.IntN(9) > 0 {
			return v
		}
		return specialValues[b.rng.IntN(len(specialValues))]
	})
}

// positive are numbers between 0.1 and 1.1, whatever the kernel.
func (b *bench) positive(n int) kernels.Buffer {
	return b.draw(n, func() float32 { return .1 + b.rng.Float32() })
}

// list puts a list on the device.
func (b *bench) list(numbers ...int32) kernels.Ints {
	l := b.NewInts(len(numbers))
	b.WriteInts(l, numbers)
	return l
}

// rows are n row numbers below end, some of them again and again.
func (b *bench) rows(n, end int) kernels.Ints {
	out := make([]int32, n)
	for i := range out {
		out[i] = b.rng.Int32N(int32(end))
		if i > 0 && b.rng.IntN(3) == 0 {
			out[i] = out[b.rng.IntN(i)]
		}
	}
	return b.list(out...)
}

// results are all numbers of all operands, the guards too.
func (b *bench) results() [][]float32 {
	var out [][]float32
	for _, whole := range b.all {
		host := make([]float32, whole.Len())
		b.Read(host, whole)
		out = append(out, host)
	}
	return out
}
