package heuristic

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

func init() {
	models.Register(models.Kind{
		Name: "null", Class: protocol.Null, Tasks: []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return &models.NoOptions{} },
		New:     func(models.Setup, models.Options) (models.Model, error) { return null{}, nil },
	})
}

// null gives every event and every candidate the score 0, at once. What a live test
// measures of it is the machine.
type null struct{ models.Offline }

func (null) Train(datasets.Stream, []int32) (float64, error) { return 0, nil }

func (null) Classify(b datasets.Stream, logits []float32) error {
	clear(logits[:b.Len()])
	return nil
}

// Rank counts all negatives as level.
func (null) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	for k, dst := range b.Dst {
		equal := len(c.Nodes)
		if _, found := slices.BinarySearch(c.Nodes, dst); found {
			equal--
		}
		for _, v := range c.Excluded(k) {
			if _, found := slices.BinarySearch(c.Nodes, v); found && v != dst {
				equal--
			}
		}
		out.Greater[k], out.Equal[k] = 0, int32(equal)
	}
	return nil
}

func (null) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	clear(logits[:b.Len()*len(candidates)])
	return nil
}

func (null) Observe(datasets.Stream) error { return nil }
func (null) Reset()                        {}
func (null) NumParams() int                { return 0 }

func (null) Snapshot(what models.Part) models.Snapshot { return models.Take(what, nil, nil) }
func (null) Restore(s models.Snapshot) error           { return models.Put(s, nil, nil) }
