package dgs

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// trainedOn is a model that was trained a little, with the states that the
// events left, and its checkpoint.
func trainedOn(t testing.TB, task protocol.Task, o *Options, nodes, f int, options string) (*Model, string) {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 4))
	s, negatives := streamOf(drawEvents(r, 40, nodes, f), nodes)
	m, err := New(models.Setup{Task: task, NumNodes: nodes, NumFeat: f, MaxBatch: s.Len(), Threads: 1, Train: s, Seed: 3}, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Train(s, negatives); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	spec := `{"kind": "dgs", "task": "` + string(task) + `", "options": ` + options + `}`
	if err := models.WriteCheckpoint(path, m.Snapshot(models.Everything), map[string]string{models.SpecKey: spec}); err != nil {
		t.Fatal(err)
	}
	return m, path
}

// TestScorerMatchesModel: one event at a time, the scorer says what the model
// says in batches of one, for both tasks; also after Save and OpenScorer.
func TestScorerMatchesModel(t *testing.T) {
	for _, gradient := range []Gradient{Forward, None} {
		for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
			t.Run(string(gradient)+" "+string(task), func(t *testing.T) { scorerMatches(t, task, gradient) })
		}
	}
}

func scorerMatches(t *testing.T, task protocol.Task, gradient Gradient) {
	const nodes, f = 9, 3
	o := Defaults()
	o.Size, o.Blocks, o.Gradient = 8, 4, gradient
	m, path := trainedOn(t, task, o, nodes, f, `{"size": 8, "blocks": 4, "gradient": "`+string(gradient)+`"}`)
	s, err := OpenScorer(path)
	if err != nil {
		t.Fatal(err)
	}
	for k, e := range drawEvents(rand.New(rand.NewPCG(5, 5)), 30, nodes, f) {
		if k == 15 {
			again := filepath.Join(t.TempDir(), "again.safetensors")
			if err := s.Save(again); err != nil {
				t.Fatal(err)
			}
			if s, err = OpenScorer(again); err != nil {
				t.Fatal(err)
			}
		}
		b, _ := streamOf([]event{e}, nodes)
		got, err := s.Score(Event{int32(e.src), int32(e.dst), b.Feat})
		if err != nil {
			t.Fatal(err)
		}
		if want := probability(logitOf(t, m, b)); math.Abs(got-want) > 1e-6 {
			t.Fatalf("event %d: %v, the model says %v", k, got, want)
		}
	}
}

// logitOf is what the model says of one event, which it then folds in.
func logitOf(t *testing.T, m *Model, b datasets.Stream) float32 {
	t.Helper()
	out := make([]float32, 1)
	if m.setup.Task == protocol.NodeClassification {
		if err := m.Classify(b, out); err != nil {
			t.Fatal(err)
		}
		return out[0]
	}
	m.states.Gather([]int32{b.Src[0], b.Dst[0]}, m.net.Buffer(m.net.pairs))
	if err := m.net.head.Classify(b, out); err != nil {
		t.Fatal(err)
	}
	if err := m.Observe(b); err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// TestScorerGrows: a node far beyond the others gets a state, and the others
// keep theirs.
func TestScorerGrows(t *testing.T) {
	o := Defaults()
	o.Size, o.Blocks = 8, 4
	_, path := trainedOn(t, protocol.LinkPrediction, o, 9, 3, `{"size": 8, "blocks": 4}`)
	s, err := OpenScorer(path)
	if err != nil {
		t.Fatal(err)
	}
	links := func() (out []float64) {
		for v := range int32(9) {
			p, err := s.Link(v, 1)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, p)
		}
		return out
	}
	before := links()
	fresh, err := s.Link(0, 5000)
	if err != nil {
		t.Fatal(err)
	}
	if s.model.states.nodes != 9 {
		t.Errorf("Link made room for %d nodes", s.model.states.nodes)
	}
	if _, err := s.Score(Event{5000, 6, []float32{1, 2, 3}}); err != nil {
		t.Fatal(err)
	}
	for v, after := range links() {
		if same := after == before[v]; same == (v == 6) {
			t.Errorf("the link %d-1 was %v, is %v after an event of node 6", v, before[v], after)
		}
	}
	if after, err := s.Link(0, 5000); err != nil || after == fresh {
		t.Errorf("the link 0-5000 is still %v after an event of node 5000 (%v)", after, err)
	}
	s.Forget()
	if zero, _ := s.Link(0, 1); zero == before[0] {
		t.Error("Forget forgets nothing")
	}
}

