package datasets

import "fmt"

// staleWindow is the batch size at which Describe counts what a batch
// cannot see: the one of the paper.
const staleWindow = 200

// Stats describes a dataset. Shares are fractions.
type Stats struct {
	Counts
	// Labelled says whether events have classes; without, no positives are
	// counted.
	Labelled     bool    `json:"labelled"`
	Span         float64 `json:"span"`        // time from the first to the last event
	Distinct     int     `json:"distinct"`    // different times
	EqualTimes   int     `json:"equal_times"` // events at the time of the event before them
	SelfLoops    int     `json:"self_loops"`
	Destinations int     `json:"destinations"` // candidates of link prediction
	// Constant numbers the features, from 0, that are the same at every event:
	// no model can learn from them.
	Constant []int `json:"constant_features,omitempty"`
	// RepeatPairs is the share of events whose pair was seen before.
	RepeatPairs float64 `json:"repeat_pairs"`
	// SameAgain is the share of events that go where the source's previous
	// event went, among those with a previous one.
	SameAgain float64 `json:"same_again"`
	// SplitTies counts the (source, time) groups with several destinations.
	SplitTies int `json:"split_ties"`
	// LastPositives counts positive events that are their source's last.
	LastPositives int            `json:"last_positives"`
	Batches       BatchStats     `json:"batches"`
	Parts         [3]PartStats   `json:"parts"` // train, validation, test
	Inductive     InductiveStats `json:"inductive"`
}

// BatchStats says what windows of 200 events, counted from the first event,
// cannot see of themselves.
type BatchStats struct {
	// Stale is the share of events that meet a node already in their batch.
	Stale float64 `json:"stale"`
	// Surviving is the share of state writes that are the last ones to their
	// node in the batch. An event writes to both its nodes.
	Surviving float64 `json:"surviving"`
	// Nodes is the mean number of different nodes in a batch.
	Nodes float64 `json:"nodes"`
	// RepeatedPositives counts positive events whose source already has an
	// event in the batch.
	RepeatedPositives int `json:"repeated_positives"`
}

// PartStats counts the events of one part.
type PartStats struct {
	Events    int `json:"events"`
	Positives int `json:"positives"`
}

// InductiveStats counts what the inductive setting leaves.
type InductiveStats struct {
	HeldOut  int `json:"held_out"`   // nodes kept out of training
	NewNodes int `json:"new_nodes"`  // nodes absent from training
	Train    int `json:"train"`      // events left to train on
	Val      int `json:"validation"` // validation events with a new node
	Test     int `json:"test"`       // test events with a new node
}

// Describe computes the statistics of a loaded dataset.
func (l *Loaded) Describe() (Stats, error) {
	s := l.Stream
	if err := l.Dataset.room(describedBytes(s)); err != nil {
		return Stats{}, fmt.Errorf("describing: %w", err)
	}
	out := Stats{
		Counts: s.Counts(), Labelled: l.Dataset.Labelled, Span: s.Time[s.Len()-1],
		Destinations: len(s.Destinations()), Constant: constantFeatures(s), Batches: describeBatches(s),
	}
	out.describeTimes(s)
	out.describePairs(s)
	for i, part := range []Stream{
		s.Slice(0, l.Split.TrainEnd), s.Slice(l.Split.TrainEnd, l.Split.ValEnd), s.Slice(l.Split.ValEnd, s.Len()),
	} {
		out.Parts[i] = PartStats{part.Len(), part.Counts().Positives}
	}
	var err error
	out.Inductive, err = l.describeInductive()
	return out, err
}

func constantFeatures(s Stream) []int {
	constant := make([]bool, s.NumFeat)
	for i := range constant {
		constant[i] = true
	}
	for k := range s.Len() {
		for i, x := range s.Features(k) {
			constant[i] = constant[i] && x == s.Feat[i]
		}
	}
	var out []int
	for i, is := range constant {
		if is {
			out = append(out, i)
		}
	}
	return out
}

func (out *Stats) describeTimes(s Stream) {
	type moment struct {
		src  int32
		time float64
	}
	first := map[moment]int32{} // destination of the group's first event
	several := map[moment]bool{}
	for k := range s.Len() {
		if k > 0 && s.Time[k] == s.Time[k-1] {
			out.EqualTimes++
		}
		m := moment{s.Src[k], s.Time[k]}
		if dst, ok := first[m]; !ok {
			first[m] = s.Dst[k]
		} else if dst != s.Dst[k] {
			several[m] = true
		}
	}
	out.Distinct = s.Len() - out.EqualTimes
	out.SplitTies = len(several)
}

func (out *Stats) describePairs(s Stream) {
	seen := map[[2]int32]bool{}
	previous := map[int32]int{} // a source's last event so far
	repeats, same, followed := 0, 0, 0
	for k := range s.Len() {
		u, v := s.Src[k], s.Dst[k]
		if u == v {
			out.SelfLoops++
		}
		if seen[[2]int32{u, v}] {
			repeats++
		}
		seen[[2]int32{u, v}] = true
		if before, ok := previous[u]; ok {
			followed++
			if s.Dst[before] == v {
				same++
			}
		}
		previous[u] = k
	}
	for _, k := range previous {
		if s.Label[k] == 1 {
			out.LastPositives++
		}
	}
	out.RepeatPairs = share(repeats, s.Len())
	out.SameAgain = share(same, followed)
}

func describeBatches(s Stream) BatchStats {
	stale, writes, surviving, batches := 0, 0, 0, 0
	var out BatchStats
	for lo := 0; lo < s.Len(); lo += staleWindow {
		b := s.Slice(lo, min(lo+staleWindow, s.Len()))
		met, sources := map[int32]bool{}, map[int32]bool{}
		for k := range b.Len() {
			u, v := b.Src[k], b.Dst[k]
			if met[u] || met[v] {
				stale++
			}
			if b.Label[k] == 1 && sources[u] {
				out.RepeatedPositives++
			}
			met[u], met[v], sources[u] = true, true, true
			writes++
			if u != v {
				writes++
			}
		}
		batches++
		surviving += len(met)
	}
	out.Stale = share(stale, s.Len())
	out.Surviving = share(surviving, writes)
	out.Nodes = share(surviving, batches)
	return out
}

func (l *Loaded) describeInductive() (InductiveStats, error) {
	heldOut, err := l.Dataset.HeldOut(l.Stream, l.Split)
	if err != nil {
		return InductiveStats{}, err
	}
	events, newNode := withoutNodes(l.Stream.Slice(0, l.Split.TrainEnd), heldOut)
	out := InductiveStats{HeldOut: len(heldOut), Train: len(events)}
	for _, isNew := range newNode {
		if isNew {
			out.NewNodes++
		}
	}
	parts := Parts{NewNode: newNode}
	out.Val = parts.NumScored(l.Stream.Slice(l.Split.TrainEnd, l.Split.ValEnd))
	out.Test = parts.NumScored(l.Stream.Slice(l.Split.ValEnd, l.Stream.Len()))
	return out, nil
}

// share is part/whole, 0 where there is nothing.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
