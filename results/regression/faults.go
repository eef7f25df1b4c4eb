package regression

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/results/record"
)

// Kind is what a finding is about.
type Kind string

// What is wrong with a measurement by itself. Such a one is never accepted.
const (
	FailedTrial     Kind = "failed trial"
	MissingTrial    Kind = "missing trial"
	ReusedSeed      Kind = "reused seed"
	IdenticalScores Kind = "identical scores"
)

// What differs from the baseline, beside numbers.
const (
	MissingCell    Kind = "missing cell"
	ExtraCell      Kind = "extra cell"
	ChangedClass   Kind = "changed class"
	ChangedSpec    Kind = "changed spec"
	ChangedData    Kind = "changed data"
	ChangedSeeds   Kind = "changed seeds"
	ChangedMetrics Kind = "changed metrics"
	NewNumerics    Kind = "new numerics"
)

// Finding is something that is not as it should be.
type Finding struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // what and where, without the kind
}

// Fault reports whether the measurement is wrong by itself.
func (f Finding) Fault() bool {
	return slices.Contains([]Kind{FailedTrial, MissingTrial, ReusedSeed, IdenticalScores}, f.Kind)
}

// Faults looks for what no sound measurement has: trials that failed or left
// no record, a seed that two trials of a cell share, scores that are bit for
// bit those of another trial. The keys are those of all trials; the store
// holds the records' facts.
func Faults(s record.Store, trials []record.Key, records []record.Record) ([]Finding, error) {
	same, err := identical(s, records)
	if err != nil {
		return nil, err
	}
	written := lists.Map(records, func(r record.Record) record.Key { return r.Key })
	return slices.Concat(reused(trials), reused(written), incomplete(trials, records), same), nil
}

// reused finds trials of the same cell and the same seed.
func reused(trials []record.Key) []Finding {
	count := map[record.Key]int{}
	var out []Finding
	for _, k := range trials {
		if count[k]++; count[k] == 2 {
			out = append(out, Finding{ReusedSeed, fmt.Sprintf("%s: more than one trial", k)})
		}
	}
	return out
}

// incomplete finds trials that failed or have no record.
func incomplete(trials []record.Key, records []record.Record) []Finding {
	found := map[record.Key]bool{}
	var out []Finding
	for _, r := range records {
		found[r.Key] = true
		if r.Failed() {
			out = append(out, Finding{FailedTrial, fmt.Sprintf("%s: %s", r.Key, r.Error)})
		}
	}
	for _, k := range trials {
		if !found[k] {
			out = append(out, Finding{MissingTrial, fmt.Sprintf("%s left no record", k)})
			found[k] = true // once is enough
		}
	}
	return out
}

// identical finds trials in one place that answered the test part alike, bit
// for bit. A latency test has no answers.
func identical(s record.Store, records []record.Record) ([]Finding, error) {
	type answers struct {
		place  record.CellKey
		digest [sha256.Size]byte
	}
	alike := map[answers][]string{}
	for _, r := range records {
		if r.Failed() || r.Latency != nil {
			continue
		}
		observed, err := s.Facts(r)
		if err != nil {
			return nil, err
		}
		at := answers{r.Key.Place(), observed.TestDigest("")}
		alike[at] = append(alike[at], r.Key.String())
	}
	var out []Finding
	for _, who := range alike {
		if len(who) > 1 {
			slices.Sort(who)
			out = append(out, Finding{IdenticalScores, strings.Join(who, "; ") + ": the same answers, bit for bit"})
		}
	}
	slices.SortFunc(out, func(a, b Finding) int { return cmp.Compare(a.Text, b.Text) })
	return out, nil
}
