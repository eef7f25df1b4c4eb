package results

import (
	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// LiveSummary is what bench live --json prints of a test. Times are seconds.
type LiveSummary struct {
	Dataset      string                `json:"dataset"`
	Task         protocol.Task         `json:"task"`
	Setting      protocol.Setting      `json:"setting"`
	Candidates   protocol.CandidateSet `json:"candidates"` // that events are ranked against
	Model        string                `json:"model"`      // id or id+variant
	Title        string                `json:"title"`
	Class        protocol.Class        `json:"class"`
	Machine      string                `json:"machine"`
	Code         string                `json:"code"`
	Threads      int                   `json:"threads"`
	Run          string                `json:"run"`
	Load         optional.Number       `json:"load"`
	Simulated    bool                  `json:"simulated"`
	Arrivals     specs.Arrivals        `json:"arrivals"`
	LargestBatch int                   `json:"largest_batch"`
	Metric       string                `json:"metric"`
	OneByOne     optional.Number       `json:"one_by_one"` // the metric of all events that were answered alone
	Error        string                `json:"error,omitempty"`
	Service      []record.ServiceTime  `json:"service"`
	Points       []LivePointSummary    `json:"points"`
	Limits       []LiveLimitSummary    `json:"limits"`
}

// LivePointSummary is one rate.
type LivePointSummary struct {
	record.LivePoint
	Overloaded bool            `json:"overloaded"`
	P50        optional.Number `json:"p50"`
	P90        optional.Number `json:"p90"`
	P99        optional.Number `json:"p99"`
	P999       optional.Number `json:"p99.9"`
	Max        optional.Number `json:"max"`
	Answered   optional.Number `json:"answered"` // events a second
	Batch      optional.Number `json:"batch"`    // mean number of events
	Late       optional.Number `json:"late"`     // share of answers above the first limit
	Metric     optional.Number `json:"metric"`
	OneByOne   optional.Number `json:"one_by_one"` // of the same events
	Lost       optional.Number `json:"lost"`
	LostLow    optional.Number `json:"lost_ci_low"`
	LostHigh   optional.Number `json:"lost_ci_high"`
	Caveat     string          `json:"caveat,omitempty"` // why the metric is uninformative
}

// LiveLimitSummary is the highest rate at which a limit is kept.
type LiveLimitSummary struct {
	Limit      string          `json:"limit"`   // as 10ms
	Seconds    float64         `json:"seconds"` // the same
	Keeps      int             `json:"keeps"`   // the highest rate that does; 0 for none
	Misses     int             `json:"misses"`  // the lowest rate above it that was measured; 0 for none
	Measurable bool            `json:"measurable"`
	Machine    bool            `json:"limited_by_machine"`
	P999       optional.Number `json:"p99.9"`
	Metric     optional.Number `json:"metric"`
	Lost       optional.Number `json:"lost"`
}

// NewLiveSummary returns what bench live --json prints.
func NewLiveSummary(tests []LiveTest) []LiveSummary {
	out := []LiveSummary{}
	for i := range tests {
		out = append(out, tests[i].summary(nullOf(tests, &tests[i])))
	}
	return out
}

func (t *LiveTest) summary(null *LiveTest) LiveSummary {
	k := t.Key
	out := LiveSummary{
		Dataset: k.Dataset, Task: k.Task, Setting: k.Setting, Candidates: t.candidates,
		Model: specs.JoinRef(k.Model, k.Variant), Title: t.ModelTitle, Class: t.ModelClass,
		Machine: t.Machine, Code: t.CodeVersion, Threads: t.Threads, Run: t.Run(), Load: optional.Absent(),
		Simulated: t.load.Simulated, Arrivals: t.load.Arrivals, LargestBatch: t.load.LargestBatch,
		Metric: t.metric.Name, OneByOne: t.alone, Error: t.Error,
		Service: []record.ServiceTime{}, Points: []LivePointSummary{}, Limits: []LiveLimitSummary{},
	}
	if t.Live != nil {
		out.Load = t.Live.Load
	}
	if t.Failed() {
		return out
	}
	out.Service = t.Live.Service
	out.Points = lists.Map(t.points, livePoint.summary)
	if t.load.Searches() {
		for i, limit := range t.load.Limits {
			c := t.capacity(t.limit(i), null)
			s := LiveLimitSummary{
				Limit: limit, Seconds: t.limit(i).Seconds(), Keeps: c.keeps, Misses: c.misses, Measurable: !c.unmeasurable, Machine: c.machine,
				P999: optional.Absent(), Metric: optional.Absent(), Lost: optional.Absent(),
			}
			if c.keeps > 0 {
				s.P999, s.Metric, s.Lost = c.point.tail(), c.point.metric, c.point.lost.mean
			}
			out.Limits = append(out.Limits, s)
		}
	}
	return out
}

func (p livePoint) summary() LivePointSummary {
	return LivePointSummary{
		LivePoint: p.LivePoint, Overloaded: p.Overloaded(),
		P50: p.within(.5), P90: p.within(.9), P99: p.within(.99), P999: p.tail(), Max: p.within(1),
		Answered: p.answered(), Batch: p.batch(), Late: p.late,
		Metric: p.metric, OneByOne: p.alone, Lost: p.lost.mean, LostLow: p.lost.low, LostHigh: p.lost.high, Caveat: p.caveat,
	}
}
