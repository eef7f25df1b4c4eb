package nn

import (
	"math"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An opTest builds a graph around an operation, from the leaves of a bench,
// and says what batches it is to be run on: functions that set the active
// rows and write lists, the largest batch first.
type opTest func(b *opBench) (out *G.Node, batches []func())

// opBench is one such graph on one device, with loss = sum of out times
// given weights, and the gradients of everything that has one.
type opBench struct {
	device          kernels.Device
	graph           *Graph
	wrt             G.Nodes
	out             *G.Node
	batches         []func()
	train           *Program
	infer           *Program
	loss            *G.Node
	grads           G.Nodes
	trainingDiffers bool // from inference
}

func newOpBench(t testing.TB, d kernels.Device, test opTest) *opBench {
	t.Helper()
	b := &opBench{device: d, graph: NewGraph(d)}
	b.graph.blocks = blockRows{min: 1, max: 2} // of which every batch has some
	b.out, b.batches = test(b)
	size := b.out.Shape().TotalSize()
	weights := b.graph.Param("weights of the loss", drawn("weights of the loss", size), b.out.Shape()...)
	b.loss = inner(b.out, weights)
	b.grads = Gradients(b.loss, b.wrt...)
	b.train = b.graph.Compile(ForTraining, append(append(G.Nodes{}, b.grads...), b.loss, b.out)...)
	b.infer = b.graph.Compile(ForInference, b.out)
	return b
}

// leaf is an input without gradient, of the same numbers on every device.
func (b *opBench) leaf(name string, rows *Rows, cols int) *G.Node {
	n := b.graph.Input(name, rows, cols)
	b.device.Write(b.graph.Buffer(n), drawn(name, rows.capacity*cols))
	return n
}

// input has a gradient.
func (b *opBench) input(name string, rows *Rows, cols int) *G.Node {
	n := b.leaf(name, rows, cols)
	b.wrt = append(b.wrt, n)
	return n
}

// param has a gradient, too.
func (b *opBench) param(name string, shape ...int) *G.Node {
	n := b.graph.Param(name, drawn(name, tensor.Shape(shape).TotalSize()), shape...)
	b.wrt = append(b.wrt, n)
	return n
}

func (b *opBench) write(n *G.Node, list ...int32) { b.device.WriteInts(b.graph.Ints(n), list) }

// drawn are numbers that depend on the name alone.
func drawn(name string, n int) []float32 {
	r, out := Rand(11, Purpose(name)), make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64())
	}
	return out
}

// results runs a batch: the output, then the gradients, active rows only.
func (b *opBench) results(batch int) [][]float32 {
	b.batches[batch]()
	b.train.Run()
	out := [][]float32{b.read(b.train, b.out)}
	for _, n := range b.grads {
		out = append(out, b.read(b.train, n))
	}
	return out
}

func (b *opBench) read(p *Program, n *G.Node) []float32 {
	size := n.Shape().TotalSize()
	if active := p.values[n.ID()].active; active != nil {
		size = *active * n.Shape()[1]
	}
	return download(b.device, p.Buffer(n), size)
}

// checkOp is everything that holds for every operation.
func checkOp(t *testing.T, test opTest) {
	t.Helper()
	t.Run("differences", func(t *testing.T) { checkDifferences(t, test) })
	t.Run("levels", func(t *testing.T) { checkLevels(t, test) })
	t.Run("rows", func(t *testing.T) { checkRows(t, test) })
	t.Run("allocations", func(t *testing.T) { checkAllocations(t, test) })
}

