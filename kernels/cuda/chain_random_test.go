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
)

// matrix is one of a chain, its own or the card's, and the same without a
// chain.
type matrix struct {
	chained, usual kernels.Buffer
	cols           int
}

// layer is what a product multiplies with, and adds.
type layer struct {
	weights, bias kernels.Buffer
	inner, cols   int
}

// side is a chain, or the device that makes the same calls one by one.
type side struct {
	kernels.Device
	of func(matrix) kernels.Buffer
}

// program is a list of calls at random.
type program struct {
	*rapid.T
	device     kernels.Device
	chain      kernels.Fused
	most, rows int
	table      kernels.Buffer
	layers     []layer
	written    []matrix
	calls      []func(side)
}

const (
	randomRows = 9 // of the table that all numbers begin with
	widest     = 600
)

var someColumns = []int{1, 3, 4, 6, 8, 20, 40, 100}

// drawProgram draws one: some products, whose weights are few and may begin
// anywhere, between other calls.
func drawProgram(t *rapid.T, d kernels.Device) *program {
	p := &program{T: t, device: d, most: rapid.SampledFrom([]int{1, 2, 5, 13, 40}).Draw(t, "most rows")}
	p.chain = d.(kernels.Fuser).Fuse(p.most)
	p.rows = rapid.IntRange(1, p.most).Draw(t, "rows")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	filled := func(n int, scale float64) kernels.Buffer {
		x := normals(rng, n)
		for i := range x {
			x[i] *= float32(scale)
		}
		b := d.NewBuffer(n)
		d.Write(b, x)
		return b
	}
	p.table = filled(randomRows*widest, 1)
	for range rapid.IntRange(1, 3).Draw(t, "layers") {
		l := layer{inner: p.pick(someColumns)}
		l.cols = p.pick([]int{l.inner, l.inner, 1, 6, 8, 20, 300})
		offset := p.pick([]int{0, 0, 1, 2})
		l.weights = d.View(filled(offset+l.inner*l.cols, 1/math.Sqrt(float64(l.inner))), offset, l.inner*l.cols)
		l.bias = filled(l.cols, 1)
		p.layers = append(p.layers, l)
	}
	kinds := []func(){p.products, p.products, p.elements, p.blocks, p.lengths, p.joined}
	for range rapid.IntRange(1, 12).Draw(t, "calls") {
		rapid.SampledFrom(kinds).Draw(t, "call")()
	}
	if p.sometimes() {
		p.chain.NewVector(1<<16 + 1) // then nothing has room in a block
	}
	return p
}

func (p *program) pick(some []int) int { return rapid.SampledFrom(some).Draw(p.T, "one of some") }
func (p *program) sometimes() bool     { return p.pick([]int{0, 1, 2, 3}) == 0 }

func (p *program) call(f func(side)) { p.calls = append(p.calls, f) }

// room is a new matrix. It may begin anywhere.
func (p *program) room(cols int) matrix {
	n, before := p.most*cols, p.pick([]int{0, 0, 1, 4})
	m := matrix{usual: p.device.NewBuffer(n), cols: cols}
	if p.sometimes() {
		m.chained = p.device.View(p.device.NewBuffer(before+n+1), before, n)
	} else {
		m.chained = p.chain.View(p.chain.NewBuffer(p.most*before+n), p.most*before, n)
	}
	return m
}

// source is a matrix with numbers, of any columns if they are 0.
func (p *program) source(cols int) matrix {
	if m, ok := p.known(cols); ok && (cols == 0 || !p.sometimes()) {
		return m
	}
	if cols == 0 {
		cols = p.pick(someColumns)
	}
	m := p.room(cols)
	index := make([]int32, p.rows)
	for i := range index {
		index[i] = int32(i*cols) % randomRows
	}
	lists := map[kernels.Device]kernels.Ints{p.chain: p.chain.NewInts(p.most), p.device: p.device.NewInts(p.most)}
	p.call(func(s side) {
		s.WriteInts(lists[s.Device], index)
		s.GatherRows(p.rows, randomRows, cols, s.of(m), p.table, lists[s.Device])
	})
	p.written = append(p.written, m)
	return m
}

