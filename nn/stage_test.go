package nn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
	"pgregory.net/rapid"
)

// divisible is a random graph on two lists of rows. Programs for training
// compute it call by call, those for inference in blocks of rows.
type divisible struct {
	*Graph
	rows    [2]*Rows
	nodes   [2]G.Nodes // of each list of rows
	indices [2]*G.Node // rows of nodes of either list
	host    []float32  // of the input that is fed
}

const divisibleWidth = 3

func newDivisible(d kernels.Device, capacity [2]int) *divisible {
	g := &divisible{Graph: NewGraph(d)}
	for side, n := range capacity {
		g.rows[side] = NewRows(n)
	}
	for side, rows := range g.rows {
		in := g.Input(fmt.Sprintf("in%d", side), rows, divisibleWidth)
		values := drawn(in.Name(), rows.capacity*divisibleWidth)
		d.Write(g.Buffer(in), values)
		if side == 0 {
			g.host = values
			g.Feed(in, g.feed)
		}
		g.nodes[side] = G.Nodes{in}
		g.indices[side] = g.Index(fmt.Sprintf("index%d", side), rows)
	}
	return g
}

// feed fills the rows from the host.
func (g *divisible) feed(p Part) func() {
	return func() {
		p.Device.Write(p.At, g.host[p.First*divisibleWidth:][:p.Rows()*divisibleWidth])
	}
}

// grow adds an operation, a number of a list each, whose inputs are numbers
// of nodes.
func (g *divisible) grow(operation, side, a, b int, p params) {
	own := g.nodes[side]
	x, y := own[a%len(own)], own[b%len(own)]
	other := g.nodes[1-side]
	var n *G.Node
	switch operation {
	case 0:
		n = Dense(x, p.w, p.b, b%2 == 0)
	case 1:
		n = GRU(x, y, p.gates, p.gates, p.gateBias, p.gateBias)
	case 2:
		n = LayerNorm(x, p.b, p.b, 1)
	case 3: // rows of either list, in any order
		from := x
		if b%2 != 0 {
			from = other[a%len(other)]
		}
		n = Gather(from, g.indices[side])
	case 4: // not divided
		n = Scatter(other[a%len(other)], g.indices[1-side], x)
	case 5:
		n = Mix(x, y, x, p.b, p.b)
	default:
		n = Add(x, y)
	}
	g.nodes[side] = append(own, n)
}

// params are of all operations.
type params struct{ w, b, gates, gateBias *G.Node }

func (g *divisible) params() params {
	const n = divisibleWidth
	return params{
		w: g.Param("w", drawn("w", n*n), n, n), b: g.Param("b", drawn("b", n), n),
		gates: g.Param("gates", drawn("gates", 3*n*n), n, 3*n), gateBias: g.Param("gateBias", drawn("gateBias", 3*n), 3*n),
	}
}

// results are those of a run on some of the rows.
func (g *divisible) results(p *Program, outputs G.Nodes, active [2]int) [][]float32 {
	for side, n := range active {
		g.rows[side].Set(n)
		list := make([]int32, n)
		for i := range list {
			list[i] = int32(i * 7 % min(active[0], active[1]))
		}
		g.device.WriteInts(g.Ints(g.indices[side]), list)
	}
	p.Run()
	var out [][]float32
	for _, n := range outputs {
		out = append(out, download(g.device, p.Buffer(n), *p.values[n.ID()].active*divisibleWidth))
	}
	return out
}

func (g *divisible) compiled(t *rapid.T, mode Mode, outputs G.Nodes) *Program {
	p := g.Compile(mode, outputs...)
	return p
}

func same(t *rapid.T, what string, got, want [][]float32) {
	for i := range want {
		if !slices.Equal(floatBits(got[i]), floatBits(want[i])) {
			t.Fatalf("%s: result %d is %v, expected %v", what, i, got[i], want[i])
		}
	}
}

func floatBits(x []float32) []uint32 {
	out := make([]uint32, len(x))
	for i, v := range x {
		out[i] = math.Float32bits(v)
	}
	return out
}

// staggered runs its threads one after another, the last one first: those of
// one are done with everything when others begin.
type staggered struct{ kernels.Device }

