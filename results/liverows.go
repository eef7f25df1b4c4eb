package results

import (
	"fmt"

	"dgsbench/internal/optional"
	"dgsbench/protocol"
)

// LiveRows returns the numbers of live tests, in the order of the tests: for each rate
// quantiles of response times (live_1000_p99), the events a second that were
// answered, the mean batch, the share of late answers, the metric of the answers
// (live_1000_auc), that of the same events one by one (live_1000_auc_one_by_one) and the
// loss from this to that; and for each limit the highest rate that keeps it
// (live_10ms_rate). Failed tests have none.
func LiveRows(tests []LiveTest) []Row {
	var out []Row
	for i := range tests {
		test := &tests[i]
		if test.Failed() {
			continue
		}
		row := func(metric, unit string, mean optional.Number, caveat string) Row {
			return Row{
				CellKey: test.Key.CellKey, Candidates: test.candidates, Split: protocol.Test, Device: test.Device, Metric: "live_" + metric, Unit: unit,
				Mean: mean, Std: optional.Absent(), N: 1, CILow: optional.Absent(), CIHigh: optional.Absent(), Caveat: caveat,
			}
		}
		for _, p := range test.points {
			at, why := fmt.Sprint(p.Rate), p.state()
			add := func(metric, unit string, mean optional.Number) {
				out = append(out, row(at+"_"+metric, unit, mean, why))
			}
			for _, q := range quantiles {
				seconds := p.within(q.p)
				if q.p == .999 {
					seconds = p.tail()
				}
				add(q.name, "s", seconds)
			}
			add("answered", "events/s", p.answered())
			add("batch", "events", p.batch())
			add("late", "1", p.late)
			answers := row(at+"_"+test.metric.Name, test.metric.Unit, p.metric, why)
			if p.caveat != "" {
				answers.Degenerate, answers.Caveat = true, p.caveat
			}
			lost := row(at+"_"+test.metric.Name+"_lost", test.metric.Unit, p.lost.mean, why)
			lost.CILow, lost.CIHigh = p.lost.low, p.lost.high
			out = append(out, answers, row(at+"_"+test.metric.Name+"_one_by_one", test.metric.Unit, p.alone, ""), lost)
		}
		if !test.load.Searches() {
			continue
		}
		null := nullOf(tests, test)
		for k, limit := range test.load.Limits {
			c := test.capacity(test.limit(k), null)
			rate := optional.Number(c.keeps)
			if c.unmeasurable {
				rate = optional.Absent()
			}
			caveat := c.note()
			if caveat == "" && c.isAtLeast() {
				caveat = "no rate that was measured misses the limit"
			}
			out = append(out, row(limit+"_rate", "events/s", rate, caveat))
		}
	}
	return out
}

// state says in a word why a point is not what its rate asks for; empty if it is.
func (p livePoint) state() string {
	switch {
	case p.Invalid != "":
		return "invalid: " + p.Invalid
	case p.Overloaded():
		return "overloaded"
	}
	return ""
}

// nullOf returns the test of the model null at the place and of the run of a test; nil
// if there is none.
func nullOf(tests []LiveTest, of *LiveTest) *LiveTest {
	for i := range tests {
		if t := &tests[i]; t.ModelClass == protocol.Null && !t.Failed() && t.Key.Place() == of.Key.Place() && t.Run() == of.Run() {
			return t
		}
	}
	return nil
}
