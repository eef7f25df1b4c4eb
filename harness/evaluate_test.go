package harness

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

// rule is a model for tests: it scores a destination by a function of what
// it has observed. Only what evaluations call is there.
type rule struct {
	models.Model
	seen  []datasets.Stream
	score func(r *rule, v int32) float32
}

func (r *rule) Observe(b datasets.Stream) error {
	r.seen = append(r.seen, b)
	return nil
}

func (r *rule) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	if b.NumFeat != 0 || len(b.Feat) != 0 {
		return errors.New("features are visible before the edge")
	}
	for k := range b.Len() {
		out.Greater[k], out.Equal[k] = 0, 0
		for _, v := range c.Nodes {
			x := r.score(r, v)
			switch {
			case !models.Finite(x):
				return &models.BadScore{Event: b.EventID(k), Score: float64(x)}
			case v == b.Dst[k], c.Without != nil && slices.Contains(c.Without[k], v):
			case x > r.score(r, b.Dst[k]):
				out.Greater[k]++
			case x == r.score(r, b.Dst[k]):
				out.Equal[k]++
			}
		}
	}
	return nil
}

func random(n, nodes int) datasets.Stream {
	rng := rand.New(rand.NewPCG(3, 3))
	s := datasets.Stream{NumNodes: nodes, NumFeat: 1, Feat: make([]float32, n)}
	for k := range n {
		s.Src, s.Dst = append(s.Src, int32(rng.IntN(nodes))), append(s.Dst, int32(rng.IntN(nodes)))
		s.Time, s.Label = append(s.Time, float64(k/3)), append(s.Label, int8(k%2))
	}
	return s
}

