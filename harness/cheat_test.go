package harness

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// cheat is a model that knows nothing and answers at random, unless its trick
// gives it what it should not have.
type cheat struct {
	*trick
	logits []float32 // of the batch that was asked last
	rng    *rand.Rand
}

// trick is what a cheat is built from: its options.
type trick struct {
	name string
	done bool // what it tells of the truth was there
}

func (*trick) Validate() error { return nil }

func init() {
	models.Register(models.Kind{
		Name: "cheat", Class: protocol.Learned, Tasks: []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return &trick{} },
		New: func(s models.Setup, o models.Options) (models.Model, error) {
			c := &cheat{trick: o.(*trick), rng: rand.New(rand.NewPCG(1, 2))}
			c.done = s.Train.Truth != nil
			if c.name == "writes to the setup" {
				s.Train.Time[0]--
			}
			return c, nil
		},
	})
}

func (c *cheat) Train(datasets.Stream, []int32) (float64, error) { return 0, nil }

func (c *cheat) Classify(b datasets.Stream, logits []float32) error {
	for k := range logits {
		logits[k] = c.rng.Float32()
	}
	c.logits = logits
	c.done = c.done || b.Truth != nil
	if c.name == "writes beyond its answers" {
		clear(logits[:cap(logits)])
	}
	return nil
}

func (c *cheat) Learn(_ datasets.Stream, labels []int8) error {
	for k := range min(len(labels), len(c.logits)) {
		switch c.name {
		case "answers when the labels are known":
			c.logits[k] = float32(labels[k])
		case "writes to labels":
			labels[k] = 0
			if c.logits[k] > .5 {
				labels[k] = 1
			}
		}
	}
	return nil
}

func (c *cheat) Rank(b datasets.Stream, among models.Candidates, out models.Counts) error {
	for k := range out.Greater {
		out.Greater[k], out.Equal[k] = 1, 0
	}
	switch c.name {
	case "writes to candidates":
		among.Nodes[1] = among.Nodes[0]
	case "writes to destinations":
		b.Dst[0] = (b.Dst[0] + 1) % int32(b.NumNodes)
	}
	return nil
}

func (c *cheat) Observe(b datasets.Stream) error {
	if c.name == "writes to features" {
		b.Feat[0]++
	}
	return nil
}

func (*cheat) Score(datasets.Stream, []int32, []float32) error { return models.ErrTask }
func (*cheat) Reset()                                          {}
func (*cheat) Snapshot(models.Part) models.Snapshot            { return models.Snapshot{} }
func (*cheat) Restore(models.Snapshot) error                   { return nil }
func (*cheat) NumParams() int                                  { return 0 }

// knowing is the truth of a stream.
type knowing struct{ datasets.Truth }

// cheating is a trial with a cheat on events whose labels are drawn.
func cheating(t *testing.T, task protocol.Task, tr *trick) job {
	t.Helper()
	s := random(400, 10)
	rng := rand.New(rand.NewPCG(5, 5))
	for k := range s.Label {
		s.Label[k] = int8(rng.IntN(2))
	}
	s.Truth = knowing{}
	l := &datasets.Loaded{Stream: s, Split: datasets.Split{TrainEnd: 100, ValEnd: 200}}
	parts, err := l.Parts(datasets.Cut{Setting: protocol.Transductive})
	if err != nil {
		t.Fatal(err)
	}
	p := specs.DefaultProtocol()
	p.Batch = 20
	kind := kindOf("cheat")
	kind.Class = protocol.ZeroParameter // it is not trained
	return job{parts: parts, trial: specs.Trial{
		Suite: "cheats", Dataset: "toy", ModelID: tr.name, Task: task, Kind: kind, Options: tr, Protocol: p,
	}}
}

// TestCheatsGainNothing: what a model knows too late changes no score.
func TestCheatsGainNothing(t *testing.T) {
	auc := func(name string) float64 {
		j := cheating(t, protocol.NodeClassification, &trick{name: name})
		rec, observed, _, err := measure(context.Background(), j, devices.Target{}, func() {})
		if err != nil || rec.Failed() {
			t.Fatalf("%s: %v %s", name, err, rec.Error)
		}
		r := run{spec: j.trial}
		value := 0.0
		for part, f := range observed {
			if part.Split == "test" {
				if value, err = r.spec.Protocol.SelectedBy(r.spec.Task).Value(f); err != nil {
					t.Fatal(err)
				}
			}
		}
		return value
	}
	honest := auc("")
	for _, name := range []string{"answers when the labels are known", "writes beyond its answers"} {
		if got := auc(name); got != honest {
			t.Errorf("%s: AUC %v, expected %v", name, got, honest)
		}
	}
}

// TestWritesToWhatTrialsShare end the run, because they spoil other trials.
func TestWritesToWhatTrialsShare(t *testing.T) {
	for name, c := range map[string]struct {
		task   protocol.Task
		column string
	}{
		"writes to labels":       {protocol.NodeClassification, "labels"},
		"writes to features":     {protocol.NodeClassification, "features"},
		"writes to the setup":    {protocol.NodeClassification, "times"},
		"writes to destinations": {protocol.LinkPrediction, "destinations"},
	} {
		_, _, _, err := measure(context.Background(), cheating(t, c.task, &trick{name: name}), devices.Target{}, func() {})
		if err == nil || !strings.Contains(err.Error(), "the "+c.column+" of events have changed") {
			t.Errorf("%s: error %v, expected one about %s", name, err, c.column)
		}
	}
	rec, _, _, err := measure(context.Background(), cheating(t, protocol.LinkPrediction, &trick{name: "writes to candidates"}), devices.Target{}, func() {})
	if err != nil || !strings.Contains(rec.Error, "candidates") {
		t.Errorf("written candidates: %v, %q, expected a failed trial", err, rec.Error)
	}
}

// TestTruthIsForOracles: other models are not given it.
func TestTruthIsForOracles(t *testing.T) {
	for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
		tr := &trick{}
		j := cheating(t, task, tr)
		if _, _, _, err := measure(context.Background(), j, devices.Target{}, func() {}); err != nil {
			t.Fatal(err)
		}
		if tr.done {
			t.Errorf("%s: the model is given the truth", task)
		}
	}
}
