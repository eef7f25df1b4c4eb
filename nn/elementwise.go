package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// Add is a + b, of equal shapes. Gorgonia adds the same node where a value
// has several gradients.
func Add(a, b *G.Node) *G.Node { return G.Must(G.Add(a, b)) }

// sum is what gorgonia's addition becomes, also that of vectors.
var sum = &op{
	name: "sum", shapes: "nk nk -> nk", apart: true, inPlace: true,
	run: func(c *call) { c.device.Add(c.numbers(0), c.out, c.in[0], c.in[1]) },
}

// Scale is x times a factor.
func Scale(x *G.Node, factor float64) *G.Node {
	return op{
		name: fmt.Sprintf("times %g", factor), shapes: "nk -> nk", smooth: []bool{true}, apart: true,
		run:  func(c *call) { c.device.Affine(c.numbers(0), c.out, factor, c.in[0], 0) },
		grad: func(_ G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{Scale(g, factor)} },
	}.apply(x)
}

// ReLU is max(x, 0), elementwise. After a product alone Dense does it in one
// pass.
func ReLU(x *G.Node) *G.Node {
	return op{
		name: "relu", shapes: "nk -> nk", smooth: []bool{true}, apart: true,
		grad: func(_ G.Nodes, out, g *G.Node) G.Nodes { return G.Nodes{reluGrad(out, g)} },
		call: func(c *call) func() {
			zero := c.device.NewBuffer(c.size(0))
			return func() { c.device.AddReLU(c.numbers(0), c.out, c.in[0], zero) }
		},
	}.apply(x)
}

// addReLU is relu(a + b). Both have one gradient.
func addReLU(a, b *G.Node) *G.Node {
	return op{
		name: "add.relu", shapes: "nk nk -> nk", smooth: []bool{true, true}, apart: true,
		grad: func(_ G.Nodes, out, g *G.Node) G.Nodes { return slices.Repeat(G.Nodes{reluGrad(out, g)}, 2) },
		run:  func(c *call) { c.device.AddReLU(c.numbers(0), c.out, c.in[0], c.in[1]) },
	}.apply(a, b)
}

// reluGrad passes the gradient where the output is above zero.
func reluGrad(out, g *G.Node) *G.Node {
	return op{
		name: "relu.grad", shapes: "nk nk -> nk",
		run: func(c *call) { c.device.ReLUGrad(c.numbers(0), c.out, c.in[0], c.in[1]) },
	}.apply(out, g)
}

// Sigmoid is 1/(1 + e^-x), elementwise; x is a vector or a matrix.
func Sigmoid(x *G.Node) *G.Node {
	s := "nk"[2-x.Dims():]
	return op{
		name: "sigmoid", shapes: fmt.Sprintf("%s -> %[1]s", s), smooth: []bool{true}, apart: true,
		run: func(c *call) { c.device.Sigmoid(c.numbers(0), c.out, c.in[0]) },
		grad: func(_ G.Nodes, y, g *G.Node) G.Nodes {
			return G.Nodes{op{
				name: "sigmoid gradient", shapes: fmt.Sprintf("%s %[1]s -> %[1]s", s),
				run: func(c *call) { c.device.SigmoidGrad(c.numbers(0), c.out, c.in[0], c.in[1]) },
			}.apply(g, y)}
		},
	}.apply(x)
}

