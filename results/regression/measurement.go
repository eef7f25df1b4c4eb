// Package regression checks whether a build reports the numbers that it is
// known to report.
//
// A Measurement is what one build gave on one suite: every test metric of
// every seed, with the specs and data that it belongs to. A Baseline is a
// Measurement that somebody has accepted, as a file. Compare sets a fresh
// Measurement beside it. What must be the same bits is compared bit by bit;
// where that cannot be asked for (another kernel class, fresh seeds), seeds
// are compared as samples, by a permutation test a row with Holm's correction
// over all rows.
package regression

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/record"
)

// Measurement is what one build gave on one suite.
type Measurement struct {
	Suite string `json:"suite"`
	Build Build  `json:"build"`
	Cells []Cell `json:"cells"` // in order of their keys
}

// Build is what measured.
type Build struct {
	Code     string `json:"code"`     // commit
	Numerics int    `json:"numerics"` // see record.Record
	Kernels  string `json:"kernels"`  // their class: builds of one class and one numerics give the same bits
	Go       string `json:"go"`
}

// Cell is what the seeds of one model gave in one place.
type Cell struct {
	record.CellKey
	Class  protocol.Class  `json:"class"`
	Data   string          `json:"data"` // checksum of the dataset
	Spec   json.RawMessage `json:"spec"` // without the seed
	Seeds  []uint64        `json:"seeds"`
	Series []Series        `json:"metrics"`
}

// Series is one metric of the test part, as a fraction.
type Series struct {
	Candidates protocol.CandidateSet `json:"candidates"` // empty for nc
	Metric     string                `json:"metric"`
	Values     []optional.Number     `json:"values"` // one a seed; absent where not defined
}

// Measure gathers the records of a suite's trials. Trials that failed are
// left out: Faults lists them.
func Measure(suite string, b Build, records []record.Record) Measurement {
	finished := slices.DeleteFunc(slices.Clone(records), record.Record.Failed)
	slices.SortStableFunc(finished, func(x, y record.Record) int {
		return cmp.Or(x.Key.CellKey.Compare(y.Key.CellKey), cmp.Compare(x.Key.Seed, y.Key.Seed))
	})
	m := Measurement{Suite: suite, Build: b}
	for _, seeds := range lists.GroupBy(finished, func(r record.Record) record.CellKey { return r.Key.CellKey }) {
		first := seeds[0]
		c := Cell{CellKey: first.Key.CellKey, Class: first.ModelClass, Data: first.DataChecksum, Spec: json.RawMessage(first.SpecBut("seed"))}
		for _, r := range seeds {
			c.Seeds = append(c.Seeds, r.Key.Seed)
			c.addScores(r)
		}
		m.Cells = append(m.Cells, c)
	}
	return m
}

// addScores adds the test scores of a seed. All seeds of a cell have the same
// scores in the same order: they are those of the task and the protocol.
func (c *Cell) addScores(r record.Record) {
	scores := slices.DeleteFunc(slices.Clone(r.Scores), func(s record.Score) bool { return s.Split != protocol.Test })
	if c.Series == nil {
		c.Series = append(c.Series, make([]Series, len(scores))...)
	}
	for i, s := range scores {
		c.Series[i] = Series{s.Candidates, s.Metric, append(c.Series[i].Values, s.Value)}
	}
}

// seeded reports whether chance takes part: else there is one value, always
// the same.
func (c Cell) seeded() bool { return c.Class == protocol.Learned }

// String returns the metric with the candidates that it is against.
func (s Series) String() string {
	if s.Candidates == "" {
		return s.Metric
	}
	return s.Metric + " against " + string(s.Candidates)
}

// specChanges lists what differs, as in "options.head.lr: 0.001, now 0.01".
func specChanges(old, now json.RawMessage) []string {
	before, errBefore := record.Leaves(old)
	after, errAfter := record.Leaves(now)
	if errBefore != nil || errAfter != nil { // not JSON: compared as it is
		before, after = map[string]string{"": string(old)}, map[string]string{"": string(now)}
	}
	paths := maps.Clone(before)
	maps.Copy(paths, after)
	var out []string
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		was, had := before[path]
		is, has := after[path]
		switch {
		case !had:
			out = append(out, fmt.Sprintf("%s: new, %s", path, is))
		case !has:
			out = append(out, fmt.Sprintf("%s: %s, now gone", path, was))
		case was != is:
			out = append(out, fmt.Sprintf("%s: %s, now %s", path, was, is))
		}
	}
	return out
}
