package dgs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/internal/fixture"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"
	"dgsbench/kernels/reference"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/models/pairrank"
	"dgsbench/protocol"
)

// passFixture is testdata/dgs.json: PyTorch in float64, by backpropagation
// through the whole unrolled stream. The file's notes say what each key is.
type passFixture map[string]any

func loadFixture(t *testing.T) passFixture {
	t.Helper()
	var f passFixture
	fixture.Read(t, "dgs.json", &f)
	return f
}

// in is a part of the file.
func (f passFixture) in(key string) passFixture {
	inner, ok := f[key].(map[string]any)
	if !ok {
		panic("the file has no " + key)
	}
	return inner
}

func (f passFixture) number(key string) float64 { return f[key].(float64) }

// numbers are those of an array of any depth, row major; nil without it.
func (f passFixture) numbers(key string) []float64 { return flatten(f[key]) }

func flatten(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []any:
		var out []float64
		for _, inner := range v {
			out = append(out, flatten(inner)...)
		}
		return out
	}
	return nil
}

// transposed returns the transpose of a matrix of cols columns: the file has
// out x in, the model in x out.
func transposed(rowMajor []float64, cols int) []float64 {
	rows := len(rowMajor) / cols
	out := make([]float64, len(rowMajor))
	for i := range rows {
		for j := range cols {
			out[j*rows+i] = rowMajor[i*cols+j]
		}
	}
	return out
}

// stream is the file's, with its negatives.
func (f passFixture) stream() (datasets.Stream, []int32) {
	e, dims := f.in("events"), f.in("dims")
	s := datasets.Stream{NumNodes: int(dims.number("N")), NumFeat: int(dims.number("f"))}
	var negatives []int32
	for k, src := range e.numbers("src") {
		s.Src, s.Dst = append(s.Src, int32(src)), append(s.Dst, int32(e.numbers("dst")[k]))
		s.Time, s.Label = append(s.Time, float64(k)), append(s.Label, int8(e.numbers("label")[k]))
		negatives = append(negatives, int32(e.numbers("neg")[k]))
	}
	for _, x := range e.numbers("feat") {
		s.Feat = append(s.Feat, float32(x))
	}
	return s, negatives
}

// check is one model on one device against the file.
type check struct {
	*testing.T
	f        passFixture
	device   kernels.Device
	absolute float64 // tolerance
	relative float64 // to the largest number of an array
	m        *Model
	batch    int
}

func (f passFixture) options() *Options {
	d := f.in("dims")
	o := Defaults()
	o.Size, o.Blocks, o.Temperature, o.SumFloor = int(d.number("s")), int(d.number("m")), d.number("T"), 0
	o.Optimiser.LR = 0
	o.Head = head.Options{Hidden: []int{len(f.in("head_nc").numbers("b1"))}, Norm: "none", PosWeight: 1}
	return o
}

// build makes the model with the parameters of the file.
func (c *check) build(task protocol.Task, o *Options, er, headParams passFixture, train datasets.Stream) {
	c.Helper()
	s, _ := c.f.stream()
	c.m = newOn(c.device, models.Setup{Task: task, NumNodes: s.NumNodes, NumFeat: s.NumFeat, MaxBatch: c.batch, Threads: 1, Train: train}, o)
	if task == protocol.LinkPrediction {
		c.m.Ranker = pairrank.New(c.device, c.m.net.head.PairLayers(c.m.net.size), c.m.states, c.m.setup)
	}
	c.put(er, headParams)
}

func (c *check) put(er, headParams passFixture) {
	c.Helper()
	snap := c.m.Snapshot(models.Parameters)
	for _, p := range snap.Params {
		from, name := er, p.Name
		if inHead, ok := strings.CutPrefix(p.Name, head.Prefix); ok {
			from, name = headParams, inHead
		}
		values := from.numbers(name)
		if len(p.Shape) == 2 {
			values = transposed(values, p.Shape[0])
		}
		if len(values) != len(p.F32) {
			c.Fatalf("%s: %d numbers, the model has %d", p.Name, len(values), len(p.F32))
		}
		fill(p.F32, values)
	}
	if err := c.m.Restore(snap); err != nil {
		c.Fatal(err)
	}
}

// read copies a buffer as exactly as the device has it.
func (c *check) read(b kernels.Buffer, n int) []float64 {
	if d, ok := c.device.(reference.Device); ok {
		return slices.Clone(d.Exact(b)[:n])
	}
	single := make([]float32, n)
	c.device.Read(single, b)
	return doubles(single)
}

