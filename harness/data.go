package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"dgsbench/datasets"
	"dgsbench/internal/lists"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// LoadDataset reads a registered dataset from the folder dir.
func LoadDataset(name, dir string) (*datasets.Loaded, error) {
	d, err := datasets.Lookup(name)
	if err != nil {
		return nil, err
	}
	return d.Load(dir)
}

// library holds datasets by name. Trials share their parts and must not write to them.
type library map[string]*Cutter

// loadAll reads the datasets of the trials, if they fit into memory together.
func loadAll(trials []specs.Trial, dir string) (library, error) {
	names := lists.Unique(trials, func(t specs.Trial) string { return t.Dataset })
	if err := datasets.CheckRoom(names); err != nil {
		return nil, err
	}
	lib := library{}
	for _, name := range names {
		loaded, err := LoadDataset(name, dir)
		if err != nil {
			return nil, err
		}
		lib[name] = &Cutter{loaded: loaded, dir: dir}
	}
	for _, t := range trials {
		if err := lib[t.Dataset].Check(t); err != nil {
			return nil, err
		}
	}
	return lib, nil
}

// Cutter cuts a dataset into the parts that its trials share. Each cut is made
// once. It is safe for concurrent use.
type Cutter struct {
	loaded *datasets.Loaded
	dir    string   // the data folder
	cuts   sync.Map // from datasets.Cut to func() (datasets.Parts, error)

	sourceOnce  sync.Once // for those below
	source      source
	sourceError error
}

// NewCutter returns a Cutter of a loaded dataset.
func NewCutter(l *datasets.Loaded) *Cutter { return &Cutter{loaded: l} }

// Check returns an error for a trial whose test part is shorter than a batch of its
// evaluation_batch.
func (c *Cutter) Check(t specs.Trial) error {
	events := c.loaded.Stream.Len() - c.loaded.Split.ValEnd
	if size := slices.Max(append([]int{0}, t.Protocol.EvaluationBatch...)); size > events {
		return fmt.Errorf("suite %q, evaluation_batch: the test part of %s has %d events, expected batches of at most that, found %d", t.Suite, t.Dataset, events, size)
	}
	return nil
}

// Parts returns the parts for the trial's setting, its model's need for
// features and, where features are derived from what comes before a batch, its
// batch size. The trial must be of the Cutter's dataset.
func (c *Cutter) Parts(t specs.Trial) (datasets.Parts, error) {
	if err := c.Check(t); err != nil {
		return datasets.Parts{}, err
	}
	cut := datasets.Cut{
		Setting:      cmp.Or(t.Setting, protocol.Transductive), // classification has no other setting
		NeedFeatures: t.Kind.Features == models.FeaturesRequired,
		Velocity:     t.Velocity,
	}
	if t.Protocol.DerivedFeatures == specs.BeforeBatch && (cut.Velocity || c.loaded.Dataset.LooksBack(cut.NeedFeatures)) {
		cut.Batch = t.Protocol.Batch
	}
	parts, _ := c.cuts.LoadOrStore(cut, sync.OnceValues(func() (datasets.Parts, error) { return c.loaded.Parts(cut) }))
	return parts.(func() (datasets.Parts, error))()
}

// WithoutTest ends the stream before the test part.
func WithoutTest(p datasets.Parts) datasets.Parts {
	end := p.Whole.Len() - p.Test.Len()
	p.Whole, p.Test = p.Whole.Slice(0, end), p.Whole.Slice(end, end)
	return p
}

// delayNotes say when labels are known, if that is not at once.
func delayNotes(t specs.Trial) []string {
	if t.Task != protocol.NodeClassification || t.Protocol.LabelDelay == 0 {
		return nil
	}
	return []string{fmt.Sprintf("a label is known %d s after its event; training and selection use no others, and the test scores all events", t.Protocol.LabelDelay)}
}

// featureNotes say which features a model is given that are not the file's, in a trial
// of a number of sizes of evaluation batches.
func featureNotes(p datasets.Parts, d datasets.Dataset, sizes int) (notes []string) {
	if p.Substituted {
		columns := lists.Map(d.Substitute, datasets.Derived.String)
		notes = append(notes, "in place of features it is given "+strings.Join(columns, ", "))
	}
	if p.Velocity {
		notes = append(notes, "its features are followed by velocity counts: "+datasets.Velocity().String())
	}
	if sizes > 1 && (p.Velocity || p.Substituted) {
		notes = append(notes, "features that depend on earlier events are of all of these, whatever the evaluation batch: states alone get old")
	}
	if p.Batch > 0 {
		notes = append(notes, "features that depend on earlier events do not include events of their own batch")
	}
	return notes
}
