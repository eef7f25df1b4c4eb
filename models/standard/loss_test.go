package standard

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/cpu"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// classifiers are options without dropout for every model that learns to
// classify.
var classifiers = [][2]string{
	{"raw", "{head: {dropout: 0, pos_weight: %v}}"},
	{"graphsprints", "{head: {dropout: 0, pos_weight: %v}}"},
	{"dgs", "{size: 8, blocks: 4, head: {dropout: 0, pos_weight: %v}}"},
	{"dgs", "{size: 8, blocks: 4, gradient: truncated, head: {dropout: 0, pos_weight: %v}}"},
	{"dgs", "{embedding: buckets, factors: scalar, head: {dropout: 0, pos_weight: %v}}"},
	{"tgn", "{embedding: identity, memory: {size: 6, time: 4}, head: {dropout: 0, pos_weight: %v}}"},
	{"tgn", "{memory: {size: 6, time: 4}, attention: {size: 8, dropout: 0}, head: {dropout: 0, pos_weight: %v}}"},
	{"jodie", "{memory: {size: 6, time: 4}, head: {dropout: 0, pos_weight: %v}}"},
}

// lookingAhead classifies an event by later ones of its batch, too. (With
// attention, training applies the messages of neighbours to memories that the
// batch has already updated, and has other logits.)
var lookingAhead = [2]string{"tgn", "{embedding: identity, nc_memory: pyg_last, memory: {size: 6, time: 4}, head: {dropout: 0, pos_weight: %v}}"}

const lossBatch = 12