func TestScorerRefuses(t *testing.T) {
	o := Defaults()
	o.Size, o.Blocks = 8, 4
	_, path := trainedOn(t, protocol.NodeClassification, o, 9, 3, `{"size": 8, "blocks": 4}`)
	s, err := OpenScorer(path)
	if err != nil {
		t.Fatal(err)
	}
	nan := float32(math.NaN())
	for want, e := range map[string]Event{
		"2 features":   {0, 1, []float32{1, 2}},
		"feature 1":    {0, 1, []float32{1, nan, 3}},
		"node -1":      {50, -1, []float32{1, 2, 3}},
		"node 2147483": {0, 2147483647, []float32{1, 2, 3}},
		"node -3":      {-3, 1, []float32{1, 2, 3}},
	} {
		if _, err := s.Score(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, expected %q", e, err, want)
		}
	}
	if s.model.states.nodes != 9 {
		t.Errorf("room for %d nodes after events that were refused, expected 9", s.model.states.nodes)
	}
	if _, err := s.Link(0, 1); err == nil {
		t.Error("a classifier scores links")
	}
	for want, options := range map[string]string{
		"buckets":    `{"embedding": "buckets"}`,
		"size":       `{"size": 1}`,
		"unknown":    `{"sise": 8}`,
		"does not f": `{"size": 16, "blocks": 4}`,
	} {
		_, path := trainedOn(t, protocol.NodeClassification, o, 9, 3, options)
		if _, err := OpenScorer(path); err == nil {
			t.Errorf("%s: no error (%s)", options, want)
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, expected the file's name", options, err)
		}
	}
}

// TestScorerForgetsRefused: an event of a new node whose answer is not finite
// leaves nothing behind, neither a state nor room for one.
func TestScorerForgetsRefused(t *testing.T) {
	const nodes, f = 9, 3
	for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
		o := Defaults()
		o.Size, o.Blocks = 8, 4
		_, path := trainedOn(t, task, o, nodes, f, `{"size": 8, "blocks": 4}`)
		s, err := OpenScorer(path)
		if err != nil {
			t.Fatal(err)
		}
		good := s.model.Snapshot(models.Everything)
		bad := s.model.Snapshot(models.Parameters)
		for i := range bad.Params {
			if strings.HasPrefix(bad.Params[i].Name, "head.") {
				bad.Params[i].F32 = slices.Repeat([]float32{3e38}, len(bad.Params[i].F32))
			}
		}
		if err := s.model.Restore(bad); err != nil {
			t.Fatal(err)
		}
		if p, err := s.Score(Event{2, 100, []float32{1, 2, 3}}); err == nil {
			t.Fatalf("%s: a score of %v", task, p)
		}
		if err := s.model.Restore(models.Snapshot{Params: good.Params}); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s.model.Snapshot(models.Everything), good) {
			t.Errorf("%s: the event that was refused has changed the scorer", task)
		}
		if _, err := s.Score(Event{2, 100, []float32{1, 2, 3}}); err != nil || s.event.NumNodes <= 100 {
			t.Errorf("%s: the event again: %v, room for %d nodes", task, err, s.event.NumNodes)
		}
	}
}

// TestScorerSideBySide is for the race detector.
func TestScorerSideBySide(t *testing.T) {
	o := Defaults()
	o.Size, o.Blocks = 8, 4
	_, path := trainedOn(t, protocol.LinkPrediction, o, 9, 3, `{"size": 8, "blocks": 4}`)
	s, err := OpenScorer(path)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range int32(4) {
		wg.Go(func() {
			for k := range int32(50) {
				if _, err := s.Score(Event{g, 4 + k, []float32{1, 2, 3}}); err != nil {
					t.Error(err)
				}
				if _, err := s.Link(g, k); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestScorerAllocatesNothing(t *testing.T) {
	o := Defaults()
	_, path := trainedOn(t, protocol.NodeClassification, o, 9, 3, `{}`)
	s, err := OpenScorer(path)
	if err != nil {
		t.Fatal(err)
	}
	e := Event{1, 2, []float32{1, 2, 3}}
	if n := testing.AllocsPerRun(100, func() { s.Score(e) }); n > 0 {
		t.Errorf("%v allocations an event", n)
	}
}

// BenchmarkScorer takes the time of every event by itself: 10,000 nodes, 172
// features.
func BenchmarkScorer(b *testing.B) {
	const nodes, f = 10_000, 172
	_, path := trainedOn(b, protocol.NodeClassification, Defaults(), nodes, f, `{}`)
	s, err := OpenScorer(path)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(6, 6))
	events := make([]Event, 4096)
	for k := range events {
		features := make([]float32, f)
		for c := range features {
			features[c] = float32(r.NormFloat64())
		}
		events[k] = Event{int32(r.IntN(nodes)), int32(r.IntN(nodes)), features}
	}
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for k := range b.N {
		start := time.Now()
		if _, err := s.Score(events[k%len(events)]); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	b.StopTimer()
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Nanoseconds()) / 1e3
	}
	b.ReportMetric(at(.5), "p50-us")
	b.ReportMetric(at(.99), "p99-us")
	b.ReportMetric(at(.999), "p99.9-us")
}
