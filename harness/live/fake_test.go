package live

import (
	"context"
	"slices"
	"testing"
	"time"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// fake answers with what it has seen, so that answers tell from which state they were made.
type fake struct {
	models.NoLinks
	seen float32
	told []int // numbers of the events whose labels it was given, since Reset
	// before is called before each answer to a batch.
	before    func(f *fake, b datasets.Stream)
	crossings int // of one event
}

func (f *fake) Train(b datasets.Stream, _ []int32) (float64, error) {
	return 0, f.Observe(b)
}

func (f *fake) Classify(b datasets.Stream, logits []float32) error {
	if f.before != nil {
		f.before(f, b)
	}
	for k := range b.Len() {
		logits[k] = f.seen + b.Feat[k*b.NumFeat]
	}
	return f.Observe(b)
}

// Observe depends on how events are cut into batches.
func (f *fake) Observe(b datasets.Stream) error {
	f.seen *= .9
	for _, u := range b.Src {
		f.seen += float32(u)
	}
	return nil
}

func (f *fake) Learn(events datasets.Stream, _ []int8) error {
	for k := range events.Len() {
		f.told = append(f.told, events.EventID(k))
	}
	return nil
}

func (f *fake) Reset()         { f.seen, f.told = 0, nil }
func (f *fake) NumParams() int { return 0 }

func (f *fake) Snapshot(models.Part) models.Snapshot {
	told := make([]int64, len(f.told))
	for i, k := range f.told {
		told[i] = int64(k)
	}
	return models.Snapshot{State: []models.Tensor{{Name: "seen", Shape: []int{1}, F32: []float32{f.seen}}, {Name: "told", Shape: []int{len(told)}, I64: told}}}
}

func (f *fake) Restore(s models.Snapshot) error {
	f.seen, f.told = s.State[0].F32[0], nil
	for _, k := range s.State[1].I64 {
		f.told = append(f.told, int(k))
	}
	return nil
}

// fakes are kinds of models, by what they do before an answer.
var fakes = map[string]func(*fake, datasets.Stream){
	"steady": nil,
	"stalling": func(f *fake, b datasets.Stream) { // in the third pass of a point, after 4 sizes of batches
		if first := b.EventID(0); first <= 5_000 && 5_000 < first+b.Len() {
			if f.crossings++; f.crossings == 7 {
				time.Sleep(100 * time.Millisecond)
			}
		}
	},
	"slow":      func(_ *fake, b datasets.Stream) { time.Sleep(time.Duration(b.Len()) * 2 * time.Millisecond) },
	"panicking": func(*fake, datasets.Stream) { panic("here") },
	"writing":   func(_ *fake, b datasets.Stream) { b.Src[0]++ },
	"witness": func(f *fake, b datasets.Stream) {
		witnessed = append(witnessed, moment{b.EventID(0), slices.Clone(f.told)})
	},
}

// moment is an answer of the kind witness: the number of its first event, and of those whose labels
// it knows.
type moment struct {
	first int
	told  []int
}

var witnessed []moment

// streamEvents have a second between them; the test part is the last 1,200.
const streamEvents = 6000

func fakeStream() datasets.Stream {
	s := datasets.Stream{NumNodes: 30, Users: 20, NumFeat: 2}
	for k := range streamEvents {
		s.Src, s.Dst = append(s.Src, int32(k*7%20)), append(s.Dst, int32(20+k*3%10))
		s.Time, s.Label = append(s.Time, float64(k)), append(s.Label, int8(k%2))
		s.Feat = append(s.Feat, float32(k%5)-2, float32(k%3)-1)
	}
	return s
}

func TestMain(m *testing.M) {
	datasets.Register(datasets.Dataset{
		Name: "fake", Title: "fake", Split: datasets.ByRow(.6, .8), HeldOut: datasets.SampleHeldOut(1), Labelled: true,
		Open: func(string) (datasets.Stream, string, error) { return fakeStream(), "0123", nil },
	})
	for name, before := range fakes {
		models.Register(models.Kind{
			Name: name, Class: protocol.ZeroParameter, Tasks: []protocol.Task{protocol.NodeClassification},
			Options: func() models.Options { return &models.NoOptions{} },
			New:     func(models.Setup, models.Options) (models.Model, error) { return &fake{before: before}, nil },
		})
	}
	m.Run()
}

// trial returns a live test of a kind.
func trial(kind string, l specs.Live) specs.Trial {
	k, err := models.Lookup(kind)
	if err != nil {
		panic(err)
	}
	p := specs.DefaultProtocol()
	p.Batch, p.Live = 50, &l
	return specs.Trial{
		Suite: "fakes", Dataset: "fake", Task: protocol.NodeClassification, Case: l.Case(), ModelID: kind, Kind: k, Title: kind,
		Options: k.Options(), Protocol: p,
	}
}

// run measures a test and returns its record with the answers.
func run(t *testing.T, store record.Store, test specs.Trial) Measured {
	t.Helper()
	var out Measured
	p := Plan{Trials: []specs.Trial{test}, Device: devices.Target{}, Threads: 1, Store: store}
	err := Run(context.Background(), p, Hooks{Start: func(int) {}, Step: func(string, time.Duration) {}}, func(all []Measured) error {
		out = all[0]
		return Keep(store, all)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func newStore(t *testing.T) record.Store { return record.Store{Dir: t.TempDir()} }
