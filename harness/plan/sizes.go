package plan

import (
	"dgsbench/datasets"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// Sizes of files, in bytes. Arrays of a sidecar are stored as they are.
const (
	recordBytes = 6_000 // with its options and their origins
	epochBytes  = 120
	scoreBytes  = 4 + 1     // score and label of an event
	countBytes  = 4 + 4 + 4 // greater, equal and against
)

// diskOf is about what the record of a trial and its sidecar take.
func diskOf(t specs.Trial, l *datasets.Loaded) int64 {
	if test := t.Protocol.Latency; test != nil {
		samples := test.Batches * test.Iterations
		for _, size := range test.Sweep {
			samples += min(t.Protocol.Batch*test.Batches/size, test.SweepBatches) * test.SweepIterations
		}
		return int64(recordBytes + 8*samples)
	}
	judged := l.Stream.Len() - l.Split.TrainEnd
	each := scoreBytes
	if t.Task == protocol.LinkPrediction {
		each = countBytes * len(t.Protocol.Candidates)
	}
	bytes := recordBytes + judged*each
	if t.Class == protocol.Learned {
		bytes += epochBytes * t.Protocol.Epochs
	}
	return int64(bytes)
}
