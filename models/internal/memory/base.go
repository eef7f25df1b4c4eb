package memory

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// base is what models of both tasks consist of.
type base struct {
	models.Offline
	setup     models.Setup
	device    kernels.Device
	core      *Core
	embedding Embedding
	x         kernels.Buffer // features of the batch
}

func newBase(d kernels.Device, s models.Setup, c Config) (*base, error) {
	halves := 1
	if s.Task == protocol.NodeClassification && c.Classification.perEvent() {
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

// read puts the batch's features on the device and refuses bad ones, and bad
// times.
func (m *base) read(b datasets.Stream) error {
	if err := models.CheckFeatures(b); err != nil {
		return err
	}
	m.device.Write(m.x, b.Feat)
	return models.CheckClock(b)
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
	if err := models.CheckBounded(m.params(), saved); err != nil { // so all memories are finite
		return err
	}
	var values [][]float32
	for _, t := range saved {
		values = append(values, t.F32)
	}
	m.core.Net.SetParams(values)
	return nil
}
