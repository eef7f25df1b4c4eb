package harness

import (
	"cmp"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/specs"
)

// Probe returns an error unless the programs that models are of can do what the
// trials ask of them. It starts each once.
func Probe(trials []specs.Trial, checkpoints bool) error {
	byKind := map[string][]specs.Trial{}
	for _, t := range trials {
		if t.Kind.Probe != nil {
			byKind[t.Kind.Name] = append(byKind[t.Kind.Name], t)
		}
	}
	for _, some := range byKind {
		err := some[0].Kind.Probe(func(yield func(models.Setup, models.Options) bool) {
			for _, t := range some {
				s := models.Setup{Task: t.Task, Snapshots: cmp.Or(whySnapshots(t, datasets.Parts{}), whyCheckpoint(checkpoints))}
				if !yield(s, t.Options) {
					return
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
