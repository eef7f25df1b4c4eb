package dgs

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// untrained are the ways in which the parameters below the head are made.
var untrained = map[string]func(*Options){
	"softmax": func(*Options) {},
	"buckets": func(o *Options) { o.Embedding, o.Factors = Buckets, Scalar },
	"input":   func(o *Options) { o.Factors = Input },
	"clamp":   func(o *Options) { o.Range = Clamp },
}

// eachTask calls check for every way and task, with a model without gradient
// and one that would learn with eta 0, of the same seed.
func eachTask(t *testing.T, s datasets.Stream, check func(t *testing.T, none, still *Model)) {
	for name, vary := range untrained {
		for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
			t.Run(string(task)+" "+name, func(t *testing.T) {
				var made []*Model
				for _, gradient := range []Gradient{None, Forward} {
					o := Defaults()
					o.Size, o.Blocks, o.Gradient, o.Optimiser.LR = 20, 10, gradient, 0
					vary(o)
					m, err := New(models.Setup{
						Task: task, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat, MaxBatch: 20, Threads: 1, Train: s, Seed: 3,
					}, o)
					if err != nil {
						t.Fatal(err)
					}
					made = append(made, m)
				}
				check(t, made[0], made[1])
			})
		}
	}
}

// TestNoneTrainsTheHeadAlone: after training all below the head has the bits of
// its initial values, those of a model that learns, and every tensor of the
// head has moved. Losses, states and the head's gradients are bit for bit those
// of a model whose learning rate below the head is zero.
func TestNoneTrainsTheHeadAlone(t *testing.T) {
	stream := modeltest.Random(9, 200)
	eachTask(t, stream, func(t *testing.T, none, still *Model) {
		initial := none.Snapshot(models.Parameters).Params
		for lo := 0; lo < stream.Len(); lo += 20 {
			b := stream.Slice(lo, lo+20)
			got, err := none.Train(b, b.Dst)
			if err != nil {
				t.Fatal(err)
			}
			want, err := still.Train(b, b.Dst)
			if err != nil || got != want {
				t.Fatalf("events from %d: loss %v, expected %v, %v", lo, got, want, err)
			}
			sameTensors(t, headGradients(none), headGradients(still))
		}
		sameTensors(t, none.Snapshot(models.Everything).State, still.Snapshot(models.Everything).State)
		trained := none.Snapshot(models.Parameters).Params
		sameTensors(t, trained, still.Snapshot(models.Parameters).Params)
		for i, p := range trained {
			inHead := strings.HasPrefix(p.Name, head.Prefix)
			if stays := sameBits(p.F32, initial[i].F32); stays == inHead {
				t.Errorf("%s keeps its initial values: %v", p.Name, stays)
			}
		}
	})
}

// TestNoneSaysWhatItLearns: the head alone counts, and nothing of training is
// allocated for derivatives.
func TestNoneSaysWhatItLearns(t *testing.T) {
	stream := modeltest.Random(9, 40)
	eachTask(t, stream, func(t *testing.T, none, still *Model) {
		inHead := 0
		for _, p := range still.Facts().Parameters {
			if p.Part == models.HeadPart {
				inHead = p.Params
			}
		}
		f := none.Facts()
		if len(f.Parameters) != 1 || f.Parameters[0].Part != models.HeadPart || f.Parameters[0].Params != inHead || none.NumParams() != inHead {
			t.Errorf("learned: %v, %d in all, expected the head's %d", f.Parameters, none.NumParams(), inHead)
		}
		if want := still.Facts(); f.State != want.State || f.Forgetting != want.Forgetting {
			t.Errorf("%+v, expected a state and factors as %+v", f, want)
		}
		if _, err := none.Train(stream.Slice(0, 20), stream.Dst[:20]); err != nil {
			t.Fatal(err)
		}
		if l := none.training; l.derivatives != nil || l.gradients != nil {
			t.Error("it has derivatives or gradients below the head")
		}
	})
}

// headGradients are those of the last batch.
func headGradients(m *Model) []models.Tensor {
	var out []models.Tensor
	t := m.net.head.Training()
	for i, name := range t.Names {
		if !strings.HasPrefix(name, head.Prefix) {
			continue
		}
		g := models.Tensor{Name: name, F32: make([]float32, t.Gradients.Buffers[i].Len())}
		m.device.Read(g.F32, t.Gradients.Buffers[i])
		out = append(out, g)
	}
	return out
}

func sameTensors(t *testing.T, got, want []models.Tensor) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%d tensors, expected %d", len(got), len(want))
	}
	for i, g := range got {
		if g.Name != want[i].Name || !sameBits(g.F32, want[i].F32) {
			t.Errorf("%s differs from %s", g.Name, want[i].Name)
		}
	}
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}