// target is where results go: often to what is read no more, or still is by
// the call before.
func (p *program) target(cols int, not ...matrix) matrix {
	if m, ok := p.known(cols); ok && !slices.Contains(not, m) {
		return m
	}
	m := p.room(cols)
	p.written = append(p.written, m)
	return m
}

func (p *program) known(cols int) (m matrix, ok bool) {
	some := slices.DeleteFunc(slices.Clone(p.written), func(m matrix) bool { return cols > 0 && m.cols != cols })
	if len(some) == 0 {
		return m, false
	}
	return rapid.SampledFrom(some).Draw(p.T, "known"), true
}

// products are two with the same weights. The second one may read what the
// first one writes, or write what that reads.
func (p *program) products() {
	l := rapid.SampledFrom(p.layers).Draw(p.T, "layer")
	x, y := p.source(l.inner), p.source(l.inner)
	for _, x := range []matrix{x, y} {
		to := p.target(l.cols, x)
		p.call(func(s side) { s.Gemm(kernels.NN, p.rows, l.cols, l.inner, s.of(x), l.weights, s.of(to), l.bias, false) })
	}
}

func (p *program) elements() {
	a := p.source(0)
	b, to := p.source(a.cols), p.target(a.cols)
	p.call(func(s side) { s.Add(p.rows*a.cols, s.of(to), s.of(a), s.of(b)) })
	p.call(func(s side) { s.Sigmoid(p.rows*a.cols, s.of(to), s.of(to)) })
}

func (p *program) blocks() {
	x := p.source(0)
	to := p.target(x.cols, x)
	p.call(func(s side) { s.SoftmaxBlocks(p.rows*x.cols, x.cols, .5, s.of(to), s.of(x)) })
}

func (p *program) lengths() {
	x := p.source(0)
	to := p.target(x.cols, x)
	inverse := p.target(1, x, to)
	p.call(func(s side) { s.UnitRows(p.rows, x.cols, 1, s.of(to), s.of(inverse), s.of(x)) })
}

func (p *program) joined() {
	a, b := p.source(0), p.source(0)
	cols := a.cols + b.cols
	if cols > widest {
		return
	}
	m := matrix{p.chain.NewBuffer(p.most * cols), p.device.NewBuffer(p.most * cols), cols}
	p.written = append(p.written, m)
	p.call(func(s side) { s.CopyRows(p.rows, a.cols, s.of(m), cols, s.of(a), a.cols) })
	p.call(func(s side) {
		s.CopyRows(p.rows, b.cols, s.View(s.of(m), a.cols, p.rows*cols-a.cols), cols, s.of(b), b.cols)
	})
}

// TestChainOfAnything: a chain computes what its calls do one after another,
// for random calls.
func TestChainOfAnything(t *testing.T) {
	devices := cudatest.Devices(t)
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(devices).Draw(t, "device")
		p := drawProgram(t, d)
		chained := side{p.chain, func(m matrix) kernels.Buffer { return m.chained }}
		usual := side{d, func(m matrix) kernels.Buffer { return m.usual }}
		p.chain.Begin(p.rows)
		var results []kernels.Buffer
		for _, call := range p.calls {
			call(chained)
		}
		for _, m := range p.written {
			result := d.NewBuffer(p.most * m.cols)
			p.chain.CopyRows(p.rows, m.cols, result, m.cols, m.chained, m.cols)
			results = append(results, result)
		}
		p.chain.End()
		for _, call := range p.calls {
			call(usual)
		}
		for i, m := range p.written {
			near(t, p.rows, "a result", read(d, results[i])[:p.rows*m.cols], read(d, m.usual)[:p.rows*m.cols])
		}
	})
}
