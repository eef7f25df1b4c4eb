// Package gap is a model of another module: logistic regression on
// log(1 + seconds since the source's last event).
package gap

import (
	"math"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// Options of the model.
type Options struct {
	LR float64 `yaml:"lr"` // learning rate
}

// Validate returns an error for a value that is out of range.
func (o *Options) Validate() error {
	return models.Expect(o.LR > 0 && o.LR <= 1, "lr", o.LR, "0 < lr <= 1")
}

func init() {
	models.Register(models.Kind{
		Name: "gap", Class: protocol.Learned, Memory: true, Features: models.FeaturesIgnored,
		Deterministic: true, // w starts at zero, and nothing is drawn
		Tasks:         []protocol.Task{protocol.NodeClassification},
		Options:       func() models.Options { return &Options{LR: .05} },
		New: func(s models.Setup, o models.Options) (models.Model, error) {
			m := &model{lr: float32(o.(*Options).LR), w: make([]float32, 2), last: make([]float64, s.NumNodes)}
			m.Reset()
			return m, nil
		},
	})
}

// model has parameters w, slope and bias, and as state the time of each node's
// last event as a source.
type model struct {
	models.Offline
	models.NoLinks
	lr   float32
	w    []float32
	last []float64 // seconds; models.Never for none
}

var _ models.Model = (*model)(nil)

// input returns the feature of event k, from the state before the batch.
func (m *model) input(b datasets.Stream, k int) float32 {
	last := m.last[b.Src[k]]
	if math.IsNaN(last) {
		return 0
	}
	// A state may be later than the batch: of a snapshot, or of a longer run.
	return float32(math.Log1p(max(0, b.Time[k]-last)))
}

// Classify writes logits and folds the batch in, unless a logit is not finite.
func (m *model) Classify(b datasets.Stream, logits []float32) error {
	for k := range b.Len() {
		logits[k] = m.w[0]*m.input(b, k) + m.w[1]
	}
	if err := models.CheckScores(b, logits[:b.Len()]); err != nil {
		return err
	}
	return m.Observe(b)
}

// Train makes one step of gradient descent on the mean cross-entropy of the
// labelled events, then folds the batch in.
func (m *model) Train(b datasets.Stream, _ []int32) (loss float64, err error) {
	if err := models.CheckClock(b); err != nil {
		return 0, err
	}
	var slope, bias float32
	labelled := 0
	for k, label := range b.Label {
		if label == datasets.Unlabelled {
			continue
		}
		labelled++
		x := m.input(b, k)
		z := float64(m.w[0]*x + m.w[1])
		loss += math.Log1p(math.Exp(-math.Abs(z))) + max(z, 0) - float64(label)*z
		g := float32(1/(1+math.Exp(-z))) - float32(label)
		slope, bias = slope+g*x, bias+g
	}
	if labelled > 0 {
		n := float32(labelled)
		next := []float32{m.w[0] - m.lr*slope/n, m.w[1] - m.lr*bias/n}
		if !models.Finite(next[0]) || !models.Finite(next[1]) || math.IsInf(loss, 0) || math.IsNaN(loss) {
			return 0, models.BadState(b)
		}
		copy(m.w, next)
		loss /= float64(labelled)
	}
	return loss, m.Observe(b)
}

// Observe records the times of the batch's sources.
func (m *model) Observe(b datasets.Stream) error {
	if err := models.CheckClock(b); err != nil {
		return err
	}
	for k, u := range b.Src {
		m.last[u] = b.Time[k]
	}
	return nil
}

// Reset forgets the times.
func (m *model) Reset() {
	for i := range m.last {
		m.last[i] = models.Never
	}
}

// Snapshot and Restore are those of most models: Take copies, Put checks all
// before anything is written.
func (m *model) Snapshot(what models.Part) models.Snapshot {
	return models.Take(what, m.params(), m.state())
}

func (m *model) Restore(s models.Snapshot) error { return models.Put(s, m.params(), m.state()) }

func (m *model) params() models.Fields { return models.Fields{models.Floats("w", m.w)} }

func (m *model) state() models.Fields {
	return models.Fields{models.TimesOrNever("last", m.last, 1e15)}
}

// NumParams counts slope and bias.
func (m *model) NumParams() int { return 2 }
