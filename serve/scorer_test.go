package serve

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dgsbench/datasets"
	"dgsbench/internal/strictyaml"
	"dgsbench/models"
	_ "dgsbench/models/external" // a kind that starts programs
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// subject is a kind of model with a spec of some options.
type subject struct{ kind, options string }

var classifiers = []subject{
	{"dgs", `{"size": 8, "blocks": 4}`}, {"dgs", `{"size": 8, "blocks": 4, "embedding": "buckets", "buckets": 4}`}, {"graphsprints", "{}"},
	{"tgn", `{"embedding": "identity"}`}, {"tgn", `{"embedding": "attention"}`}, {"jodie", "{}"}, {"raw", "{}"}, {"user-age", "{}"},
}

func (s subject) String() string { return s.kind + " " + s.options }

// model returns one that has met the stream, and the file of it.
func (s subject) model(t testing.TB, task protocol.Task, stream datasets.Stream) (models.Model, string) {
	t.Helper()
	return s.modelOf(t, task, stream, nil)
}

// modelOf is model, of a stream of records.
func (s subject) modelOf(t testing.TB, task protocol.Task, stream datasets.Stream, in *models.Input) (models.Model, string) {
	t.Helper()
	kind, err := models.Lookup(s.kind)
	if err != nil {
		t.Fatal(err)
	}
	o := kind.Options()
	decode(t, s.options, o)
	setup := models.Setup{
		Task: task, NumNodes: stream.NumNodes, NumFeat: stream.NumFeat, MaxBatch: stream.Len(), Threads: 1, Seed: 3, Train: stream.WithoutLabels(),
	}
	m, err := kind.New(setup, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Observe(stream.WithoutLabels()); err != nil {
		t.Fatal(err)
	}
	file := models.Save(m, kind, setup, o, `{"kind": "`+s.kind+`", "task": "`+string(task)+`", "options": `+s.options+`}`)
	file.Events, file.Time, file.Input = stream.Len(), stream.Time[stream.Len()-1], in
	data, err := file.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return m, path
}

// eventOf returns event k of a stream.
func eventOf(s datasets.Stream, k int) Event {
	return Event{Source: s.Src[k], Destination: s.Dst[k], Time: s.Time[k], Features: s.Features(k)}
}

// TestScoresAreTheModels: one event at a time a Scorer says what the model says in
// batches of one, also after Save and Open, and with room made meanwhile.
func TestScoresAreTheModels(t *testing.T) {
	stream := modeltest.Random(8, 60)
	known := stream.Slice(0, 20)
	for _, c := range classifiers {
		t.Run(c.String(), func(t *testing.T) {
			m, path := c.model(t, protocol.NodeClassification, known)
			s, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for k := 20; k < stream.Len(); k++ {
				switch k {
				case 30: // the numbers of nodes that nobody has
					e := eventOf(stream, k)
					e.Source = int32(3 * stream.NumNodes)
					copyOf, err := Open(path, Options{})
					if err != nil {
						t.Fatal(err)
					}
					if _, err := copyOf.Score(e); err != nil {
						t.Fatal(err)
					}
					s.room(e.Source)
				case 40:
					again := filepath.Join(t.TempDir(), "again.safetensors")
					if err := s.Save(again); err != nil {
						t.Fatal(err)
					}
					if s, err = Open(again, Options{Nodes: 100}); err != nil {
						t.Fatal(err)
					}
				}
				logits := make([]float32, 1)
				if err := m.Classify(stream.Slice(k, k+1).WithoutLabels(), logits); err != nil {
					t.Fatal(err)
				}
				want := float64(logits[0])
				if s.saved.Kind.LogOdds {
					want = 1 / (1 + math.Exp(-want))
				}
				if got, err := s.Score(eventOf(stream, k)); got != want || err != nil {
					t.Fatalf("event %d: %v, %v, the model says %v", k, got, err, want)
				}
			}
			if s.saved.Events != stream.Len() || s.saved.Time != stream.Time[stream.Len()-1] {
				t.Errorf("%d events, the last at %v s", s.saved.Events, s.saved.Time)
			}
		})
	}
}

// TestLinks: scores of pairs are those of the model, and change nothing.
func TestLinks(t *testing.T) {
	stream := modeltest.Random(8, 40)
	destinations := []int32{1, 4, int32(stream.NumNodes) - 1}
	for _, c := range []subject{{"dgs", `{"size": 8, "blocks": 4}`}, {"tgn", "{}"}, {"recency-decay", "{}"}} {
		m, path := c.model(t, protocol.LinkPrediction, stream.Slice(0, 30))
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, got := make([]float32, len(destinations)), make([]float32, len(destinations))
		for k := 30; k < stream.Len(); k++ {
			b := stream.Slice(k, k+1).WithoutLabels()
			if err := m.Score(b.WithFeatures(nil, 0), destinations, want); err != nil {
				t.Fatal(err)
			}
			if err := m.Observe(b); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := s.Links(b.Src[0], b.Time[0], destinations, got); err != nil || !slices.Equal(got, want) {
					t.Fatalf("%s, event %d: %v, %v, expected %v", c, k, got, err, want)
				}
			}
			if err := s.Observe(eventOf(stream, k)); err != nil {
				t.Fatal(err)
			}
		}
		for _, bad := range [][]int32{nil, {4, 1}, {1, 1}, {-1}} {
			if err := s.Links(0, 1e6, bad, make([]float32, len(bad))); err == nil {
				t.Errorf("%s: destinations %v: no error", c, bad)
			}
		}
		if _, err := s.Score(eventOf(stream, 0)); err == nil {
			t.Errorf("%s: a model of links classifies", c)
		}
	}
}