// TestConstantScore: average ties give MRR 2/(n+1) whatever n is.
func TestConstantScore(t *testing.T) {
	for _, n := range []int{2, 10, 1000} {
		e := evaluating(&rule{score: func(*rule, int32) float32 { return 0 }}, 7, func() {})
		s := random(20, n)
		facts, err := e.rank(context.Background(), s, e.spec.Protocol.Batch, []candidateSet{newCandidateSet(protocol.AllNodes, s)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		mrr, err := metrics.Of(protocol.LinkPrediction)[0].Value(facts[0])
		if err != nil {
			t.Fatal(err)
		}
		if want := 2 / float64(n+1); math.Abs(mrr-want) > 1e-12 {
			t.Errorf("%d candidates: MRR %v, expected %v", n, mrr, want)
		}
	}
}

// evaluating returns a run that asks a model about windows of a size.
func evaluating(m models.Model, size int, tick func()) *run {
	return &run{model: m, spec: specs.Trial{Task: protocol.LinkPrediction, Protocol: specs.Protocol{Batch: size}}, tick: tick}
}

// scoring returns parts that score the events of these nodes alone.
func scoring(s datasets.Stream, nodes ...int) datasets.Parts {
	p := datasets.Parts{NewNode: make([]bool, s.NumNodes)}
	for _, node := range nodes {
		p.NewNode[node] = true
	}
	return p
}

// TestRankThenObserve: a batch is ranked from the state before it, and then
// folded in as a whole, features included, also the events nobody asked
// about.
func TestRankThenObserve(t *testing.T) {
	s := random(10, 5)
	s.NumNodes, s.Src[1], s.Src[4], s.Src[9] = 6, 5, 5, 5
	var batchesSeen []int
	model := &rule{score: func(r *rule, v int32) float32 {
		if v == 0 {
			batchesSeen = append(batchesSeen, len(r.seen))
		}
		return float32(v)
	}}
	e := evaluating(model, 4, func() {})
	sets := []candidateSet{newCandidateSet(protocol.AllNodes, s)}
	e.parts = scoring(s, 5)
	facts, err := e.rank(context.Background(), s, e.spec.Protocol.Batch, sets, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := metrics.Facts{}
	for _, k := range []int{1, 4, 9} { // all higher numbers score above
		want.Greater = append(want.Greater, 5-s.Dst[k])
		want.Equal, want.Against = append(want.Equal, 0), append(want.Against, 5)
	}
	if diff := cmp.Diff(want, facts[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	observed := 0
	for _, b := range model.seen {
		observed += b.Len()
		if b.NumFeat != 1 {
			t.Error("Observe sees no features")
		}
	}
	if observed != 10 {
		t.Errorf("%d events were folded in, expected all 10", observed)
	}
	for i, n := range batchesSeen {
		if i > 0 && n < batchesSeen[i-1] || n > 2 {
			t.Errorf("states at ranking: %v", batchesSeen)
		}
	}
}

// TestFilterLeavesOutTrueDestinations of the same source and time.
func TestFilterLeavesOutTrueDestinations(t *testing.T) {
	s := stream(4, [3]int{0, 1, 5}, [3]int{0, 3, 5}, [3]int{0, 2, 6})
	model := &rule{score: func(_ *rule, v int32) float32 { return float32(v) }}
	e := evaluating(model, 2, func() {})
	sets := []candidateSet{newCandidateSet(protocol.AllNodes, s)}
	for name, c := range map[string]struct {
		without [][]int32
		parts   datasets.Parts
		want    []int32
		against []int32
	}{
		"none":                      {nil, datasets.Parts{}, []int32{2, 0, 1}, []int32{3, 3, 3}},
		"same_src_t":                {sameSourceAndTime(s), datasets.Parts{}, []int32{1, 0, 1}, []int32{2, 2, 3}},
		"same_src_t, first unasked": {sameSourceAndTime(s), scoring(s, 2, 3), []int32{0, 1}, []int32{2, 3}},
	} {
		e.parts = c.parts
		facts, err := e.rank(context.Background(), s, e.spec.Protocol.Batch, sets, c.without)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, facts[0].Greater); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.against, facts[0].Against); diff != "" {
			t.Errorf("%s: numbers of negatives (-want +got):\n%s", name, diff)
		}
	}
}

// TestAskingOfSomeEvents: what is asked of an event, filtered or not, does not
// depend on which others are asked about.
func TestAskingOfSomeEvents(t *testing.T) {
	s := random(90, 6)
	clear(s.Time[:60]) // many events of a source at one time
	model := &rule{score: func(_ *rule, v int32) float32 { return float32(v * 5 % 6 / 2) }}
	for name, without := range map[string][][]int32{"no filter": nil, "same_src_t": sameSourceAndTime(s)} {
		sets := []candidateSet{newCandidateSet(protocol.AllNodes, s), newCandidateSet(protocol.Destinations, s)}
		rank := func(size int, parts datasets.Parts) []metrics.Facts {
			t.Helper()
			e := evaluating(model, size, func() {})
			e.parts = parts
			facts, err := e.rank(context.Background(), s, e.spec.Protocol.Batch, sets, without)
			if err != nil {
				t.Fatal(err)
			}
			return facts
		}
		for _, f := range rank(7, scoring(s)) {
			if len(f.Greater) > 0 || f.Against != nil {
				t.Errorf("%s: %+v of no event, expected no counts and no column of negatives", name, f)
			}
		}
		all := rank(s.Len(), datasets.Parts{})
		for _, size := range []int{1, 7, 90} {
			some, want := scoring(s, size%6), make([]metrics.Facts, len(all))
			for k := range s.Len() {
				if some.Scored(s.Src[k], s.Dst[k]) {
					for i, f := range all {
						w := &want[i]
						w.Greater, w.Equal, w.Against = append(w.Greater, f.Greater[k]), append(w.Equal, f.Equal[k]), append(w.Against, f.Against[k])
					}
				}
			}
			if diff := cmp.Diff(want, rank(size, some)); diff != "" {
				t.Errorf("%s, batches of %d (-of all events +of some):\n%s", name, size, diff)
			}
		}
	}
}

// TestBadScores: NaN and infinities name the event, also among negatives.
func TestBadScores(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		model := &rule{score: func(r *rule, v int32) float32 {
			if len(r.seen) == 1 && v == 2 {
				return float32(bad)
			}
			return 1
		}}
		e := evaluating(model, 3, func() {})
		s := random(6, 5)
		_, err := e.rank(context.Background(), s, e.spec.Protocol.Batch, []candidateSet{newCandidateSet(protocol.AllNodes, s)}, nil)
		var found *models.BadScore
		if !errors.As(err, &found) || found.Event != 3 {
			t.Errorf("score %v: error %v, expected a bad score at event 3", bad, err)
		}
	}
}

func TestEvaluationStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := random(9, 5)
	e := evaluating(&rule{}, 3, cancel)
	if err := e.observe(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, expected cancellation after the first batch", err)
	}
}
