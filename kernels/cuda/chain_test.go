//go:build gpu

package cuda_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/cuda/driver"
)

// Sizes of layers. The products have results that are taken by fours and such
// that are not, sums of terms that are left over after eights, and slices of
// them of two lengths.
const (
	inputs    = 7
	found     = 6
	wide      = 28
	narrow    = 5
	tableRows = 30
)

// layers are calls on one device, and the buffers that all rows read.
type layers struct {
	kernels.Device
	table, kept, first, second, bias, factors kernels.Buffer
	out, products, inverse                    kernels.Buffer
}

func newLayers(d kernels.Device, most int) *layers {
	rng := rand.New(rand.NewPCG(5, 6))
	l := &layers{Device: d, out: d.NewBuffer(most * narrow), products: d.NewBuffer(most * wide), inverse: d.NewBuffer(narrow)}
	normal := func(n int) kernels.Buffer {
		b := d.NewBuffer(n)
		d.Write(b, normals(rng, n))
		return b
	}
	l.table, l.kept = normal(tableRows*found), normal(tableRows*narrow)
	l.first, l.second = normal((inputs+found)*wide), normal(wide*narrow)
	l.bias, l.factors = normal(wide), normal(narrow)
	return l
}

func normals(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// batch is the numbers and lists that the host writes.
type batch struct {
	x        []float32
	from, to []int32
}

func drawBatch(rng *rand.Rand, rows int) batch {
	b := batch{x: normals(rng, rows*inputs)}
	to := rng.Perm(tableRows)
	for i := range rows {
		b.from = append(b.from, rng.Int32N(tableRows))
		b.to = append(b.to, -1)
		if i%2 == 0 && i/2 < tableRows {
			b.to[i] = int32(to[i/2])
		}
	}
	return b
}

// scratch is the buffers between the calls.
type scratch struct {
	x, found, joined, hidden, other, score, sum, unit, length, rate kernels.Buffer
	from, to                                                        kernels.Ints
}

// newScratch takes it from a device or a chain; vector makes a buffer without
// rows.
func newScratch(d kernels.Device, most int, vector func(n int) kernels.Buffer) *scratch {
	rows := func(cols int) kernels.Buffer { return d.NewBuffer(most * cols) }
	return &scratch{
		x: rows(inputs), found: rows(found), joined: rows(inputs + found), hidden: rows(wide), other: rows(wide),
		score: rows(narrow), sum: rows(narrow), unit: rows(narrow), length: rows(1), rate: vector(narrow),
		from: d.NewInts(most), to: d.NewInts(most),
	}
}

// run makes the calls: on a device one after another, on a chain as one. Each
// reads what others have written just before, over other rows and columns.
func (l *layers) run(d kernels.Device, s *scratch, b batch) {
	rows, joined := len(b.from), inputs+found
	d.Sigmoid(narrow, s.rate, l.factors)
	d.Write(s.x, b.x)
	d.WriteInts(s.from, b.from)
	d.WriteInts(s.to, b.to)
	d.GatherRows(rows, tableRows, found, s.found, l.table, s.from)
	d.CopyRows(rows, inputs, s.joined, joined, s.x, inputs)
	d.CopyRows(rows, found, d.View(s.joined, inputs, rows*joined-inputs), joined, s.found, found)
	d.Gemm(kernels.NN, rows, wide, joined, s.joined, l.first, s.hidden, l.bias, true)
	d.Gemm(kernels.NN, rows, wide, joined, s.joined, l.first, s.other, nil, false)
	d.Gemm(kernels.NN, rows, wide, joined, s.joined, l.first, l.products, l.bias, false)
	d.Add(rows*wide, s.hidden, s.hidden, s.other)
	d.SoftmaxBlocks(rows*wide, 4, 1.5, s.other, s.hidden)
	d.Gemm(kernels.NN, rows, narrow, wide, s.other, l.second, s.sum, nil, false)
	d.Gemm(kernels.NN, rows, narrow, wide, s.hidden, l.second, s.score, nil, false) // waits for partial sums alone
	d.UnitRows(rows, narrow, 1e-6, s.unit, s.length, s.sum)
	d.Affine(rows*narrow, s.sum, .5, s.sum, 1) // others still read it
	d.PutRows(rows, narrow, l.kept, s.sum, s.to)
	d.Add(rows*narrow, s.score, s.score, s.sum)
	d.Add(rows*narrow, s.score, s.score, s.unit)
	d.UnitRows(rows, narrow, 1e-6, l.out, s.length, s.score)
}

// card describes the card that the tests run on.
func card(t *testing.T) driver.Info {
	t.Helper()
	return cudatest.Card(t).Info()
}

// TestChain: a chain computes what its calls do one after another, for every
// number of rows that a block may have.
func TestChain(t *testing.T) {
	m := card(t).Multiprocessors
	most := 11*m + 1
	for _, d := range cudatest.Devices(t) {
		c := d.(kernels.Fuser).Fuse(most)
		checkChain(t, d, c, newScratch(c, most, c.NewVector), most, most, 1, m/2+1, 3*m+1, m+1, most-1)
	}
}

// wideChain has a vector that takes more memory than a block has.
func wideChain(t *testing.T, d kernels.Device, most int) kernels.Fused {
	t.Helper()
	c := d.(kernels.Fuser).Fuse(most)
	c.NewVector(card(t).Shared/4 + 1)
	return c
}

// TestWideChain: a chain may need more memory than a block has, before or after
// others have taken theirs.
func TestWideChain(t *testing.T) {
	most := 5*card(t).Multiprocessors + 1
	for _, d := range cudatest.Devices(t) {
		before := wideChain(t, d, most)
		checkChain(t, d, before, newScratch(before, most, before.NewVector), most, 1, most, 3)
		after := d.(kernels.Fuser).Fuse(most)
		own := newScratch(after, most, after.NewVector)
		after.NewVector(card(t).Shared/4 + 1)
		checkChain(t, d, after, own, most, 1, most, 3)
	}
}

// checkChain compares fused runs, of the given numbers of rows, with calls one after another. What a
// chain read and wrote may be changed at once.
func checkChain(t *testing.T, d kernels.Device, c kernels.Fused, own *scratch, most int, runs ...int) {
	t.Helper()
	one, other, usual := newLayers(d, most), newLayers(d, most), newScratch(d, most, d.NewBuffer)
	rng := rand.New(rand.NewPCG(1, 2))
	for i, rows := range runs {
		b := drawBatch(rng, rows)
		got, want := make([]float32, rows*narrow), make([]float32, rows*narrow)
		c.Begin(rows)
		one.run(c, own, b)
		c.End()
		next := normals(rng, tableRows*found)
		if i%2 == 1 {
			d.Write(one.table, next) // overtakes nothing
		}
		d.Read(got, one.out)
		other.run(d, usual, b)
		d.Read(want, other.out)
		near(t, rows, "answers", got, want)
		near(t, rows, "all answers", read(d, one.out), read(d, other.out))
		near(t, rows, "products", read(d, one.products), read(d, other.products))
		near(t, rows, "rows put", read(d, one.kept), read(d, other.kept))
		if i%2 == 1 {
			d.Write(other.table, next)
		}
	}
}

func read(d kernels.Device, b kernels.Buffer) []float32 {
	x := make([]float32, b.Len())
	d.Read(x, b)
	return x
}

// near: sums are in another order.
func near(t rapid.TB, rows int, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if !(math.Abs(float64(got[i]-want[i])) <= 1e-4*(1+math.Abs(float64(want[i])))) {
			t.Fatalf("%d rows: number %d of %s is %v, expected %v", rows, i, what, got[i], want[i])
		}
	}
}

// TestChainOutOfRange: reading an answer panics after a row number out of
// range.
func TestChainOutOfRange(t *testing.T) {
	d := cudatest.Device(t)
	const most = 13
	l := newLayers(d, most)
	c := d.(kernels.Fuser).Fuse(most)
	own := newScratch(c, most, c.NewVector)
	told := func(b batch) (told bool) {
		defer func() { told = recover() != nil }()
		c.Begin(len(b.from))
		l.run(c, own, b)
		c.End()
		d.Read(make([]float32, len(b.from)*narrow), l.out)
		return false
	}
	good := drawBatch(rand.New(rand.NewPCG(3, 4)), 10)
	bad := good
	bad.from = slices.Clone(good.from)
	bad.from[7] = tableRows
	if told(good) || !told(bad) || told(good) {
		t.Error("of three answers, the second one alone should be refused")
	}
}
