package harness

import (
	"context"
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

// listening is a scripted model that keeps what it is asked to rank.
type listening struct {
	*scripted
	heard *heard
}

type heard struct {
	script
	asked   [][]int32   // candidates, by question
	without [][][]int32 // those that do not count, by question and event
}

func (l listening) Rank(_ datasets.Stream, c models.Candidates, out models.Counts) error {
	l.heard.asked, l.heard.without = append(l.heard.asked, slices.Clone(c.Nodes)), append(l.heard.without, c.Without)
	clear(out.Greater)
	clear(out.Equal)
	return nil
}

func init() {
	models.Register(models.Kind{
		Name: "listening", Class: protocol.Learned, Tasks: []protocol.Task{protocol.LinkPrediction},
		Options: func() models.Options { return &heard{} },
		New: func(_ models.Setup, o models.Options) (models.Model, error) {
			h := o.(*heard)
			return listening{&scripted{script: &h.script, epoch: -1}, h}, nil
		},
	})
}

// listen runs three epochs of link prediction on a stream whose parts have
// destinations of their own: 4 and 5, then 6, then 7 and 8. Node 9 is in no
// event. A source has two events at a time, one with each of its part's
// destinations. With new nodes, the setting is inductive.
func listen(t *testing.T, seed uint64, change func(*specs.Protocol), newNodes ...int32) *heard {
	t.Helper()
	s := random(60, 10)
	for k := range s.Dst {
		s.Src[k], s.Dst[k] = int32(k%4), []int32{4, 5, 6, 6, 7, 8}[k/20*2+k/4%2]
		s.Time[k] = float64(k / 8)
	}
	parts := datasets.Parts{Whole: s, Train: s.Slice(0, 20), Val: s.Slice(20, 40), Test: s.Slice(40, 60)}
	if len(newNodes) > 0 {
		parts.NewNode = make([]bool, s.NumNodes)
		for _, v := range newNodes {
			parts.NewNode[v] = true
		}
	}
	p, h := specs.DefaultProtocol(), &heard{}
	p.Batch, p.Epochs, p.Patience = 20, 3, 0
	change(&p)
	r, err := newRun(specs.Trial{
		Task: protocol.LinkPrediction, Kind: kindOf("listening"), Options: h, Protocol: p, Seed: seed,
	}, parts, devices.Target{}, 1, func() {})
	if err == nil {
		err = r.do(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	return h
}

var (
	allNodes        = []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	allDestinations = []int32{4, 5, 6, 7, 8}
)

// TestCandidatesAreOfTheWholeStream: also destinations that only later parts
// have, and in every part.
func TestCandidatesAreOfTheWholeStream(t *testing.T) {
	h := listen(t, 1, func(*specs.Protocol) {})
	want := slices.Repeat([][]int32{allNodes, allDestinations}, 3+1) // after each epoch, and in the test
	if diff := cmp.Diff(want, h.asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTrainNegatives: whatever events are ranked against, negatives are drawn
// where the protocol says, all nodes equally often, and none that training does
// not know unless it asks for that. Mixed ones are half of destinations and half
// of all, so nodes 4 and 5 are both.
func TestTrainNegatives(t *testing.T) {
	for _, c := range []struct {
		source specs.NegativeSource
		from   map[int32]float64 // shares
	}{
		{specs.TrainDestinations, map[int32]float64{4: 1. / 2, 5: 1. / 2}},
		{specs.TrainNodes, map[int32]float64{0: 1. / 6, 1: 1. / 6, 2: 1. / 6, 3: 1. / 6, 4: 1. / 6, 5: 1. / 6}},
		{specs.MixedNegatives, map[int32]float64{0: 1. / 12, 1: 1. / 12, 2: 1. / 12, 3: 1. / 12, 4: 1. / 3, 5: 1. / 3}},
		{specs.LaterDestinations, map[int32]float64{4: 1. / 5, 5: 1. / 5, 6: 1. / 5, 7: 1. / 5, 8: 1. / 5}},
	} {
		for _, sets := range [][]protocol.CandidateSet{{protocol.AllNodes}, {protocol.AllNodes, protocol.Destinations}, {protocol.Destinations, protocol.AllNodes}} {
			var drawn []int32
			for seed := range uint64(40) {
				h := listen(t, seed, func(p *specs.Protocol) { p.TrainNegatives, p.Candidates = c.source, sets })
				drawn = append(drawn, slices.Concat(h.negatives...)...)
			}
			if len(drawn) != 40*3*20 {
				t.Fatalf("%d negatives, expected one an event", len(drawn))
			}
			asOften(t, drawn, c.from)
		}
	}
}

// equallyOften allows for five standard errors.
func equallyOften(t *testing.T, drawn, from []int32) {
	t.Helper()
	shares := map[int32]float64{}
	for _, v := range from {
		shares[v] = 1 / float64(len(from))
	}
	asOften(t, drawn, shares)
}

// asOften allows for five standard errors of each share.
func asOften(t *testing.T, drawn []int32, shares map[int32]float64) {
	t.Helper()
	count, n := map[int32]int{}, float64(len(drawn))
	for _, v := range drawn {
		count[v]++
	}
	for v, p := range shares {
		if math.Abs(float64(count[v])-n*p) > 5*math.Sqrt(n*p*(1-p)) {
			t.Errorf("%d was drawn %d times of %v, expected about %.0f", v, count[v], n, n*p)
		}
		delete(count, v)
	}
	if len(count) > 0 {
		t.Errorf("others were drawn: %v", count)
	}
}

// TestValidationSample: epochs are compared on one sample of each set of
// candidates; another seed draws another one, in which every candidate is
// equally likely. It changes no negatives of training.
func TestValidationSample(t *testing.T) {
	const size = 3
	var drawn []int32
	for seed := range uint64(300) {
		h := listen(t, seed, func(p *specs.Protocol) { p.ValNegatives = size })
		first := h.asked[0]
		if len(first) != size || !slices.IsSorted(first) || len(slices.Compact(slices.Clone(first))) != size {
			t.Fatalf("the sample is %v, expected %d different candidates in order", first, size)
		}
		for i, asked := range h.asked[:2*3] {
			if !slices.Equal(asked, h.asked[i%2]) {
				t.Fatalf("epoch %d is validated on %v, epoch 1 on %v", i/2+1, asked, h.asked[i%2])
			}
		}
		drawn = append(drawn, first...)
		if whole := listen(t, seed, func(*specs.Protocol) {}); !cmp.Equal(whole.negatives, h.negatives) {
			t.Fatalf("seed %d: negatives %v with a sample, %v without", seed, h.negatives, whole.negatives)
		}
	}
	equallyOften(t, drawn, allNodes)
}

// TestFilter: with it, the destinations of events of the same source and time
// are no negatives; without it all other candidates are.
func TestFilter(t *testing.T) {
	filtered := listen(t, 1, func(p *specs.Protocol) { p.Filter = specs.FilterSameSrcT })
	for i, without := range listen(t, 1, func(*specs.Protocol) {}).without {
		if without != nil {
			t.Errorf("question %d leaves out %v without a filter", i, without)
		}
	}
	var want [][]int32 // of the test part: four events have no other one
	for _, v := range []int32{8, 7, 8, 7} {
		want = append(want, slices.Repeat([][]int32{{v}}, 4)...)
	}
	want = append(want, nil, nil, nil, nil)
	for i, without := range filtered.without {
		switch {
		case i < len(filtered.without)-2 && !slices.EqualFunc(without, make([][]int32, 20), slices.Equal):
			t.Errorf("question %d leaves out %v, expected nothing: the part has one destination", i, without)
		case i >= len(filtered.without)-2 && !slices.EqualFunc(without, want, slices.Equal):
			t.Errorf("question %d about the test leaves out %v, expected %v", i, without, want)
		}
	}
}

// TestInductiveFilter: the events that are asked about leave out what they do in
// the transductive setting.
func TestInductiveFilter(t *testing.T) {
	asked := listen(t, 1, func(p *specs.Protocol) { p.Filter = specs.FilterSameSrcT }, 0).without
	for i, want := range [][][]int32{make([][]int32, 5), {{8}, {7}, {8}, {7}, nil}} { // source 0 is in every fourth event
		if got := asked[len(asked)-4+2*i]; !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%d: %v is left out, expected %v", i, got, want)
		}
	}
}

// TestReportedEpochs: a record has the value and the loss of every epoch, and
// says which epoch was tested, whatever selected it.
func TestReportedEpochs(t *testing.T) {
	values := []float64{.6, .9, .7, .9}
	for name, c := range map[string]struct {
		change func(*specs.Protocol)
		tested int
	}{
		"best":                {func(*specs.Protocol) {}, 1},
		"last":                {func(p *specs.Protocol) { p.Select = specs.SelectLast }, 2},
		"both states":         {func(p *specs.Protocol) { p.TestState = []specs.StateRule{specs.Carry, specs.Replay} }, 1},
		"last, with patience": {func(p *specs.Protocol) { p.Select, p.Patience = specs.SelectLast, 1 }, 2},
		"best, with patience": {func(p *specs.Protocol) { p.Patience = 1 }, 1},
		"best, replayed":      {func(p *specs.Protocol) { p.TestState = []specs.StateRule{specs.Replay} }, 1},
		"a tie":               {func(p *specs.Protocol) { p.Epochs = 4 }, 1},
	} {
		p := specs.DefaultProtocol()
		p.Batch, p.Epochs, p.Patience = 20, 3, 0
		c.change(&p)
		trial := specs.Trial{
			Task: protocol.NodeClassification, Kind: kindOf("scripted"), Protocol: p,
			Options: &script{auc: values, loss: .25},
		}
		rec, observed, _, err := measure(context.Background(), job{trial: trial, parts: scriptedParts()}, devices.Target{}, func() {})
		if err != nil || rec.Error != "" {
			t.Fatal(name, err, rec.Error)
		}
		if rec.BestEpoch != c.tested {
			t.Errorf("%s: the record says that epoch %d was tested, expected %d", name, rec.BestEpoch, c.tested)
		}
		for i, e := range rec.Epochs {
			if want := values[i]; math.Abs(float64(e.Validation)-want) > 1e-9 || e.Loss != .25 {
				t.Errorf("%s: epoch %d has the value %v and the loss %v, expected %v and .25", name, i, e.Validation, e.Loss, want)
			}
		}
		for part, facts := range observed {
			if got, err := trial.Protocol.SelectedBy(trial.Task).Value(facts); err != nil || math.Abs(got-values[c.tested]) > 1e-9 {
				t.Errorf("%s: %s has AUC %v (%v), expected that of the epoch that was tested", name, part.Split, got, err)
			}
		}
	}
}
