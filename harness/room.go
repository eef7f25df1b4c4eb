package harness

import (
	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// needed is what a trial takes of the memory that trials on the device share:
// on the processor that of the evaluation, of the best epoch and of a
// checkpoint, too.
func needed(on devices.Target, kind models.Kind, t specs.Trial, p datasets.Parts, checkpoint bool) (bytes int64) {
	copies := int64(0)
	if t.Protocol.Select == specs.SelectBest && epochsOf(t) > 0 {
		copies++
	}
	if checkpoint {
		copies++
	}
	if kind.Bytes != nil {
		setup := setupOf(t, p, 1)
		bytes = kind.Bytes(setup, t.Options)
		if setup.Inference = true; !on.SeparateMemory() { // snapshots have no derivatives
			bytes += copies * kind.Bytes(setup, t.Options)
		}
	}
	if on.SeparateMemory() {
		return bytes
	}
	return bytes + evaluationBytes(t, p)
}

// Bytes of an event, of what an evaluation makes.
const (
	scoreBytes  = 4         // the label is the stream's
	countBytes  = 4 + 4 + 4 // greater, equal and against, by candidates
	metricBytes = 8 + 4     // a prepared metric and weights
	storedBytes = 3         // copies of the facts while they are packed: the archive grows by doubling
	togetherOne = 24        // the list of the other destinations of a source and time
	together    = 160       // the map of these, half full, and a list of one
)

// evaluationBytes is what all evaluations take beside the model and the stream:
// candidates, facts, those of the best epoch, a metric, the filter, and the
// packed facts.
func evaluationBytes(t specs.Trial, p datasets.Parts) int64 {
	count, fact := datasets.Stream.Len, int64(scoreBytes)
	if t.Task == protocol.LinkPrediction {
		count, fact = p.NumScored, int64(len(t.Protocol.Candidates)*countBytes)
	}
	val, test := int64(count(p.Val)), int64(count(p.Test))
	stored := (val + test) * int64(len(t.Protocol.TestState))
	bytes := stored*(fact+storedBytes*fact) + max(val, test)*metricBytes
	if t.Protocol.Select == specs.SelectBest && epochsOf(t) > 0 {
		bytes += val * fact
	}
	if t.Task != protocol.LinkPrediction {
		return bytes + stored*storedBytes // labels
	}
	nodes, part := int64(p.Whole.NumNodes), int64(max(p.Val.Len(), p.Test.Len()))
	bytes += int64(len(t.Protocol.Candidates)) * nodes * (4 + 1)
	if t.Protocol.ValNegatives > 0 {
		bytes += nodes * 8 // a permutation of them
	}
	if p.NewNode != nil {
		bytes += part // which are asked
	}
	if t.Protocol.Filter == specs.FilterSameSrcT {
		bytes += part * (togetherOne + together)
	}
	return bytes
}