// checkDifferences compares the gradients with central differences of the
// loss, both in float64: error at most 1e-7 of the largest gradient or of 1.
func checkDifferences(t *testing.T, test opTest) {
	d := reference.New()
	b := newOpBench(t, d, test)
	for batch := range b.batches {
		got := b.results(batch)[1:]
		exact := make([][]float64, len(got))
		for i, n := range b.grads {
			exact[i] = append([]float64(nil), d.Exact(b.train.Buffer(n))[:len(got[i])]...)
		}
		for i, n := range b.wrt {
			compareDifferences(t, n.Name(), exact[i], d.Exact(b.graph.Buffer(n)), func() float64 {
				b.train.Run()
				return d.Exact(b.train.Buffer(b.loss))[0]
			})
		}
	}
}

func compareDifferences(t *testing.T, name string, gradient, values []float64, loss func() float64) {
	t.Helper()
	const step = 1e-5
	largest := 1.0
	for _, g := range gradient {
		largest = max(largest, math.Abs(g))
	}
	for j, g := range gradient {
		old := values[j]
		values[j] = old + step
		up := loss()
		values[j] = old - step
		down := loss()
		values[j] = old
		if want := (up - down) / (2 * step); !(math.Abs(want-g) <= 1e-7*largest) {
			t.Errorf("%s[%d]: gradient %v, differences %v", name, j, g, want)
		}
	}
}

// checkLevels compares every level of the processor with the reference
// device, and AVX-512 with AVX2 and one thread with three bit for bit.
func checkLevels(t *testing.T, test opTest) {
	exact := newOpBench(t, reference.New(), test)
	var wide *opBench
	for _, k := range cpu.Available() {
		b := newOpBench(t, cpu.NewDevice(k, 1), test)
		threads := newOpBench(t, cpu.NewDevice(k, 3), test)
		for batch := range exact.batches {
			want, got := exact.results(batch), b.results(batch)
			for i := range want {
				closeTo(t, got[i], want[i])
			}
			sameBits(t, k.Level().String()+" on three threads", threads.results(batch), got)
			if wide != nil {
				sameBits(t, k.Level().String(), got, wide.results(batch))
			}
		}
		if k.Level() != cpu.Portable {
			wide = b
		}
	}
}

func sameBits(t *testing.T, what string, got, want [][]float32) {
	t.Helper()
	for i := range want {
		for j := range want[i] {
			if math.Float32bits(got[i][j]) != math.Float32bits(want[i][j]) {
				t.Fatalf("%s: result %d[%d] is %v, expected the bits of %v", what, i, j, got[i][j], want[i][j])
			}
		}
	}
}

// checkRows: a batch gives the same after a larger one as by itself, and the
// program for inference the same as the one for training, or nearly so where
// a device makes one call of several.
func checkRows(t *testing.T, test opTest) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		used := newOpBench(t, d, test)
		if len(used.batches) < 2 {
			t.Fatal("only one batch")
		}
		for batch := range used.batches {
			used.results(0)
			got := used.results(batch)
			sameBits(t, "a batch after a larger one", got, newOpBench(t, d, test).results(batch))
			if used.trainingDiffers {
				continue
			}
			used.infer.Run()
			inferred := used.read(used.infer, used.out)
			if _, ok := d.(kernels.Fuser); ok { // it adds in another order
				closeTo(t, inferred, got[0])
				continue
			}
			sameBits(t, "inference", [][]float32{inferred}, got[:1])
		}
	})
}

func checkAllocations(t *testing.T, test opTest) {
	for _, k := range cpu.Available() {
		b := newOpBench(t, cpu.NewDevice(k, 2), test)
		b.batches[0]()
		if n := leastAllocations(func() { b.train.Run(); b.infer.Run() }); n > 0 {
			t.Errorf("%s: %v allocations a run", k.Level(), n)
		}
	}
}

// leastAllocations is how many objects a run of f allocates. The count is of
// the whole process, in which devices of earlier tests may still be tidied
// up: what f allocates is there every time.
func leastAllocations(f func()) float64 {
	least := testing.AllocsPerRun(10, f)
	for range 9 {
		if least == 0 {
			break
		}
		least = min(least, testing.AllocsPerRun(10, f))
	}
	return least
}