// TestRefused: an event that cannot be answered is an error, which changes nothing.
func TestRefused(t *testing.T) {
	stream := modeltest.Random(8, 30)
	for _, c := range classifiers {
		_, path := c.model(t, protocol.NodeClassification, stream.Slice(0, 20))
		s, err := Open(path, Options{MaxNodes: 1000})
		if err != nil {
			t.Fatal(err)
		}
		saved := func() string {
			to := filepath.Join(t.TempDir(), "saved")
			if err := s.Save(to); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(to)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		before := saved()
		good := eventOf(stream, 25)
		with := func(change func(*Event)) Event {
			e := good
			e.Features = slices.Clone(e.Features)
			change(&e)
			return e
		}
		inf := float32(math.Inf(1))
		for want, e := range map[string]Event{
			"features, the model":      with(func(e *Event) { e.Features = e.Features[1:] }),
			"feature 1 is":             with(func(e *Event) { e.Features[1] = float32(math.NaN()) }),
			"expected a number":        with(func(e *Event) { e.Features[0] = inf }),
			"node -1":                  with(func(e *Event) { e.Source = -1 }),
			"node 1000, expected 0":    with(func(e *Event) { e.Destination = 1000 }),
			"time NaN":                 with(func(e *Event) { e.Time = math.NaN() }),
			"that of the event before": with(func(e *Event) { e.Time = stream.Time[10] - 1 }),
		} {
			if p, err := s.Score(e); err == nil || p != 0 || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, %v, expected %q", c, p, err, want)
			}
		}
		if saved() != before {
			t.Errorf("%s: events that were refused have changed the file", c)
		}
		if _, err := s.Score(good); err != nil {
			t.Errorf("%s: then a good one: %v", c, err)
		}
	}
}

// TestProgramsAreNotStarted: a file does not choose what is run.
func TestProgramsAreNotStarted(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.safetensors")
	spec := `{"kind": "external", "task": "nc", "options": {"command": ["touch", "` + dir + `/started"]}}`
	if err := models.WriteCheckpoint(path, models.Snapshot{}, map[string]string{models.SpecKey: spec, "model": `{"nodes": 1}`}); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), "does not start") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
		t.Error("a program was started")
	}
}

