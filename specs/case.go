package specs

import (
	"fmt"

	"dgsbench/internal/strictyaml"
	"dgsbench/models"
)

// protocolCase is a protocol under the name by which records and tables tell
// it from others of the suite.
type protocolCase struct {
	name string
	Protocol
}

// fits reports whether a model with these options can be measured so: in
// t-batches, a state that is not one of the event's own nodes' may hold later
// events.
func (c protocolCase) fits(o models.Options) bool {
	reaching, ok := o.(models.Reaching)
	return c.WithinBatch != TBatch || !ok || !reaching.ReachesOut()
}

// latencyCase tells the latency tests of a suite from its other trials.
const latencyCase = "latency"

// readCases are the protocols of a run: one, or one for every batch size in
// the list.
func readCases(batches strictyaml.Node, p Protocol, errs *strictyaml.Errors) []protocolCase {
	var sizes []int
	err := batches.Decode(&sizes)
	errs.Add(err)
	switch {
	case p.Latency != nil:
		if batches.Present() {
			errs.Add(batches.Errorf("a latency test names further batch sizes in sweep"))
		}
		return []protocolCase{{latencyCase, p}}
	case !batches.Present() || err != nil:
		return []protocolCase{{"", p}}
	case len(batches.Items()) == 0:
		errs.Add(batches.Errorf("expected at least one batch size"))
	}
	what := "batch"
	if p.WithinBatch == TBatch {
		what = "t-batch"
	}
	var out []protocolCase
	seen := map[int]bool{}
	for i, at := range batches.Items() {
		size := sizes[i]
		inRange(at, size, 1, maxBatch, errs)
		if seen[size] {
			errs.Add(at.Errorf("%d is listed twice", size))
			continue // else the cells would be reported too
		}
		seen[size] = true
		p.Batch = size
		out = append(out, protocolCase{fmt.Sprintf("%s-%d", what, size), p})
	}
	return out
}
