package memory

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/nn"
)

// base is what models of both tasks consist of.
type base struct {
	setup     models.Setup
	device    kernels.Device
	core      *Core
	embedding Embedding
	x         kernels.Buffer // features of the batch
}

func newBase(d kernels.Device, s models.Setup, c Config) (*base, error) {
	halves := 1
	if s.Task == models.NodeClassification && c.Classification.perEvent() {
		halves = 2
	}
	core := NewCore(nn.NewNetwork(d, s.Seed), c.Memory, s, halves)
	e, err := c.Embedding(core, s)
	if err != nil {
		return nil, err
	}
	s.Train = datasets.Stream{} // not to be kept
	return &base{setup: s, device: d, core: core, embedding: e, x: d.NewBuffer(s.MaxBatch * core.width)}, nil
}

// read puts the batch's features on the device and refuses bad ones.
func (m *base) read(b datasets.Stream) error {
	m.device.Write(m.x, b.Feat)
	if !m.finite(b.Feat) {
		return models.BadFeature(b)
	}
	return nil
}

// finite looks at features that are in x. Where a call costs more than what
// it computes, the host does that.
func (m *base) finite(features []float32) bool {
	if !m.device.Wide() {
		return m.device.Finite(len(features), m.x)
	}
	for _, f := range features {
		if !models.Finite(f) {
			return false
		}
	}
	return true
}

// NumParams counts the parameters.
func (m *base) NumParams() int { return m.core.Net.NumParams() }

// Facts leave out what is kept beside the memory: times, messages and
// neighbours.
func (m *base) Facts() models.Facts {
	return models.Facts{Parameters: m.core.Net.Parts(), State: m.core.opts.Size}
}

// params copies the parameters.
func (m *base) params() []models.Tensor {
	var out []models.Tensor
	for _, p := range m.core.Net.Params() {
		out = append(out, models.Tensor{Name: p.Name, Shape: slices.Clone(p.Shape), F32: p.Values})
	}
	return out
}

// setParams puts parameters back that params gave.
func (m *base) setParams(saved []models.Tensor) error {
	own := m.params()
	if err := models.Copy(own, saved); err != nil {
		return err
	}
	var values [][]float32
	for _, t := range own {
		values = append(values, t.F32)
	}
	m.core.Net.SetParams(values)
	return nil
}
