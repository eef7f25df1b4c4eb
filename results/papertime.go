package results

import (
	"dgsbench/protocol"
	"dgsbench/results/table"
)

// paperTest is the latency test of which the paper gives the times.
var paperTest = LatencyMetric(200, 200)

// paperTime is the paper's time of its test. Where the paper has it in a
// figure only, the entry says so.
func paperTime(m ModelHead, dataset string, n *table.Table) table.Entry {
	e := paperEntry(protocol.NodeClassification, "", m, dataset, paperTest, -1)
	if e.Value == nil && dataset != "" && m.Variant == "" && defined().figureOnly(protocol.NodeClassification, m.ID, paperTest) {
		e.Notes = n.Note("the paper shows this value in a figure only: it is not read off it")
	}
	return e
}