func doubles(single []float32) []float64 {
	out := make([]float64, len(single))
	for i, v := range single {
		out[i] = float64(v)
	}
	return out
}

func (c *check) close(what string, got, want []float64) {
	c.Helper()
	c.closeTo(what, got, want, c.absolute, c.relative)
}

func (c *check) closeTo(what string, got, want []float64, absolute, relative float64) {
	c.Helper()
	if len(got) != len(want) || len(got) == 0 {
		c.Errorf("%s: %d numbers, expected %d", what, len(got), len(want))
		return
	}
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= absolute+relative*largest) {
			c.Errorf("%s[%d]: %v, expected %v", what, i, got[i], w)
			return
		}
	}
}

// gradients are the file's names and the model's numbers, in the file's
// layout.
func (c *check) gradients() map[string][]float64 {
	out := map[string][]float64{}
	for i, p := range c.m.net.learned {
		total := c.m.training.gradients.Buffers[i]
		values := c.read(total, total.Len())
		if p.Dims() == 2 {
			values = transposed(values, p.Shape()[1])
		}
		out[p.Name()] = values
	}
	t := c.m.net.head.Training()
	for i, name := range t.Names {
		inHead, ok := strings.CutPrefix(name, head.Prefix)
		if !ok {
			continue
		}
		values := c.read(t.Gradients.Buffers[i], t.Params.Buffers[i].Len())
		if strings.HasPrefix(inHead, "W") {
			values = transposed(values, c.m.net.head.PairLayers(0).Width)
		}
		out[inHead] = values
	}
	return out
}

// epoch trains over the stream. after is called with the number of every
// batch, and its loss.
func (c *check) epoch(after func(i int, loss float64)) {
	c.Helper()
	s, negatives := c.f.stream()
	for lo := 0; lo < s.Len(); lo += c.batch {
		hi := min(lo+c.batch, s.Len())
		loss, err := c.m.Train(s.Slice(lo, hi), negatives[lo:hi])
		if err != nil {
			c.Fatal(err)
		}
		after(lo/c.batch, loss)
	}
}

// tables compares states and derivatives after the last event.
func (c *check) tables(want passFixture) {
	c.Helper()
	n := c.m.states.nodes * c.m.states.size
	c.close("S", c.read(c.m.states.first, n), want.numbers("S"))
	d := c.m.training.derivatives
	if d == nil {
		return
	}
	c.close("A", c.read(d.a, n), want.numbers("A"))
	c.close("B", c.read(d.b, n), want.numbers("B"))
	if d.j != nil {
		// Jacobians are read in float32 on every device.
		c.closeTo("J", d.full(c.m.opts), want.numbers("J"), max(c.absolute, 1e-7), max(c.relative, 1e-7))
	}
}

// full are the Jacobians of all nodes by W, nodes x s x h x f, with those
// that are not kept.
func (v *derivatives) full(o *Options) []float64 {
	h, _ := blockSize(o)
	f := v.shape.Features
	var all []float64
	for _, slot := range v.slots.slot {
		j := make([]float64, o.Size*h*f)
		if slot >= 0 {
			kept := make([]float32, v.shape.Lanes()*f)
			v.j.Read(kept, int(slot))
			for l, state := range v.shape.State {
				for c := range f {
					at := func(column int32) int { return (int(state)*h+int(column)%h)*f + c }
					j[at(v.shape.Plus[l])] += float64(kept[l*f+c])
					if v.shape.Minus[l] >= 0 {
						j[at(v.shape.Minus[l])] -= float64(kept[l*f+c])
					}
				}
			}
		}
		all = append(all, j...)
	}
	return all
}

// frozen compares a run in which nothing learns: losses, the sum of the
// gradients, states and derivatives, logits.
func (c *check) frozen(want passFixture) {
	c.Helper()
	sums := map[string][]float64{}
	c.epoch(func(i int, loss float64) {
		c.closeTo(fmt.Sprintf("loss %d", i), []float64{loss}, want.numbers("loss")[i:i+1], 1e-6, 1e-6)
		for name, g := range c.gradients() {
			if sums[name] == nil {
				sums[name] = make([]float64, len(g))
			}
			for j, v := range g {
				sums[name][j] += v
			}
		}
	})
	grad := want.in("grad")
	for name, sum := range sums {
		from := grad
		if _, ok := grad[name]; !ok {
			from = grad.in("head")
		}
		c.close("gradient of "+name, sum, from.numbers(name))
	}
	c.tables(want)
	c.logits(want)
}