// GELU is PyTorch's with the approximation by tanh, elementwise,
//
//	x sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3))
//
// which is within 5e-4 of x times the normal distribution function. It is not apart:
// Mul panics on a kernels.Fused.
func GELU(x *G.Node) *G.Node {
	const linear, cubic = 2 * math.Sqrt2 / math.SqrtPi, 2 * math.Sqrt2 / math.SqrtPi * .044715
	// share is the sigmoid.
	share := func(d kernels.Device, n int, dst, x kernels.Buffer) {
		d.Mul(n, dst, x, x)
		d.Affine(n, dst, cubic, dst, linear)
		d.Mul(n, dst, dst, x)
		d.Sigmoid(n, dst, dst)
	}
	return op{
		name: "gelu", shapes: "nk -> nk", smooth: []bool{true},
		call: func(c *call) func() {
			return c.inParts(func(n int, of []kernels.Buffer) {
				out, x := of[0], of[1]
				share(c.device, n, out, x)
				c.device.Mul(n, out, out, x)
			}, c.out, c.in[0])
		},
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			return G.Nodes{op{
				name: "gelu gradient", shapes: "nk nk -> nk",
				call: func(c *call) func() {
					slope := c.device.NewBuffer(c.partSize())
					return c.inParts(func(n int, of []kernels.Buffer) {
						out, x, g := of[0], of[1], of[2]
						c.device.Mul(n, slope, x, x)
						c.device.Affine(n, slope, 3*cubic, slope, linear)
						c.device.Mul(n, slope, slope, x) // x times the derivative of the sigmoid's argument
						share(c.device, n, out, x)
						c.device.SigmoidGrad(n, slope, slope, out)
						c.device.Add(n, out, out, slope)
						c.device.Mul(n, out, out, g)
					}, c.out, c.in[0], c.in[1])
				},
			}.apply(in[0], g)}
		},
	}.apply(x)
}

// partSize is how many numbers of input 0 stay in a cache from one kernel to the next:
// all where calls are expensive.
func (c *call) partSize() int {
	if _, ok := c.device.(kernels.Fuser); ok {
		return c.size(0)
	}
	return min(c.size(0), 1<<15)
}

// inParts prepares calls of f for parts of the buffers, each of which has as many numbers
// as input 0.
func (c *call) inParts(f func(n int, of []kernels.Buffer), buffers ...kernels.Buffer) func() {
	var parts [][]kernels.Buffer
	size := c.partSize()
	for first := 0; first < c.size(0); first += size {
		var part []kernels.Buffer
		for _, b := range buffers {
			part = append(part, c.device.View(b, first, min(size, c.size(0)-first)))
		}
		parts = append(parts, part)
	}
	return func() {
		left := c.numbers(0)
		for i := 0; left > 0; i++ {
			f(min(size, left), parts[i])
			left -= size
		}
	}
}

// tanhSum is tanh(a + b), by way of tanh x = 2 sigmoid(2x) - 1. Both have
// one gradient, g (1 - y^2), y being the result.
func tanhSum(a, b *G.Node) *G.Node {
	return op{
		name: "tanh of a sum", shapes: "nk nk -> nk", smooth: []bool{true, true}, apart: true,
		run: func(c *call) {
			n := c.numbers(0)
			c.device.Add(n, c.out, c.in[0], c.in[1])
			c.device.Affine(n, c.out, 2, c.out, 0)
			c.device.Sigmoid(n, c.out, c.out)
			c.device.Affine(n, c.out, 2, c.out, -1)
		},
		grad: func(_ G.Nodes, y, g *G.Node) G.Nodes {
			return slices.Repeat(G.Nodes{op{
				name: "tanh gradient", shapes: "nk nk -> nk",
				run: func(c *call) {
					n := c.numbers(0)
					c.device.Mul(n, c.out, c.in[0], c.in[0])
					c.device.Affine(n, c.out, -1, c.out, 1)
					c.device.Mul(n, c.out, c.out, c.in[1])
				},
			}.apply(y, g)}, 2)
		},
	}.apply(a, b)
}

// Dropout is h times mask, elementwise, in training, and h in programs made
// for inference. Every site has a mask of its own, which DrawMask fills.
func Dropout(h, mask *G.Node) *G.Node {
	return op{
		name: "dropout", shapes: "nk nk -> nk", smooth: []bool{true}, trainingOnly: true, inPlace: true,
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{Dropout(g, in[1])} },
		run:  func(c *call) { c.device.Mul(c.numbers(0), c.out, c.in[0], c.in[1]) },
	}.apply(h, mask)
}

