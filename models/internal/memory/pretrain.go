package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/nn"
)

// pretrain gives the parameters below the head the values that they get from
// link prediction on the training part, as the TGN repository trains before
// it classifies.
func (m *base) pretrain(train datasets.Stream, c Config) error {
	links, err := trainedLinks(m.device, m.setup, train, c)
	if err != nil {
		return fmt.Errorf("pretraining: %w", err)
	}
	learned := map[string][]float32{}
	for _, p := range links.params() {
		learned[p.Name] = p.F32
	}
	var values [][]float32
	for _, p := range m.core.Net.Params() {
		if v, ok := learned[p.Name]; ok {
			p.Values = v
		}
		values = append(values, p.Values)
	}
	m.core.Net.SetParams(values)
	return nil
}

// trainedLinks is a link predictor after its epochs. Negatives are the
// training part's destinations, all equally likely.
func trainedLinks(d kernels.Device, s models.Setup, train datasets.Stream, c Config) (*Model, error) {
	s.Task, s.Train = models.LinkPrediction, train
	m, err := NewOn(d, s, c)
	if err != nil {
		return nil, err
	}
	candidates, rng := slices.Clone(train.Dst), nn.Rand(s.Seed, nn.ForNegatives)
	slices.Sort(candidates)
	candidates = slices.Compact(candidates)
	for range c.Classification.PretrainEpochs {
		m.Reset()
		for lo := 0; lo < train.Len(); lo += s.MaxBatch {
			b := train.Slice(lo, min(lo+s.MaxBatch, train.Len()))
			if _, err := m.Train(b, drawn(candidates, b.Len(), rng)); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// drawn are so many of the candidates.
func drawn(candidates []int32, n int, rng *rand.Rand) []int32 {
	out := make([]int32, n)
	for k := range out {
		out[k] = candidates[rng.IntN(len(candidates))]
	}
	return out
}
