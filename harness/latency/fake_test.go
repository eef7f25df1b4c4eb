package latency

import (
	"errors"
	"math"
	"runtime"
	"testing"
	"time"
	"weak"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// Sizes of the test's stream and protocol.
const (
	streamEvents = 4000
	fakeBatch    = 20
	fakeBatches  = 25
	fakeLead     = 3 // batches
)

var fakeProtocol = specs.Latency{Batches: fakeBatches, Iterations: 5, Warmups: 1, Lead: fakeLead * fakeBatch}

func fakeStream() datasets.Stream {
	s := datasets.Stream{NumNodes: 30, Users: 20, NumFeat: 2}
	for k := range streamEvents {
		s.Src, s.Dst = append(s.Src, int32(k*7%20)), append(s.Dst, int32(20+k*3%10))
		s.Time, s.Label = append(s.Time, float64(k)), append(s.Label, int8(k%2))
		s.Feat = append(s.Feat, float32(k%5)-2, float32(k%3)-1)
	}
	return s
}

// order is which fake was put back, one entry an iteration.
var order []string

// fake is a whole model, if a small one: its answers depend on everything
// that it has seen. misbehave is called in every Classify.
type fake struct {
	models.Offline
	name      string
	seen      float32
	misbehave func(*fake, []float32)

	answers  int // since it was made
	restored int // times
	since    int // answers since it was put back
	kept     []byte
}

var _ models.Model = (*fake)(nil)

func (f *fake) Classify(b datasets.Stream, logits []float32) error {
	f.answers++
	f.since++
	for start := time.Now(); time.Since(start) < 20*time.Microsecond; {
	}
	for k := range b.Len() {
		logits[k] = f.seen + b.Feat[k*b.NumFeat]
	}
	f.misbehave(f, logits)
	return f.Observe(b)
}

func (f *fake) Observe(b datasets.Stream) error {
	for _, u := range b.Src {
		f.seen = f.seen*.9 + float32(u)
	}
	return nil
}

func (f *fake) Snapshot(models.Part) models.Snapshot {
	return models.Snapshot{State: []models.Tensor{{Name: "seen", Shape: []int{1}, F32: []float32{f.seen}}}}
}

func (f *fake) Restore(s models.Snapshot) error {
	f.seen = s.State[0].F32[0]
	f.restored++
	f.since = 0
	order = append(order, f.name)
	return nil
}

func (f *fake) Train(datasets.Stream, []int32) (float64, error) { return 0, models.ErrTask }

func (f *fake) Rank(datasets.Stream, models.Candidates, models.Counts) error { return models.ErrTask }

func (f *fake) Score(datasets.Stream, []int32, []float32) error { return models.ErrTask }

func (f *fake) Reset() { f.seen = 0 }

func (f *fake) NumParams() int { return 0 }

// forgetful does not put its state back.
type forgetful struct{ *fake }

func (f forgetful) Restore(s models.Snapshot) error {
	seen := f.seen
	err := f.fake.Restore(s)
	if f.restored > 2 {
		f.seen = seen + 1
	}
	return err
}

// silentLater writes no answers when timed.
type silentLater struct{ *fake }

func (f silentLater) Classify(b datasets.Stream, logits []float32) error {
	if f.restored > 2 {
		return f.Observe(b)
	}
	return f.fake.Classify(b, logits)
}

// litterer leaves garbage when it is put back, and errs where it is still
// there when it answers.
type litterer struct {
	*fake
	litter weak.Pointer[[1 << 10]byte]
}

func (f *litterer) Restore(s models.Snapshot) error {
	f.litter = weak.Make(new([1 << 10]byte))
	return f.fake.Restore(s)
}

func (f *litterer) Classify(b datasets.Stream, logits []float32) error {
	if err := f.fake.Classify(b, logits); err != nil {
		return err
	}
	if f.restored > 1 && f.litter.Value() != nil {
		return errors.New("there is garbage from before the clock started")
	}
	return nil
}

// heavy has a lean form to be measured.
type heavy struct{ *fake }

func (f heavy) Deploy() (models.Model, error) {
	return &fake{name: "lean", seen: f.seen, misbehave: f.misbehave}, nil
}

// faults are ways to make a time dishonest. An instance is put back once when
// it is built and once an iteration, the first of which warms up.
var faults = map[string]func(*fake, []float32){
	"good":      func(*fake, []float32) {},
	"good too":  func(*fake, []float32) {},
	"forgetful": func(*fake, []float32) {},
	"allocates": func(f *fake, _ []float32) { f.kept = make([]byte, 64) },
	"makes a buffer late": func(f *fake, _ []float32) {
		if f.restored == 4 && f.since == fakeLead+5 {
			f.kept = make([]byte, 1<<20)
		}
	},
	"collects garbage": func(f *fake, _ []float32) {
		if f.since == fakeLead+5 {
			runtime.GC()
		}
	},
	"is slow at its very first answer": func(f *fake, _ []float32) {
		if f.answers == 1 {
			time.Sleep(100 * time.Millisecond)
		}
	},
	"starts cold": func(f *fake, _ []float32) {
		if f.since == fakeLead+1 {
			time.Sleep(5 * time.Millisecond)
		}
	},
	"is slow in the first timed iteration": func(f *fake, _ []float32) {
		if f.restored == 3 && f.since == fakeLead+5 {
			time.Sleep(200 * time.Millisecond)
		}
	},
	"errs at the very end when timed": func(f *fake, logits []float32) {
		if f.restored > 2 && f.since == fakeLead+fakeBatches {
			logits[fakeBatch-1]++
		}
	},
	"silent when timed": func(*fake, []float32) {},
	"litterer":          func(*fake, []float32) {},
	"heavy":             func(*fake, []float32) {},
	"prophet":           func(*fake, []float32) {},
	"prophet that errs": func(f *fake, logits []float32) {
		if f.restored > 2 {
			logits[3]++
		}
	},
	"infinite": func(_ *fake, logits []float32) { logits[0] = float32(math.Inf(1)) },
	"panicking": func(f *fake, logits []float32) {
		if f.restored > 2 {
			logits[len(logits)] = 0
		}
	},
	"panicking at once": func(_ *fake, logits []float32) { logits[len(logits)] = 0 },
	"answers differently when timed": func(f *fake, logits []float32) {
		if f.restored > 2 {
			logits[3]++
		}
	},
}

func loadFake(t *testing.T) *datasets.Loaded {
	t.Helper()
	d, err := datasets.Lookup("fake")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := d.Load("")
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func TestMain(m *testing.M) {
	d := datasets.Dataset{
		Name: "fake", Title: "fake", Split: datasets.ByRow(.6, .8), HeldOut: datasets.SampleHeldOut(1), Labelled: true,
		Open:    func(string) (datasets.Stream, string, error) { return fakeStream(), "0123", nil },
		SizesOf: "Wikipedia",
	}
	datasets.Register(d)
	d.Name, d.Features = "underivable", []datasets.Derived{datasets.Log1p(0)} // of -2
	datasets.Register(d)
	models.Register(models.Kind{
		Name: "vast", Class: protocol.Learned, Tasks: []protocol.Task{protocol.NodeClassification},
		Options: func() models.Options { return noOptions{} },
		Bytes:   func(models.Setup, models.Options) int64 { return 1 << 58 },
		New:     func(models.Setup, models.Options) (models.Model, error) { panic("built") },
	})
	for name, misbehave := range faults {
		models.Register(models.Kind{
			Name: name, Class: protocol.Learned, Tasks: []protocol.Task{protocol.NodeClassification},
			Options: func() models.Options { return noOptions{} },
			New: func(models.Setup, models.Options) (models.Model, error) {
				f := &fake{name: name, misbehave: misbehave}
				switch name {
				case "forgetful":
					return forgetful{f}, nil
				case "silent when timed":
					return silentLater{f}, nil
				case "litterer":
					return &litterer{fake: f}, nil
				case "heavy":
					return heavy{f}, nil
				case "prophet", "prophet that errs":
					return prophet{f}, nil
				}
				return f, nil
			},
		})
	}
	m.Run()
}

type noOptions struct{}

func (noOptions) Validate() error { return nil }

func trial(kind string) specs.Trial {
	k, err := models.Lookup(kind)
	if err != nil {
		panic(err)
	}
	p := specs.DefaultProtocol()
	p.Batch, p.Latency = fakeBatch, &fakeProtocol
	return specs.Trial{
		Suite: "fakes", Dataset: "fake", Task: protocol.NodeClassification, ModelID: kind, Kind: k, Title: kind,
		Options: noOptions{}, Protocol: p,
	}
}