// logits compares what evaluation says with the same parameters.
func (c *check) logits(want passFixture) {
	c.Helper()
	s, negatives := c.f.stream()
	c.m.Reset()
	everyone := make([]int32, s.NumNodes)
	for i := range everyone {
		everyone[i] = int32(i)
	}
	var got, expected []float64
	for lo := 0; lo < s.Len(); lo += c.batch {
		b := s.Slice(lo, min(lo+c.batch, s.Len()))
		if c.m.setup.Task == protocol.NodeClassification {
			out := make([]float32, b.Len())
			if err := c.m.Classify(b, out); err != nil {
				c.Fatal(err)
			}
			got, expected = append(got, doubles(out)...), want.numbers("logits")
			continue
		}
		out := make([]float32, b.Len()*len(everyone))
		if err := c.m.Score(b, everyone, out); err != nil {
			c.Fatal(err)
		}
		for k := range b.Len() { // up to a constant of all pairs
			row := out[k*len(everyone):]
			got = append(got, float64(row[b.Dst[k]])-float64(row[negatives[lo+k]]))
			expected = append(expected, want.numbers("pos_logits")[lo+k]-want.numbers("neg_logits")[lo+k])
		}
		if err := c.m.Observe(b); err != nil {
			c.Fatal(err)
		}
	}
	c.closeTo("logits", got, expected, 2e-6, 2e-5)
}

// onDevices runs a check in float64 on the reference device and in float32
// on every level of the processor and on what accelerators there are.
func onDevices(t *testing.T, run func(c *check)) {
	t.Run("reference", func(t *testing.T) {
		run(&check{T: t, f: loadFixture(t), device: reference.New(), absolute: 1e-10, relative: 1e-10})
	})
	for _, k := range cpu.Available() {
		t.Run(k.Level().String(), func(t *testing.T) {
			run(&check{T: t, f: loadFixture(t), device: cpu.NewDevice(k, 2), absolute: 2e-6, relative: 2e-5})
		})
	}
	for name, open := range devicetest.Accelerators {
		t.Run(name, func(t *testing.T) {
			run(&check{T: t, f: loadFixture(t), device: open(t), absolute: 2e-6, relative: 2e-5})
		})
	}
}

// runs calls check for every batch size of a section.
func (c *check) runs(section string, run func(want passFixture)) {
	count := 0
	for name, want := range c.f.in(section) {
		if _, err := fmt.Sscanf(name, "batch_size_%d", &c.batch); err != nil {
			continue
		}
		count++
		run(want.(map[string]any))
	}
	if count == 0 {
		c.Fatal("the file has no run in " + section)
	}
}

func TestClassificationMatchesPyTorch(t *testing.T) {
	onDevices(t, func(c *check) {
		c.runs("a_node_classification", func(want passFixture) {
			c.withAndWithoutGradient(protocol.NodeClassification, "head_nc", want)
		})
	})
}

func TestLinkPredictionMatchesPyTorch(t *testing.T) {
	onDevices(t, func(c *check) {
		c.runs("b_link_prediction", func(want passFixture) {
			c.withAndWithoutGradient(protocol.LinkPrediction, "head_lp", want)
		})
	})
}

// withAndWithoutGradient: the states and the head's gradients do not depend on
// whether what is below the head has gradients.
func (c *check) withAndWithoutGradient(task protocol.Task, headKey string, want passFixture) {
	c.Helper()
	o := c.f.options()
	for _, o.Gradient = range []Gradient{Forward, None} {
		c.build(task, o, c.f.in("er"), c.f.in(headKey), datasets.Stream{})
		c.frozen(want)
	}
}

// TestTrainingMatchesPyTorch: parameters that change, over two epochs.
func TestTrainingMatchesPyTorch(t *testing.T) {
	tasks := map[protocol.Task][2]string{
		protocol.NodeClassification: {"node_classification", "head_nc"},
		protocol.LinkPrediction:     {"link_prediction", "head_lp"},
	}
	onDevices(t, func(c *check) {
		training := c.f.in("c_training")
		c.batch = int(training.number("batch_size"))
		// The optimisers take their settings in float32.
		c.absolute, c.relative = max(c.absolute, 1e-7), max(c.relative, 1e-6)
		for task, keys := range tasks {
			o := c.f.options()
			o.Optimiser.LR, o.Head.LR, o.Head.WeightDecay = training.number("lr_er"), training.number("lr_head"), training.number("weight_decay")
			c.build(task, o, c.f.in("er"), c.f.in(keys[1]), datasets.Stream{})
			c.trajectory(training.in(keys[0]), int(training.number("epochs")))
		}
	})
}

