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

// A kernelCase prepares operands for a shape and calls a kernel with them.
type kernelCase struct {
	name string
	// scale is how much less exact than others the results are.
	scale float64
	call  func(b *bench, rows, cols int)
}

// shape is that of a matrix. A vector is one row.
type shape struct {
	rows, cols int
	special    bool // with NaN, infinities and denormals
}

// Run checks every kernel on devices that must agree bit for bit: of one kind,
// with other numbers or orders of threads. Results may differ from those of
// the reference device, in float64, by tolerance times their size and that of
// the largest number beside them.
func Run(t *testing.T, tolerance float64, devices ...kernels.Device) {
	vectors := shapesOf(func(n int) shape { return shape{rows: 1, cols: n} })
	wide := shapesOf(func(n int) shape { return shape{rows: wideRows, cols: n} })
	matrices := slices.Concat(wide, shapesOf(func(n int) shape { return shape{rows: n, cols: 3} }))
	for _, group := range []struct {
		shapes []shape
		cases  [][]kernelCase
	}{
		{vectors, [][]kernelCase{elementaryCases, gemmCases(), optimiserCases(), attentionCases(), blockCases(), sparseCases(), derivativeCases(), histogramCases()}},
		{matrices, [][]kernelCase{rowCases, recurrentCases, normCases, mixingCases()}},
		{slices.Concat(matrices, borders), [][]kernelCase{overRows}},
		{slices.Concat(wide, borders), [][]kernelCase{normGradCases}},
	} {
		for _, c := range slices.Concat(group.cases...) {
			t.Run(c.name, func(t *testing.T) {
				for _, s := range group.shapes {
					c.compare(t, s, tolerance, devices)
				}
			})
		}
	}
	for name, check := range map[string]func(t *testing.T, d kernels.Device){
		"Memory": checkMemory, "Kinds": checkKinds, "Short": checkShort, "RowsOutOfRange": checkRowsOutOfRange, "Threads": checkThreads,
		"Finite": checkFinite, "FirstBad": checkFirstBad, "NoStepAfterBad": checkNoStep, "NothingCommittedAfterBad": checkNothingCommitted,
		"Prepared": checkPrepared, "FirstBadPrepared": checkPreparedFirstBad,
		"JacobiansHalf": checkHalves, "Ranker": checkRanker, "BadScores": checkBadScores,
	} {
		t.Run(name, func(t *testing.T) {
			for _, d := range devices {
				check(t, d)
			}
		})
	}
	t.Run("Jacobians", func(t *testing.T) { checkJacobians(t, tolerance, devices) })
	t.Run("RankerBorders", func(t *testing.T) { checkRankerBorders(t, devices) })
	t.Run("Scores", func(t *testing.T) { checkScores(t, tolerance, devices) })
}

// wideRows is how many rows the matrices have whose width is the size. With a
// warp for a row they are more than one block of a card.
const wideRows = 9

// borders lie around the parts that devices divide the columns of a matrix
// into, and the rows of such a part.
var borders = []shape{
	{1, 1, false}, {1, 250, false}, {2, 7, false}, {2, 9, false}, {31, 8, false}, {32, 7, false}, {33, 1, false}, {33, 9, false},
	{256, 8, false}, {257, 7, false}, {600, 1, false}, {600, 9, false}, {600, 250, false},
}

// shapesOf are shapes of sizes that lie around those of vectors, warps and
// blocks of threads, and some with special numbers.
func shapesOf(of func(n int) shape) (all []shape) {
	for _, n := range []int{0, 1, 2, 3, 5, 16, 31, 33, 64, 100, 257} {
		all = append(all, of(n))
	}
	for _, n := range []int{4, 33, 70} {
		s := of(n)
		s.special = true
		all = append(all, s)
	}
	return all
}

func (c kernelCase) compare(t *testing.T, s shape, tolerance float64, devices []kernels.Device) {
	t.Helper()
	run := func(d kernels.Device) [][]float32 {
		b := newBench(d, uint64(s.rows)<<32|uint64(s.cols), s.special)
		c.call(b, s.rows, s.cols)
		return b.results()
	}
	want, first := run(reference.New()), [][]float32(nil)
	for _, d := range devices {
		got := run(d)
		if first == nil {
			first = got
		}
		for i := range want {
			sameBits(t, s, got[i], first[i])
			closeTo(t, s, got[i], want[i], tolerance*c.scale)
		}
	}
}

// sameBits and closeTo compare the results for a size.

func sameBits(t *testing.T, n any, got, want []float32) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b float32) bool {
		return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
	}) {
		t.Fatalf("size %v: devices of one kind give other bits: %v and %v", n, got, want)
	}
}

func closeTo(t *testing.T, n any, got, want []float32, tolerance float64) {
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
			t.Fatalf("size %v: number %d is %v, expected %v", n, i, g, w)
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
	whole := upload(b, host...)
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
		out = append(out, download(b, whole))
	}
	return out
}

// draws are n numbers.
func draws(n int, draw func() float32) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = draw()
	}
	return out
}

func upload(d kernels.Device, x ...float32) kernels.Buffer {
	b := d.NewBuffer(len(x))
	d.Write(b, x)
	return b
}

func download(d kernels.Device, b kernels.Buffer) []float32 {
	out := make([]float32, b.Len())
	d.Read(out, b)
	return out
}
