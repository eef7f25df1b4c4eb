package dgs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// rated are the variants that TestRatesOfVariants trains.
var rated = map[string]func(*Options){
	"softmax":   func(*Options) {},
	"sum":       func(o *Options) { o.Embedding, o.SumFloor = Sum, 0 },
	"sparsemax": func(o *Options) { o.Embedding = Sparsemax },
	"entmax":    func(o *Options) { o.Embedding = Entmax },
	"buckets":   func(o *Options) { o.Embedding = Buckets },
	"scalar":    func(o *Options) { o.Factors = Scalar },
	"input":     func(o *Options) { o.Factors = Input },
	"input sum": func(o *Options) { o.Factors, o.Embedding, o.SumFloor = Input, Sum, 0 },
	"clamp":     func(o *Options) { o.Range = Clamp },
	"clamp sum": func(o *Options) { o.Range, o.Embedding, o.SumFloor = Clamp, Sum, 0 },
	"truncated": func(o *Options) { o.Gradient = Truncated },
	"none":      func(o *Options) { o.Gradient = None },
	"bfloat16":  func(o *Options) { o.Jacobian = BFloat16 },
}

// TestRatesOfVariants: with every learning rate of the paper's range all
// variants train, for both tasks, or fail with a cause that names the
// events.
func TestRatesOfVariants(t *testing.T) {
	stream := modeltest.Random(3, 160)
	for name, vary := range rated {
		for _, optimiser := range []Optimiser{{Method: SGD}, {Method: SGD, Momentum: .9}, {Method: Adam}} {
			for e := -4; e <= 3; e++ {
				for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
					o := Defaults()
					o.Size, o.Blocks, o.Optimiser = 20, 10, optimiser
					vary(o)
					o.Optimiser.LR = math.Pow(10, float64(e))
					if o.Gradient == Truncated && task == protocol.LinkPrediction {
						continue // refused
					}
					what := fmt.Sprintf("%s, %s, %s %g, momentum %g", task, name, o.Optimiser.Method, o.Optimiser.LR, o.Optimiser.Momentum)
					trainOrFail(t, what, task, stream, o)
				}
			}
		}
	}
}

func trainOrFail(t *testing.T, what string, task protocol.Task, stream datasets.Stream, o *Options) {
	t.Helper()
	const batch, epochs = 10, 5
	m, err := New(models.Setup{
		Task: task, NumNodes: stream.NumNodes, Users: stream.Users, NumFeat: stream.NumFeat, MaxBatch: batch, Threads: 1, Train: stream,
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	for range epochs {
		m.Reset()
		for lo := 0; lo < stream.Len(); lo += batch {
			b := stream.Slice(lo, lo+batch)
			loss, err := m.Train(b, b.Dst)
			if err != nil {
				if !strings.Contains(err.Error(), fmt.Sprintf("events %d to %d", lo, lo+batch-1)) {
					t.Errorf("%s: %v, expected the events from %d", what, err, lo)
				}
				return
			}
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				t.Fatalf("%s: loss %v without an error", what, loss)
			}
		}
	}
	sound(t, what, m)
}

// sound checks that all parameters are finite, and factors between 0 and 1
// where they are cut off.
func sound(t *testing.T, what string, m *Model) {
	t.Helper()
	for _, p := range m.Snapshot(models.Parameters).Params {
		for _, v := range p.F32 {
			if !models.Finite(v) {
				t.Fatalf("%s: %s holds %v without an error", what, p.Name, v)
			}
			if (p.Name == "alpha" || p.Name == "beta") && (v < 0 || v > 1) {
				t.Fatalf("%s: %s holds %v, expected 0 to 1", what, p.Name, v)
			}
		}
	}
}