func (c *check) trajectory(want passFixture, epochs int) {
	c.Helper()
	steps := want["steps"].([]any)
	i := 0
	for range epochs {
		c.m.Reset()
		c.epoch(func(_ int, loss float64) {
			step := passFixture(steps[i].(map[string]any))
			c.close(fmt.Sprintf("loss %d", i), []float64{loss}, step.numbers("loss"))
			for name := range step.in("grad") {
				c.close(fmt.Sprintf("step %d, gradient of %s", i, name), c.gradients()[name], step.in("grad").numbers(name))
			}
			i++
		})
	}
	if i != len(steps) {
		c.Fatalf("%d steps, the file has %d", i, len(steps))
	}
	c.tables(want)
	after := map[string]models.Tensor{}
	for _, p := range c.m.Snapshot(models.Parameters).Params {
		after[p.Name] = p
	}
	for part, prefix := range map[string]string{"final_er": "", "final_head": head.Prefix} {
		for name := range want.in(part) {
			p, values := after[prefix+name], want.in(part).numbers(name)
			if len(p.Shape) == 2 {
				values = transposed(values, p.Shape[0])
			}
			c.close(name, doubles(p.F32), values)
		}
	}
}

func TestVariantsMatchPyTorch(t *testing.T) {
	onDevices(t, func(c *check) {
		d := c.f.in("d_variants")
		c.batch = int(d.number("batch_size"))

		o := c.f.options()
		o.Gradient = Truncated
		c.build(protocol.NodeClassification, o, c.f.in("er"), c.f.in("head_nc"), datasets.Stream{})
		c.frozen(d.in("bp"))

		o = c.f.options()
		o.Embedding = Sum
		er := passFixture{"W": d["W_sum"], "alpha_logit": c.f.in("er")["alpha_logit"], "beta_logit": c.f.in("er")["beta_logit"]}
		c.build(protocol.NodeClassification, o, er, c.f.in("head_nc"), datasets.Stream{})
		c.frozen(d.in("sum"))

		edges, train := d.edges()
		for factors, key := range map[Factors]string{Scalar: "scalar", Vector: "vector"} {
			o = c.f.options()
			o.Embedding, o.Buckets, o.Factors = Buckets, edges+1, factors
			c.build(protocol.NodeClassification, o, d.in(key+"_er"), d.in("head_nc_buckets"), train)
			s, _ := c.f.stream()
			whole := newOneHot(c.m.net.buckets, s.Len())
			c.close("delta", doubles(whole.encode(s)), d.numbers("delta"))
			c.frozen(d.in(key))
		}
	})
}

// edges is their number a column, and a training part of which they are the
// percentiles.
func (f passFixture) edges() (int, datasets.Stream) {
	columns := f["bucket_edges"].([]any)
	count := len(columns[0].([]any))
	s := datasets.Stream{NumFeat: len(columns), NumNodes: 1}
	for row := range count + 2 {
		s.Src = append(s.Src, 0)
		for _, column := range columns {
			e := flatten(column)
			switch row {
			case 0:
				s.Feat = append(s.Feat, float32(e[0]-1))
			case count + 1:
				s.Feat = append(s.Feat, float32(e[count-1]+1))
			default:
				s.Feat = append(s.Feat, float32(e[row-1]))
			}
		}
	}
	return count, s
}

// TestEmbeddingMatchesPyTorch: E of every event.
func TestEmbeddingMatchesPyTorch(t *testing.T) {
	onDevices(t, func(c *check) {
		s, _ := c.f.stream()
		c.batch = s.Len()
		c.build(protocol.NodeClassification, c.f.options(), c.f.in("er"), c.f.in("head_nc"), datasets.Stream{})
		if err := c.m.Observe(s); err != nil {
			c.Fatal(err)
		}
		c.m.net.embed.Run()
		c.close("E", c.read(c.m.net.embed.Buffer(c.m.net.e), s.Len()*c.m.net.size), c.f.numbers("E"))
	})
}