// DrawMask fills mask with 0 for dropped units, a share p of them, and
// 1/(1-p) for the rest. It takes a draw for each unit unless p is 0.
func DrawMask(mask []float32, p float64, draws *rand.PCG) {
	// The same as rand.Rand's Float64() < p, bit for bit, in half the time: without
	// branches, and with a local state.
	const bits = 53
	keep, limit := math.Float32bits(float32(1/(1-p))), int64(math.Ceil(p*(1<<bits)))
	local := *draws
	for i := range mask {
		below := int64(0) // -1 for dropped units
		if limit > 0 {
			below = (int64(local.Uint64()<<(64-bits)>>(64-bits)) - limit) >> 63
		}
		mask[i] = math.Float32frombits(keep &^ uint32(below))
	}
	*draws = local
}

// TrainingOr is x in programs for training, and y in those for inference:
// what training computes in one way may be had in a shorter one. Both have the
// same columns.
func TrainingOr(x, y *G.Node) *G.Node {
	return op{
		name: "training or inference", shapes: "nk mk -> mk", smooth: []bool{false, true}, trainingOnly: true, choice: true,
		grad: func(_ G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{nil, g} },
	}.apply(y, x)
}

// Spread is a vector of n times the one number of x, a vector, too. The
// gradient is the sum of a vector, in order.
func Spread(x *G.Node, n int) *G.Node {
	return op{
		name: fmt.Sprintf("spread over %d", n), shapes: fmt.Sprintf("1 -> %d", n), smooth: []bool{true},
		call: func(c *call) func() {
			zeros := c.device.NewInts(n)
			return func() { c.device.GatherRows(n, 1, 1, c.out, c.in[0], zeros) }
		},
		grad: func(_ G.Nodes, _, g *G.Node) G.Nodes {
			return G.Nodes{op{
				name: "spread gradient", shapes: "k -> 1",
				run: func(c *call) { c.device.ColumnSums(c.size(0), 1, c.out, c.in[0]) },
			}.apply(g)}
		},
	}.apply(x)
}

// Concat puts the columns of matrices of equally many rows side by side.
func Concat(x ...*G.Node) *G.Node {
	shapes, width := make([]string, len(x)), 0
	for i, n := range x {
		cols := n.Shape()[n.Dims()-1]
		shapes[i] = fmt.Sprintf("n%d", cols)
		width += cols
	}
	return op{
		name: fmt.Sprintf("concat %d", len(x)), shapes: fmt.Sprintf("%s -> n%d", strings.Join(shapes, " "), width),
		smooth: slices.Repeat([]bool{true}, len(x)), apart: true,
		grad: func(in G.Nodes, _, g *G.Node) (out G.Nodes) {
			if parts := concatenated(g); sameColumns(parts, in) {
				return parts
			}
			offset := 0
			for _, x := range in {
				out = append(out, columns(g, offset, x))
				offset += x.Shape()[1]
			}
			return out
		},
		call: func(c *call) func() {
			to, offset := make([]kernels.Buffer, len(x)), 0
			for i := range to {
				to[i] = c.device.View(c.out, offset, c.shapes[i][0]*width-offset)
				offset += c.cols(i)
			}
			return func() {
				for i := range to {
					c.device.CopyRows(c.rows(0), c.cols(i), to[i], width, c.in[i], c.cols(i))
				}
			}
		},
	}.apply(x...)
}

// concatenated returns what a result of Concat is made of, and nil for others.
func concatenated(x *G.Node) G.Nodes {
	if o, ok := x.Op().(*op); !ok || !strings.HasPrefix(o.name, "concat ") {
		return nil
	}
	return children(x)
}

// sameColumns reports whether matrices have as many columns as others, one by one.
func sameColumns(a, b G.Nodes) bool {
	return slices.EqualFunc(a, b, func(a, b *G.Node) bool { return a.Shape()[1] == b.Shape()[1] })
}

// columns are those of g from offset on, as many as x has.
func columns(g *G.Node, offset int, x *G.Node) *G.Node {
	return op{
		name: fmt.Sprintf("columns from %d", offset), shapes: "nc nk -> nk",
		call: func(c *call) func() {
			from := c.device.View(c.in[0], offset, c.size(0)-offset)
			return func() { c.device.CopyRows(c.rows(0), c.cols(1), c.out, c.cols(1), from, c.cols(0)) }
		},
	}.apply(g, x)
}