func (d staggered) Parallel(f func(thread int)) {
	for thread := range d.Threads() {
		f(d.Threads() - 1 - thread)
	}
}

// TestDivision: programs in blocks of rows have the bits of programs that
// make one call after the other, for any number of threads and in whatever
// order they run, and allocate nothing.
func TestDivision(t *testing.T) {
	devices := []kernels.Device{reference.New()}
	for _, threads := range []int{1, 2, 3} {
		devices = append(devices, cpu.NewDevice(cpu.Best(), threads))
	}
	devices = append(devices, staggered{cpu.NewDevice(cpu.Best(), 3)})
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 150)
		capacity := [2]int{size.Draw(t, "rows"), size.Draw(t, "other rows")}
		blocks := rapid.SampledFrom([]blockRows{usualBlocks, {min: 1, max: 1}, {min: 1, max: 7}}).Draw(t, "blocks")
		number := rapid.IntRange(0, 20)
		script := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [4]int {
			return [4]int{rapid.IntRange(0, 6).Draw(t, "operation"), rapid.IntRange(0, 1).Draw(t, "side"), number.Draw(t, "a"), number.Draw(t, "b")}
		}), 1, 12).Draw(t, "script")
		batches := [][2]int{capacity, {1 + size.Draw(t, "active")%capacity[0], capacity[1]}, {1, 1}}
		var want [][][]float32
		for i, d := range devices {
			g := newDivisible(d, capacity)
			g.blocks = blocks
			p := g.params()
			for _, step := range script {
				g.grow(step[0], step[1], step[2], step[3], p)
			}
			last := script[len(script)-1][1]
			outputs := G.Nodes{g.nodes[last][len(g.nodes[last])-1], g.nodes[0][len(g.nodes[0])/2], g.nodes[1][len(g.nodes[1])-1]}
			whole, divided := g.compiled(t, ForTraining, outputs), g.compiled(t, ForInference, outputs)
			for k, active := range batches {
				plain, got := g.results(whole, outputs, active), g.results(divided, outputs, active)
				same(t, "divided", got, plain)
				if i == 1 {
					want = append(want, got)
				} else if i > 1 {
					same(t, fmt.Sprintf("%d threads", d.Threads()), got, want[k])
				}
			}
			if d.Name() == "reference" {
				continue
			}
			if n := leastAllocations(divided.Run); n > 0 {
				t.Fatalf("%v allocations", n)
			}
		}
	})
}

// TestNothingIsUsedAgainTooEarly: of two chains that run side by side, neither
// writes where the other one still reads.
func TestNothingIsUsedAgainTooEarly(t *testing.T) {
	run := func(d kernels.Device) [][]float32 {
		g := newDivisible(d, [2]int{100, 100})
		p := g.params()
		for side := range 2 { // two stages: rows of the first in any order
			g.grow(0, side, 0, 0, p)
			g.grow(3, side, 1, 0, p)
		}
		outputs := G.Nodes{g.nodes[0][2], g.nodes[1][2]}
		program := g.Compile(ForInference, outputs...)
		return g.results(program, outputs, [2]int{100, 100})
	}
	want, got := run(cpu.NewDevice(cpu.Best(), 1)), run(staggered{cpu.NewDevice(cpu.Best(), 3)})
	for i := range want {
		if !slices.Equal(floatBits(got[i]), floatBits(want[i])) {
			t.Errorf("result %d has not the bits of one thread", i)
		}
	}
}

// TestBlockRows: all threads have about as many blocks, of what a core's cache
// holds; an input without rows has none.
func TestBlockRows(t *testing.T) {
	for _, c := range []struct{ capacity, threads, width, want int }{
		{200, 1, 5000, 200}, {200, 2, 5000, 25}, {200, 3, 5000, 23}, {133, 3, 5000, 23}, {10, 3, 5000, 16}, {0, 1, 1, 0}, {0, 2, 1, 0},
		{200, 2, 1300, 100}, {200, 2, 1800, 50}, {200, 2, 1, 100}, {1000, 2, 1, 125},
	} {
		if got := usualBlocks.of(c.capacity, c.threads, c.width); got != c.want {
			t.Errorf("%d rows of %d numbers, %d threads: blocks of %d, expected %d", c.capacity, c.width, c.threads, got, c.want)
		}
	}
}
