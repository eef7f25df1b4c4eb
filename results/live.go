package results

import (
	"fmt"

	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// LiveTest is the record of a live test with its points, none where it failed.
type LiveTest struct {
	record.Record
	model  ModelHead // in tables
	points []livePoint
}

// livePoint is one rate.
type livePoint struct {
	record.LivePoint
	quantiles []float64 // seconds, of response times at quantiles
	// metric is the headline metric of the answers, and alone that of the same
	// events one by one.
	metric, alone optional.Number
}

// ReadLive reads what was measured in live tests.
func ReadLive(s record.Store, records []record.Record) ([]LiveTest, error) {
	tests := make([]LiveTest, len(records))
	for i, r := range records {
		test := &tests[i]
		if test.Record = r; r.Failed() {
			continue
		}
		facts, err := s.Facts(r)
		if err != nil {
			return nil, err
		}
		headline := metrics.Of(r.Key.Task)[0]
		value := func(f metrics.Facts) optional.Number {
			if f.Len() == 0 {
				return optional.Absent()
			}
			return optional.Number(headline.Prepare(f)(nil))
		}
		byName := map[string]metrics.Facts{}
		for part, f := range facts {
			byName[part.Evaluation] = f
		}
		alone := byName[record.OneByOne]
		for _, p := range r.Live.Points {
			h, err := p.Responses()
			if err != nil {
				return nil, fmt.Errorf("response times of %s at %d events a second: %w", r.Key, p.Rate, err)
			}
			answered := byName[p.Name()]
			point := livePoint{LivePoint: p, metric: value(answered), alone: value(alone.First(answered.Len()))}
			for _, q := range quantiles {
				point.quantiles = append(point.quantiles, float64(h.ValueAtQuantile(100*q.p))/1e9)
			}
			test.points = append(test.points, point)
		}
	}
	return tests, nil
}

// LiveRows returns the numbers of live tests.
func LiveRows(tests []LiveTest) []Row { return nil }

// NewLiveSummary returns what bench live --json prints.
func NewLiveSummary(tests []LiveTest) any { return tests }

func liveOutput(r request) (Output, error) {
	t := r.table("model", "rate", "p50", "p99.9", "batch", "metric", "alone", "state")
	for _, test := range r.Loaded {
		for _, p := range test.points {
			state := p.Invalid
			if p.Overloaded() {
				state = "overloaded " + state
			}
			row := table.Row{}
			for _, x := range []string{test.ModelTitle, fmt.Sprint(p.Rate), fmt.Sprintf("%.3f", 1e3*p.quantiles[0]), fmt.Sprintf("%.3f", 1e3*p.quantiles[3]),
				fmt.Sprintf("%.1f", float64(p.Answers)/float64(p.Batches)), fmt.Sprintf("%.2f", 100*float64(p.metric)), fmt.Sprintf("%.2f", 100*float64(p.alone)), fmt.Sprintf("%s %d %d %.4f %.2fms", state, p.Tries, p.Passes, p.Growth, 1e3*p.HandOver)} {
				row = append(row, text(x))
			}
			t.Blocks = append(t.Blocks, []table.Row{row})
		}
	}
	return Output{Tables: []table.Table{t}}, nil
}
