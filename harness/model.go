package harness

import (
	"fmt"
	"io"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// Blueprint says how a model is built, and how much memory it takes. Running,
// planning, tuning and timing build all of their models from one.
type Blueprint struct {
	Kind    models.Kind
	Options models.Options
	Setup   models.Setup // but for Device
	Open    func(threads int) (kernels.Device, error)

	target  devices.Target
	devices []kernels.Device // of the model that Build returned last
	built   []models.Model   // that have something to close
}

// NewBlueprint returns the Blueprint of a kind of model on a target.
func NewBlueprint(kind models.Kind, o models.Options, s models.Setup, on devices.Target) *Blueprint {
	return &Blueprint{Kind: kind, Options: o, Setup: s, Open: on.New, target: on}
}

// TrialBlueprint returns the Blueprint of a trial's model.
func TrialBlueprint(t specs.Trial, p datasets.Parts, on devices.Target, threads int) *Blueprint {
	s := models.Setup{
		Task: t.Task, NumNodes: p.Whole.NumNodes, Users: p.Whole.Users, NumFeat: p.Whole.NumFeat, Columns: p.Columns,
		MaxBatch: min(t.Protocol.MaxBatch(), max(1, p.Whole.Len())), Events: p.Whole.Len(),
		Train: p.Train.WithoutLabels(), Seed: t.Seed, Threads: threads, Snapshots: whySnapshots(t, p),
	}
	if t.Kind.Fit != nil {
		s.Fitted = p.Fitted(fmt.Sprintf("%s %s", t.Kind.Name, t.OptionsJSON()), func() [][]float64 { return t.Kind.Fit(s, t.Options) })
	}
	return NewBlueprint(t.Kind, t.Options, s, on)
}

// whySnapshots says what a trial takes and restores snapshots for, if it does.
func whySnapshots(t specs.Trial, p datasets.Parts) string {
	shared := slices.ContainsFunc(t.Protocol.Evaluations(), func(e specs.Evaluation) bool { return e.Shared })
	switch {
	case t.IsLatency():
		return "a latency test restores the state before each iteration"
	case shared:
		return "several evaluations start from the same state"
	case selectsBest(t, p):
		return "the best epoch is tested"
	}
	return ""
}

// whyCheckpoint says what a trial takes a snapshot for where checkpoints are kept.
func whyCheckpoint(kept bool) string {
	if kept {
		return "--checkpoints keeps the model"
	}
	return ""
}

// Build makes the model.
func (b *Blueprint) Build() (models.Model, error) {
	b.devices = nil
	setup := b.Setup
	setup.Device = func(threads int) (kernels.Device, error) {
		d, err := b.Open(threads)
		if err == nil {
			b.devices = append(b.devices, d)
		}
		return d, err
	}
	m, err := b.Kind.New(setup, b.Options)
	if _, ok := m.(io.Closer); ok {
		b.built = append(b.built, m)
	}
	return m, err
}

// Close closes all models that were built and are not closed yet.
func (b *Blueprint) Close() {
	for _, m := range b.built {
		models.Close(m)
	}
	b.built = nil
}

// Device returns the device of the model that was built last, or nil if it has none.
func (b *Blueprint) Device() kernels.Device {
	if len(b.devices) == 0 {
		return nil
	}
	return b.devices[len(b.devices)-1]
}

// PeakMemory returns the most bytes that the devices of the model have taken of
// a memory of their own; 0 on the processor.
func (b *Blueprint) PeakMemory() (bytes int64) {
	for _, d := range b.devices {
		bytes += kernels.PeakMemory(d)
	}
	return bytes
}

// Bytes returns the memory that the model takes, or 0 if its kind does not say.
func (b *Blueprint) Bytes() int64 {
	if b.Kind.Bytes == nil {
		return 0
	}
	return b.Kind.Bytes(b.Setup, b.Options)
}

// HostBytes returns how much of Bytes is of the machine's memory: none where
// devices have memory of their own.
func (b *Blueprint) HostBytes() int64 {
	if b.target.SeparateMemory() {
		return 0
	}
	return b.Bytes()
}

// trialBytes returns what a trial takes of the memory that trials on the device
// share: its model, and in the machine's memory also the evaluation and copies
// of the model for the best epoch or for tests from one state, and for a checkpoint.
func trialBytes(t specs.Trial, p datasets.Parts, on devices.Target, checkpoint bool) int64 {
	b := TrialBlueprint(t, p, on, 1)
	bytes := b.Bytes()
	if on.SeparateMemory() {
		return bytes
	}
	bytes += evaluationBytes(t, p)
	b.Setup.Inference = true // snapshots have no derivatives
	if evaluations := t.Protocol.Evaluations(); selectsBest(t, p) || evaluations[len(evaluations)-1].Shared {
		bytes += b.Bytes()
	}
	if checkpoint {
		bytes += b.Bytes()
	}
	return bytes
}

// selectsBest reports whether the best epoch of the trial is tested.
func selectsBest(t specs.Trial, p datasets.Parts) bool {
	return (t.Protocol.Select == specs.SelectBest || t.Kind.Choices != nil) && epochsOf(t, p.Whole.NumFeat) > 0
}

// Bytes of an event in an evaluation.
const (
	scoreBytes  = 4         // the label is the stream's
	countBytes  = 4 + 4 + 4 // greater, equal and against; for each set of candidates
	metricBytes = 8 + 4     // a prepared metric and weights
	storedBytes = 3         // factor: copies of the facts while they are packed, as the archive grows by doubling
	filterBytes = 24 + 160  // the list of other destinations of the source at the time, and its entry in a half-full map
)

// evaluationBytes returns what all evaluations of a trial take: candidates, facts,
// those of the best epoch, a metric, the filter, and the packed facts.
func evaluationBytes(t specs.Trial, p datasets.Parts) int64 {
	links := t.Task == protocol.LinkPrediction
	val, test, fact := int64(p.Val.Len()), int64(p.Test.Len()), int64(scoreBytes)
	longest, sets := max(val, test), int64(len(t.Protocol.Candidates))
	if links {
		val, test, fact = int64(p.NumScored(p.Val)), int64(p.NumScored(p.Test)), sets*countBytes
	}
	stored := int64(0)
	for _, e := range t.Protocol.Evaluations() {
		if stored += test; !e.Shared {
			stored += val
		}
	}
	bytes := stored*(fact+storedBytes*fact) + max(val, test)*metricBytes
	if selectsBest(t, p) {
		bytes += val * fact
	}
	if !links {
		return bytes + stored*storedBytes // labels
	}
	nodes := int64(p.Whole.NumNodes)
	bytes += sets * nodes * (4 + 1)
	if t.Protocol.ValNegatives > 0 {
		bytes += nodes * 8 // a permutation of them
	}
	if t.Protocol.Filter == specs.FilterSameSrcT {
		bytes += longest * filterBytes
	}
	return bytes
}
