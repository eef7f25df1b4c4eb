package results

import (
	"fmt"
	"time"

	"dgsbench/internal/lists"
	"dgsbench/protocol"
	"dgsbench/results/table"
)

// searchPrecision is the ratio of rates that a search does not tell apart.
const searchPrecision = 1.1

// capacity is the highest rate at which a model keeps a limit.
type capacity struct {
	keeps, misses int       // as of record.Live.Bracket
	point         livePoint // at the rate that keeps; of rate 0 where none does
	invalid       string    // why the rate that misses says nothing about the model
	unmeasurable  bool      // the model null does not keep the limit either
	machine       bool      // the model null keeps it up to about the same rate
}

// capacity returns that of a test beside the one of the model null, if there is one.
func (t *LiveTest) capacity(limit time.Duration, null *LiveTest) (c capacity) {
	c.keeps, c.misses = t.Live.Bracket(limit)
	c.point, _ = lists.Find(t.points, func(p livePoint) bool { return p.Rate == c.keeps })
	missing, _ := lists.Find(t.points, func(p livePoint) bool { return p.Rate == c.misses })
	c.invalid = missing.Invalid
	if null != nil {
		floor, end := null.Live.Bracket(limit)
		c.unmeasurable = floor == 0 && end > 0
		c.machine = null.Key != t.Key && floor > 0 && end > 0 && float64(c.keeps)*searchPrecision >= float64(floor)
	}
	return c
}

// isAtLeast reports whether the model may keep the limit at higher rates, too.
func (c capacity) isAtLeast() bool { return c.misses == 0 || c.invalid != "" || c.machine }

// unmeasurable stands where no model can keep a limit on this machine.
const unmeasurable = "not measurable here"

// String returns the rate in events a second, or why there is none.
func (c capacity) String() string {
	switch {
	case c.unmeasurable:
		return unmeasurable
	case c.keeps == 0 && c.misses == 0:
		return table.NoValue
	case c.keeps == 0:
		return "none"
	case c.isAtLeast():
		return "≥ " + table.Thousands(c.keeps)
	case float64(c.misses) > searchPrecision*float64(c.keeps):
		return fmt.Sprintf("%s to %s", table.Thousands(c.keeps), table.Thousands(c.misses))
	}
	return table.Thousands(c.keeps)
}

// note explains the rate; empty where that is not needed.
func (c capacity) note() string {
	switch {
	case c.unmeasurable:
		return "the model null keeps this limit at no rate: the machine misses it"
	case c.keeps == 0 && c.misses == 0:
		return "too few answers at all rates that were measured"
	case c.keeps == 0 && c.invalid == "":
		return "overloaded or above the limit at all rates that were measured"
	case c.machine:
		return "limited by the machine: the model null keeps this limit up to no more than 10% above"
	case c.invalid != "":
		return fmt.Sprintf("at %s events/s invalid: %s", table.Thousands(c.misses), c.invalid)
	}
	return ""
}

// limits has, for each limit, the highest rate at which each model keeps it, with the
// metric there.
func (l *livePlace) limits() table.Table {
	t := liveGrid(l, "limits", ", highest rates within a limit", func(test *LiveTest) *LiveTest { return test }, func(*LiveTest) bool { return true })
	metric := l.first.metric.Title
	t.add(table.Column{Kind: table.Measured, Group: "one by one", Metric: metric, Head: metric + " %"}, func(test *LiveTest) table.Entry {
		if test.model.Class == protocol.Null || !test.alone.Present() {
			return table.Entry{}
		}
		return table.Entry{Value: inPercent(test.alone)}
	})
	for i, limit := range l.first.load.Limits {
		at := func(test *LiveTest) (c capacity) {
			if !test.Failed() {
				c = test.capacity(l.first.limit(i), l.null)
			}
			return c
		}
		group := "99.9% within " + limit
		t.add(table.Column{Group: group, Head: "events/s", Right: true}, func(test *LiveTest) table.Entry {
			if test.Failed() {
				return text("")
			}
			c := at(test)
			return table.Entry{Text: c.String(), Notes: t.KeyNote(lists.NonEmpty(c.note())...)}
		})
		t.add(table.Column{Group: group, Head: "p99.9", Right: true}, func(test *LiveTest) table.Entry {
			found := at(test)
			if found.unmeasurable {
				return text("")
			}
			return text(duration(found.point.tail()))
		})
		for _, c := range []struct {
			title, head string
			entry       func(*LiveTest, *table.Table, livePoint) table.Entry
		}{{metric, metric + " %", (*LiveTest).metricOf}, {"lost", "lost, pp", (*LiveTest).lossOf}} {
			t.add(table.Column{Kind: table.Measured, Group: group, Metric: c.title, Head: c.head}, func(test *LiveTest) table.Entry {
				found := at(test)
				if found.keeps == 0 || found.unmeasurable {
					return table.Entry{}
				}
				return c.entry(test, &t.Table, found.point)
			})
		}
	}
	t.addClasses(l.tests, func(test *LiveTest) protocol.Class { return test.model.Class }, func([]table.Row) {})
	t.Legend = append([]string{"events/s: the highest rate that was found; one at most 10% higher misses the limit, unless a range is given"}, l.legend(false, t.Table)...)
	return t.Table
}
