package record_test

import (
	"testing"
	"time"

	"dgsbench/protocol"
	"dgsbench/results/record"
)

// TestBracket: the highest rate that keeps a limit counts, also above one that misses it by
// chance; a point that is invalid or overloaded keeps none, and one with too few answers tells
// nothing.
func TestBracket(t *testing.T) {
	point := func(rate int, ms int64, change func(*record.LivePoint)) record.LivePoint {
		h := record.NewHistogram()
		for range protocol.FewestAnswers {
			record.AddTo(h, ms*1e6)
		}
		p := record.LivePoint{Rate: rate, Answers: protocol.FewestAnswers, Histogram: record.EncodeHistogram(h)}
		if change != nil {
			change(&p)
		}
		return p
	}
	overloaded := func(p *record.LivePoint) { p.Growth = .02 }
	invalid := func(p *record.LivePoint) { p.Invalid = "late" }
	short := func(p *record.LivePoint) { p.Answers-- }
	for _, c := range []struct {
		name          string
		points        []record.LivePoint
		keeps, misses int
	}{
		{"none", []record.LivePoint{point(10, 11, nil), point(20, 12, nil)}, 0, 10},
		{"all", []record.LivePoint{point(10, 1, nil), point(20, 9, nil)}, 20, 0},
		{"some", []record.LivePoint{point(10, 1, nil), point(20, 9, nil), point(30, 11, nil), point(40, 12, nil)}, 20, 30},
		{"by chance", []record.LivePoint{point(10, 1, nil), point(20, 11, nil), point(30, 9, nil), point(40, 12, nil)}, 10, 20},
		{"invalid below", []record.LivePoint{point(10, 1, nil), point(20, 1, invalid), point(30, 9, nil), point(40, 12, nil)}, 30, 40},
		{"not sorted", []record.LivePoint{point(40, 12, nil), point(10, 1, nil), point(30, 11, nil)}, 10, 30},
		{"overloaded", []record.LivePoint{point(10, 1, nil), point(20, 1, overloaded)}, 10, 20},
		{"invalid", []record.LivePoint{point(10, 1, invalid), point(20, 1, invalid)}, 0, 10},
		{"short", []record.LivePoint{point(10, 1, short)}, 0, 0},
		{"short between", []record.LivePoint{point(10, 1, nil), point(20, 1, short), point(30, 11, nil)}, 10, 30},
		{"nothing", nil, 0, 0},
	} {
		if keeps, misses := (record.Live{Points: c.points}).Bracket(10 * time.Millisecond); keeps != c.keeps || misses != c.misses {
			t.Errorf("%s: %d and %d, expected %d and %d", c.name, keeps, misses, c.keeps, c.misses)
		}
	}
}
