package scale

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	_ "dgsbench/models/standard"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// witness is a model that writes down what it is given.
type witness struct {
	models.Model
	*testimony
}

// testimony is what a witness is built from: its options.
type testimony struct {
	FailAt int `yaml:"fail_at"` // number of the event at which it fails, 0 for never

	setup models.Setup
	log   []string // since Reset
}

func (*testimony) Validate() error { return nil }

// witnesses are those that were built, in order.
var witnesses []*testimony

func init() {
	models.Register(models.Kind{
		Name: "witness", Class: protocol.Learned, Tasks: []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Features: models.FeaturesRequired,
		Options:  func() models.Options { return &testimony{} },
		New: func(s models.Setup, o models.Options) (models.Model, error) {
			t := *o.(*testimony)
			t.setup = s
			witnesses = append(witnesses, &t)
			return &witness{testimony: &t}, nil
		},
	})
}

func (w *witness) note(what string, b datasets.Stream) error {
	last := b.EventID(b.Len() - 1)
	if b.Label != nil && !strings.HasPrefix(what, "train") {
		return fmt.Errorf("labels with %s", what)
	}
	w.log = append(w.log, fmt.Sprintf("%s %d-%d", what, b.EventID(0), last))
	if w.FailAt > 0 && last >= w.FailAt {
		return fmt.Errorf("failed at event %d", w.FailAt)
	}
	return nil
}

func (w *witness) Train(b datasets.Stream, negatives []int32) (float64, error) {
	for _, n := range negatives {
		if int(n) < b.Users || int(n) >= b.NumNodes {
			return 0, fmt.Errorf("negative %d is no destination", n)
		}
	}
	return 0, w.note(fmt.Sprintf("train with %d negatives", len(negatives)), b)
}

func (w *witness) Classify(b datasets.Stream, logits []float32) error {
	if len(logits) != b.Len() || len(b.Feat) != b.Len()*b.NumFeat {
		return fmt.Errorf("%d logits and %d features for %d events", len(logits), len(b.Feat), b.Len())
	}
	return w.note("classify", b)
}

func (w *witness) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	if len(out.Greater) != b.Len() || b.NumFeat != 0 {
		return fmt.Errorf("%d counts for %d events with %d features", len(out.Greater), b.Len(), b.NumFeat)
	}
	return w.note(fmt.Sprintf("rank against %d-%d", c.Nodes[0], c.Nodes[len(c.Nodes)-1]), b)
}

func (w *witness) Learn(b datasets.Stream, labels []int8) error {
	return w.note(fmt.Sprintf("learn %d", len(labels)), b)
}

func (w *witness) Observe(b datasets.Stream) error { return w.note("observe", b) }
func (w *witness) Reset()                          { w.log = nil }
func (w *witness) NumParams() int                  { return 3 }

// load finds a model, the witness among them.
func load(t *testing.T, id string) specs.Model {
	t.Helper()
	dir := t.TempDir()
	spec := "id: witness\nmodel: witness\ntitle: Witness\nvariants: {broken: {title: Broken, options: {fail_at: 25}}}\n"
	if err := os.WriteFile(filepath.Join(dir, "witness.yaml"), []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	lib, err := specs.NewLibrary(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := lib.LoadModel(id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sweepsOf reads flags.
func sweepsOf(t *testing.T, texts ...string) (out []Sweep) {
	t.Helper()
	for _, text := range texts {
		s, err := ParseSweep(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// small is a plan that takes no time.
func small(t *testing.T, id string, texts ...string) Plan {
	return Plan{
		Model: load(t, id), Task: protocol.NodeClassification, Mode: Inference,
		Base: Size{Events: 50, Nodes: 40, Features: 2, Batch: 20, Threads: 1}, Sweeps: sweepsOf(t, texts...), Candidates: protocol.Destinations,
	}
}
