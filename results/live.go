package results

import (
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dgsbench/internal/optional"
	"dgsbench/internal/strictyaml"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// LiveTest is the record of a live test with its points, none where it failed.
type LiveTest struct {
	record.Record
	model      ModelHead  // in tables
	load       specs.Live // as the spec has it
	metric     metrics.Metric
	candidates protocol.CandidateSet
	points     []livePoint
	alone      optional.Number // the metric of all that was answered one by one
}

// livePoint is one rate.
type livePoint struct {
	record.LivePoint
	times *hdrhistogram.Histogram // of responses; nil where the point is invalid
	late  optional.Number         // the share of response times above the first limit
	// metric is that of the answers, and alone that of answers one by one to the
	// same events, or to as many of them as there was time for.
	metric, alone optional.Number
	caveat        string // why the metric is uninformative
	lost          loss
	// events were answered at least once, and aloneEvents of these one by one.
	events, aloneEvents int
}

// ReadLive reads what was measured in live tests.
func ReadLive(s record.Store, records []record.Record) ([]LiveTest, error) {
	tests := make([]LiveTest, len(records))
	var losses []*pendingLoss
	for i, r := range records {
		t := &tests[i]
		t.Record, t.metric, t.alone = r, metrics.Of(r.Key.Task)[0], optional.Absent()
		spec, err := strictyaml.Parse("spec of "+r.Key.String(), r.Spec)
		if err == nil {
			err = spec.Get("protocol").Get("live").Decode(&t.load)
		}
		for _, text := range t.load.Limits {
			if _, limitErr := specs.ParseLimit(text); err == nil {
				err = limitErr
			}
		}
		if err != nil {
			return nil, err
		}
		if r.Failed() {
			continue
		}
		more, err := t.read(s)
		if err != nil {
			return nil, err
		}
		losses = append(losses, more...)
	}
	if len(losses) > 0 {
		resampleLosses(s, records[0].Key.Suite, losses)
	}
	return tests, nil
}

// read fills in what a test that did not fail has.
func (t *LiveTest) read(s record.Store) (losses []*pendingLoss, err error) {
	observed, err := s.Facts(t.Record)
	if err != nil {
		return nil, err
	}
	facts := map[string]metrics.Facts{}
	for part, f := range observed {
		facts[part.Evaluation], t.candidates = f, part.Candidates
	}
	alone := facts[record.OneByOne]
	t.alone = t.valueOf(alone)
	t.points = make([]livePoint, len(t.Live.Points))
	for i, recorded := range t.Live.Points {
		p := &t.points[i]
		p.LivePoint, p.late, p.metric, p.alone, p.lost = recorded, optional.Absent(), optional.Absent(), optional.Absent(), noLoss
		if p.Invalid != "" {
			continue
		}
		if p.times, err = p.Responses(); err != nil {
			return nil, fmt.Errorf("response times of %s at %d events a second: %w", t.Key, p.Rate, err)
		}
		if len(t.load.Limits) > 0 {
			p.late = lateShare(p.times, t.limit(0))
		}
		answers := facts[p.Name()]
		if answers.Len() == 0 || alone.Len() == 0 {
			continue
		}
		p.events = min(answers.Len(), t.Live.Events)
		p.aloneEvents = min(p.events, alone.Len())
		same, alone := answers, alone.First(p.aloneEvents)
		if p.aloneEvents < p.events {
			same = answers.First(p.aloneEvents)
		}
		p.metric, p.alone = t.valueOf(answers), t.valueOf(alone)
		p.caveat, _ = caveatOf([]metrics.Facts{answers})
		p.lost.mean = p.alone - t.valueOf(same)
		losses = append(losses, &pendingLoss{&p.lost, t.metric, same, alone})
	}
	return losses, nil
}

func (t *LiveTest) valueOf(f metrics.Facts) optional.Number {
	if f.Len() == 0 {
		return optional.Absent()
	}
	return optional.Number(t.metric.Prepare(f)(nil))
}

// limit returns one of the spec's limits, which have been checked.
func (t *LiveTest) limit(i int) time.Duration {
	d, err := specs.ParseLimit(t.load.Limits[i])
	return must(d, err)
}

// lateShare returns the share of response times that are above a limit, as far as the
// histogram tells: those of a bin that reaches beyond it are.
func lateShare(h *hdrhistogram.Histogram, limit time.Duration) optional.Number {
	late := int64(0)
	for _, bin := range h.Distribution() {
		if bin.To > int64(limit) {
			late += bin.Count
		}
	}
	return optional.Number(float64(late) / float64(h.TotalCount()))
}

// isKept reports whether a point may be compared with others: it is valid, and the model
// keeps up.
func (p livePoint) isKept() bool { return p.Invalid == "" && !p.Overloaded() }

// isWithin reports whether all but a thousandth of the answers of such a point are within
// the first limit.
func (p livePoint) isWithin() bool { return p.isKept() && p.late <= .001 }

// tail returns the 99.9th percentile of response times; absent where there are few, or
// they have no end.
func (p livePoint) tail() optional.Number {
	if !p.isKept() || p.Answers < protocol.FewestAnswers {
		return optional.Absent()
	}
	return p.within(.999)
}

// beyond is how many response times there are above a percentile that is given.
const beyond = 10

// within returns the seconds within which a share of the answers came; absent where there
// are too few to tell.
func (p livePoint) within(share float64) optional.Number {
	if p.times == nil || share < 1 && (1-share)*float64(p.times.TotalCount()) < beyond-.5 || p.times.TotalCount() == 0 {
		return optional.Absent()
	}
	return optional.Number(float64(p.times.ValueAtQuantile(100*share)) / 1e9)
}

// answered returns the events a second that were answered.
func (p livePoint) answered() optional.Number {
	if p.times == nil {
		return optional.Absent()
	}
	return optional.Number(float64(p.Answers) / p.Seconds)
}

// batch returns the mean number of events of a batch.
func (p livePoint) batch() optional.Number {
	if p.times == nil {
		return optional.Absent()
	}
	return optional.Number(float64(p.Answers) / float64(p.Batches))
}
