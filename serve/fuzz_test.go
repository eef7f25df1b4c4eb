package serve

import (
	"testing"

	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// FuzzOpen looks for a file that Open does not survive, nor an event after it.
func FuzzOpen(f *testing.F) {
	stream := modeltest.Random(8, 30)
	_, path := classifiers[0].model(f, protocol.NodeClassification, stream)
	snapshot, metadata, err := models.ReadCheckpoint(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(metadata["spec"], metadata["model"], uint8(0), uint64(3))
	f.Add(`{"kind": "jodie", "task": "nc", "options": {"head": {"hidden": [1]}}}`, `{"nodes": 12, "features": 3, "fitted": [[1, 2], [3, 4]]}`, uint8(1), uint64(1<<40))
	f.Add(`{"kind": "graphsprints", "task": "nc", "options": {}}`, `{"nodes": 1e9, "features": 3, "fitted": [[1, 2], [3, 4], []]}`, uint8(1), uint64(4))
	f.Fuzz(func(t *testing.T, spec, model string, which uint8, size uint64) {
		s := models.Snapshot{Params: models.Clone(snapshot.Params), State: models.Clone(snapshot.State)}
		tensors := append(s.Params, s.State...)
		if spoilt := &tensors[int(which)%len(tensors)]; size%2 == 0 && len(spoilt.Shape) > 0 {
			spoilt.Shape[0], spoilt.F32 = int(size>>1), make([]float32, size%512)
		}
		if err := models.WriteCheckpoint(path, s, map[string]string{models.SpecKey: spec, "model": model}); err != nil {
			return
		}
		scorer, err := Open(path, Options{MaxNodes: 1000})
		if err != nil {
			return
		}
		defer scorer.Close()
		scorer.Score(eventOf(stream, 3))
		scorer.Links(1, 1e9, []int32{2, 20}, make([]float32, 2))
		scorer.Observe(Event{Source: 1, Destination: 20, Features: stream.Features(0)})
	})
}
