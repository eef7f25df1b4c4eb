package harness

import (
	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/specs"
)

// needed is what a trial takes of the memory that trials on the device share:
// on the processor that of the evaluation and of a checkpoint, too.
func needed(on devices.Target, kind models.Kind, t specs.Trial, p datasets.Parts, checkpoint bool) (bytes int64) {
	if kind.Bytes != nil {
		bytes = kind.Bytes(setupOf(t, p, 1), t.Options)
	}
	if on.IsCard() {
		return bytes
	}
	if checkpoint {
		bytes *= 2 // a copy of the state
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

// evaluationBytes is what evaluating both parts takes beside the model and the
// stream: candidates, facts, a metric, the filter, and the packed facts.
func evaluationBytes(t specs.Trial, p datasets.Parts) int64 {
	val, test, nodes := int64(p.Val.Len()), int64(p.Test.Len()), int64(p.Whole.NumNodes)
	part := max(val, test)
	if t.Task != models.LinkPrediction {
		return (val+test)*(scoreBytes+storedBytes*(scoreBytes+1)) + part*metricBytes
	}
	sets, valScored, testScored := int64(len(t.Protocol.Candidates)), int64(p.NumScored(p.Val)), int64(p.NumScored(p.Test))
	bytes := sets*nodes*(4+1) + (valScored+testScored)*sets*countBytes*(1+storedBytes) + max(valScored, testScored)*metricBytes
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