// TestClassificationLoss: the loss is the mean cross-entropy of the labelled
// events of the batch, positive ones weighted, of the logits that Classify
// gives from the same state.
func TestClassificationLoss(t *testing.T) {
	for _, c := range append(slices.Clone(classifiers), lookingAhead) {
		for _, weight := range []float64{1, 4} {
			options := fmt.Sprintf(c[1], weight)
			t.Run(c[0]+" "+options, func(t *testing.T) {
				stream := modeltest.Random(5, 4*lossBatch)
				m := optioned(t, cpu.NewDevice(cpu.Best(), 1), c[0], options, protocol.NodeClassification, stream, 1)
				for lo := 0; lo < stream.Len(); lo += lossBatch {
					b := stream.Slice(lo, lo+lossBatch)
					logits := make([]float32, b.Len())
					before := m.Snapshot(models.Everything)
					check(t, m.Classify(b, logits))
					check(t, m.Restore(before))
					loss, err := m.Train(b, nil)
					check(t, err)
					if want := labelledLoss(b.Label, logits, weight); !near(loss, want) {
						t.Errorf("events from %d: loss %v, expected %v", lo, loss, want)
					}
				}
			})
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// near allows for the rounding of a float32 sum.
func near(got, want float64) bool { return math.Abs(got-want) <= 2e-5*(1+math.Abs(want)) }

// labelledLoss is PyTorch's BCEWithLogitsLoss with pos_weight, over events
// with labels.
func labelledLoss(labels []int8, logits []float32, weight float64) float64 {
	sum, n := 0.0, 0
	for k, l := range labels {
		switch l {
		case 1:
			sum += weight * softplus(-logits[k])
		case 0:
			sum += softplus(logits[k])
		default:
			continue
		}
		n++
	}
	return sum / float64(n)
}

// softplus is log(1 + exp(z)): the cross-entropy of a logit with the target 0.
func softplus(z float32) float64 { return math.Log1p(math.Exp(float64(z))) }

// TestUnlabelledEventsTeachNothing: what the features of events without
// labels are changes no bit of the step, and without any label there is no
// step. What is folded in is what would have been with labels.
func TestUnlabelledEventsTeachNothing(t *testing.T) {
	for _, c := range classifiers {
		options := fmt.Sprintf(c[1], 4)
		t.Run(c[0]+" "+options, func(t *testing.T) {
			stream := modeltest.Random(6, 3*lossBatch)
			first, second, third := stream.Slice(0, lossBatch), stream.Slice(lossBatch, 2*lossBatch), stream.Slice(2*lossBatch, 3*lossBatch)
			after := func(batches ...datasets.Stream) (m models.Model, loss float64) {
				m = optioned(t, cpu.NewDevice(cpu.Best(), 1), c[0], options, protocol.NodeClassification, stream, 1)
				for _, b := range batches {
					var err error
					loss, err = m.Train(b, nil)
					check(t, err)
				}
				return m, loss
			}
			want, _ := after(first, second)
			got, _ := after(first, unlabelledRedrawn(second))
			sameParams(t, "with other features", got, want)
			labelled, _ := after(first, second, third)
			third.Label = slices.Repeat([]int8{datasets.Unlabelled}, lossBatch)
			got, loss := after(first, second, third)
			sameParams(t, "after a batch without labels", got, want)
			if loss != 0 {
				t.Errorf("the loss without labels is %v", loss)
			}
			nearState(t, got, labelled)
		})
	}
}

// unlabelledRedrawn changes the features of events without labels.
func unlabelledRedrawn(b datasets.Stream) datasets.Stream {
	b.Feat = slices.Clone(b.Feat)
	for k, l := range b.Label {
		if l == datasets.Unlabelled {
			for c := range b.NumFeat {
				b.Feat[k*b.NumFeat+c] = 1 - 2*b.Feat[k*b.NumFeat+c]
			}
		}
	}
	return b
}

func sameParams(t *testing.T, what string, got, want models.Model) {
	t.Helper()
	params := got.Snapshot(models.Parameters).Params
	for i, w := range want.Snapshot(models.Parameters).Params {
		if !slices.Equal(params[i].F32, w.F32) {
			t.Errorf("%s: %s is another", what, w.Name)
		}
	}
}

// nearState holds a state to another, but for rounding.
func nearState(t *testing.T, got, want models.Model) {
	t.Helper()
	state := got.Snapshot(models.Everything).State
	for i, w := range want.Snapshot(models.Everything).State {
		close := func(x, y float32) bool { return near(float64(x), float64(y)) }
		if !slices.EqualFunc(state[i].F32, w.F32, close) || !slices.Equal(state[i].I64, w.I64) {
			t.Errorf("%s without labels is another than with labels", w.Name)
		}
	}
}

// TestLinkLoss: the loss is the mean cross-entropy of the true pairs plus
// that of the pairs with negatives, of the logits from before the batch.
func TestLinkLoss(t *testing.T) {
	for _, c := range []struct {
		model, options string
		bias           bool // scores have that of the last layer
	}{
		{"graphsprints", "{head: {dropout: 0, pos_weight: 4}}", false},
		{"dgs", "{size: 8, blocks: 4, head: {dropout: 0, pos_weight: 4}}", false},
		{"dgs", "{embedding: buckets, factors: scalar, head: {dropout: 0}}", false},
		{"tgn", "{embedding: identity, memory: {size: 6, time: 4}}", false},
		{"tgn", "{memory: {size: 6, time: 4}, attention: {size: 8, dropout: 0}}", false},
		{"jodie", "{memory: {size: 6, time: 4}}", false},
		{"tpnet", "{encoder: {neighbours: 0}}", true},
		{"tpnet", "{encoder: {neighbours: 3, channels: 4, time: 2, dropout: 0}}", true},
	} {
		t.Run(c.model+" "+c.options, func(t *testing.T) {
			stream := modeltest.Random(7, 4*lossBatch)
			m := optioned(t, cpu.NewDevice(cpu.Best(), 1), c.model, c.options, protocol.LinkPrediction, stream, 1)
			for i := range 4 {
				b := stream.Slice(i*lossBatch, (i+1)*lossBatch)
				negatives := make([]int32, b.Len())
				for k := range negatives {
					negatives[k] = int32((5*k + 3*i) % b.NumNodes)
				}
				before := m.Snapshot(models.Everything)
				constant := float32(0)
				if !c.bias {
					constant = lastBias(m)
				}
				want := pairLoss(t, m, b, b.Dst, 1, constant) + pairLoss(t, m, b, negatives, 0, constant)
				check(t, m.Restore(before))
				loss, err := m.Train(b, negatives)
				check(t, err)
				if !near(loss, want) {
					t.Errorf("batch %d: loss %v, expected %v", i, loss, want)
				}
			}
		})
	}
}

// pairLoss is the mean cross-entropy of the pairs of sources and ends, whose scores lack
// a constant.
func pairLoss(t *testing.T, m models.Model, b datasets.Stream, ends []int32, target int, constant float32) float64 {
	candidates := slices.Clone(ends)
	slices.Sort(candidates)
	candidates = slices.Compact(candidates)
	logits := make([]float32, b.Len()*len(candidates))
	check(t, m.Score(b, candidates, logits))
	sum := 0.0
	for k, v := range ends {
		i, _ := slices.BinarySearch(candidates, v)
		z := logits[k*len(candidates)+i] + constant
		if target == 1 {
			z = -z
		}
		sum += softplus(z) / float64(b.Len())
	}
	return sum
}

// lastBias is that of the output, which Score leaves out.
func lastBias(m models.Model) float32 {
	params := m.Snapshot(models.Parameters).Params
	last := params[len(params)-1]
	if len(last.F32) != 1 || !strings.HasPrefix(last.Name, "head.b") && last.Name != "pred.lin_final.bias" {
		panic("the last parameter is " + last.Name)
	}
	return last.F32[0]
}

// TestOptimisersOutliveReset: a reset forgets states, not what the optimiser
// knows of gradients. A model that was given the parameters alone makes
// another step.
func TestOptimisersOutliveReset(t *testing.T) {
	for _, c := range classifiers {
		options := fmt.Sprintf(c[1], 1)
		t.Run(c[0]+" "+options, func(t *testing.T) {
			stream := modeltest.Random(9, 2*lossBatch)
			build := func() models.Model {
				return optioned(t, cpu.NewDevice(cpu.Best(), 1), c[0], options, protocol.NodeClassification, stream, 1)
			}
			trained, given := build(), build()
			_, err := trained.Train(stream.Slice(0, lossBatch), nil)
			check(t, err)
			check(t, given.Restore(trained.Snapshot(models.Parameters)))
			var after [2][]models.Tensor
			for i, m := range []models.Model{trained, given} {
				m.Reset()
				_, err := m.Train(stream.Slice(lossBatch, 2*lossBatch), nil)
				check(t, err)
				after[i] = m.Snapshot(models.Parameters).Params
			}
			last := len(after[0]) - 1
			if slices.Equal(after[0][last].F32, after[1][last].F32) {
				t.Errorf("%s makes the same step", after[0][last].Name)
			}
		})
	}
}
