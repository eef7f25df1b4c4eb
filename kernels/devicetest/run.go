// Package devicetest is the conformance suite of kernels.Device: every device
// must give the results of the reference device to within rounding, and the
// same ones again and again.
package devicetest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/reference"
)

// A kernelCase prepares operands for a size n and calls a kernel with them.
type kernelCase struct {
	name string
	// scale is how much less exact than others the results are.
	scale float64
	call  func(b *bench, n int)
}

// Run checks every kernel on devices that must agree bit for bit: of one kind,
// with other numbers or orders of threads. Results may differ from those of
// the reference device, in float64, by tolerance times their size and that of
// the largest number beside them.
func Run(t *testing.T, tolerance float64, devices ...kernels.Device) {
	for _, cases := range [][]kernelCase{
		elementaryCases, gemmCases(), optimiserCases(), rowCases, recurrentCases, attentionCases(), blockCases(), normCases, mixingCases(), forwardCases(), histogramCases(),
	} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { c.check(t, tolerance, devices) })
		}
	}
	t.Run("Shapes", func(t *testing.T) { checkShapes(t, tolerance, devices) })
	t.Run("Memory", func(t *testing.T) { each(t, devices, checkMemory) })
	t.Run("Kinds", func(t *testing.T) { each(t, devices, checkKinds) })
	t.Run("Short", func(t *testing.T) { each(t, devices, checkShort) })
	t.Run("Threads", func(t *testing.T) { each(t, devices, checkThreads) })
	t.Run("Finite", func(t *testing.T) { each(t, devices, checkFinite) })
	t.Run("FirstBad", func(t *testing.T) { each(t, devices, checkFirstBad) })
	t.Run("NoStepAfterBad", func(t *testing.T) { each(t, devices, checkNoStep) })
	t.Run("NothingCommittedAfterBad", func(t *testing.T) { each(t, devices, checkNothingCommitted) })
	t.Run("Prepared", func(t *testing.T) { each(t, devices, checkPrepared) })
	t.Run("FirstBadPrepared", func(t *testing.T) { each(t, devices, checkPreparedFirstBad) })
	t.Run("RowsOutOfRange", func(t *testing.T) { each(t, devices, checkRowsOutOfRange) })
	t.Run("Jacobians", func(t *testing.T) { checkJacobians(t, tolerance, devices) })
	t.Run("JacobiansHalf", func(t *testing.T) { each(t, devices, checkHalves) })
	t.Run("Ranker", func(t *testing.T) { each(t, devices, checkRanker) })
	t.Run("RankerBorders", func(t *testing.T) { checkRankerBorders(t, devices) })
	t.Run("Scores", func(t *testing.T) { checkScores(t, tolerance, devices) })
	t.Run("BadScores", func(t *testing.T) { each(t, devices, checkBadScores) })
}

func each(t *testing.T, devices []kernels.Device, check func(t *testing.T, d kernels.Device)) {
	for _, d := range devices {
		check(t, d)
	}
}

// sizes lie around those of vectors, warps and blocks of threads.
var (
	sizes        = []int{0, 1, 2, 3, 5, 16, 31, 33, 64, 100, 257}
	specialSizes = []int{4, 33, 70}
)

func (c kernelCase) check(t *testing.T, tolerance float64, devices []kernels.Device) {
	for _, special := range []bool{false, true} {
		of := sizes
		if special {
			of = specialSizes
		}
		for _, n := range of {
			c.compare(t, n, special, tolerance, devices)
		}
	}
}

func (c kernelCase) compare(t *testing.T, n int, special bool, tolerance float64, devices []kernels.Device) {
	t.Helper()
	want := c.run(reference.New(), n, special)
	var first [][]float32
	for _, d := range devices {
		got := c.run(d, n, special)
		if first == nil {
			first = got
		}
		for i := range want {
			sameBits(t, n, got[i], first[i])
			closeTo(t, n, got[i], want[i], tolerance*c.scale)
		}
	}
}

func (c kernelCase) run(d kernels.Device, n int, special bool) [][]float32 {
	b := newBench(d, uint64(n), special)
	c.call(b, n)
	return b.results()
}

func sameBits(t *testing.T, n int, got, want []float32) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b float32) bool {
		return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
	}) {
		t.Fatalf("size %d: devices of one kind give other bits: %v and %v", n, got, want)
	}
}

func closeTo(t *testing.T, n int, got, want []float32, tolerance float64) {
	t.Helper()
	largest := 1.
	for _, v := range want {
		if size := math.Abs(float64(v)); v != guard && size <= math.MaxFloat32 {
			largest = max(largest, size)
		}
	}
	for i := range want {
		g, w := float64(got[i]), float64(want[i])
		if g == w || math.IsNaN(g) && math.IsNaN(w) {
			continue
		}
		if !(math.Abs(g-w) <= tolerance*(math.Abs(w)+largest)) {
			t.Fatalf("size %d: number %d is %v, expected %v", n, i, g, w)
		}
	}
}

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