// TestBackwards: an earlier event counts as at the time of the one before it.
func TestBackwards(t *testing.T) {
	stream := modeltest.Random(8, 30)
	_, path := subject{"jodie", "{}"}.model(t, protocol.NodeClassification, stream.Slice(0, 20))
	var scores []float64
	for _, time := range []float64{stream.Time[19], stream.Time[19] - 1000, -1e9} {
		s, err := Open(path, Options{Backwards: true})
		if err != nil {
			t.Fatal(err)
		}
		e := eventOf(stream, 20)
		e.Time = time
		p, err := s.Score(e)
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, p)
	}
	if scores[0] != scores[1] || scores[0] != scores[2] {
		t.Errorf("scores %v, expected one", scores)
	}
}

// TestSideBySide is for the race detector.
func TestSideBySide(t *testing.T) {
	stream := modeltest.Random(8, 30)
	_, path := subject{"dgs", `{"size": 8, "blocks": 4}`}.model(t, protocol.NodeClassification, stream)
	s, err := Open(path, Options{Backwards: true})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range int32(4) {
		wg.Go(func() {
			for k := range int32(50) {
				if _, err := s.Score(Event{Source: g, Destination: 4 + k, Features: stream.Features(0)}); err != nil {
					t.Error(err)
				}
				if err := s.Observe(Event{Source: g, Destination: 4 + k, Features: stream.Features(1)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if s.saved.Events != 30+400 {
		t.Errorf("%d events", s.saved.Events)
	}
}

func TestScoreAllocatesNothing(t *testing.T) {
	stream := modeltest.Random(8, 30)
	for _, c := range classifiers {
		_, path := c.model(t, protocol.NodeClassification, stream)
		s, err := Open(path, Options{Backwards: true})
		if err != nil {
			t.Fatal(err)
		}
		e := eventOf(stream, 1)
		if n := testing.AllocsPerRun(100, func() { s.Score(e) }); n > 0 {
			t.Errorf("%s: %v allocations an event", c, n)
		}
	}
}

// BenchmarkScorer takes the time of every event by itself: Deep-Graph-Sprints with the
// default options, 10,000 nodes, 172 features. It leaves the model in the file that
// DGSBENCH_SCORER_MODEL names, so that peers/scoring.py can time the same one.
func BenchmarkScorer(b *testing.B) {
	const nodes, f = 10_000, 172
	r := rand.New(rand.NewPCG(6, 6))
	stream := datasets.Stream{NumNodes: nodes, NumFeat: f}
	for k := range 4096 {
		stream.Src, stream.Dst = append(stream.Src, int32(r.IntN(nodes))), append(stream.Dst, int32(r.IntN(nodes)))
		stream.Time, stream.Label = append(stream.Time, float64(k)), append(stream.Label, 0)
		for range f {
			stream.Feat = append(stream.Feat, float32(r.NormFloat64()))
		}
	}
	_, path := subject{"dgs", "{}"}.model(b, protocol.NodeClassification, stream)
	s, err := Open(path, Options{Backwards: true})
	if err != nil {
		b.Fatal(err)
	}
	if to := os.Getenv("DGSBENCH_SCORER_MODEL"); to != "" {
		if err := s.Save(to); err != nil {
			b.Fatal(err)
		}
	}
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for k := range b.N {
		start := time.Now()
		if _, err := s.Score(eventOf(stream, k%stream.Len())); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	b.StopTimer()
	slices.Sort(took)
	for _, q := range []struct {
		share float64
		name  string
	}{{.5, "p50-us"}, {.99, "p99-us"}, {.999, "p99.9-us"}} {
		b.ReportMetric(float64(took[int(q.share*float64(len(took)-1))].Nanoseconds())/1e3, q.name)
	}
}

// decode sets options as a spec does.
func decode(t testing.TB, text string, o models.Options) {
	t.Helper()
	n, err := strictyaml.Parse("options", []byte(text))
	if err == nil {
		err = n.Decode(o)
	}
	if err != nil {
		t.Fatal(err)
	}
}
