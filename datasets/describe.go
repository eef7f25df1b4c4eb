package datasets

import "fmt"

// describedBatch is the batch size of BatchStats: the one of the paper.
const describedBatch = 200

// Stats describes a dataset. Shares are fractions.
type Stats struct {
	Counts
	Labelled     bool    `json:"labelled"`    // events have classes
	Span         float64 `json:"span"`        // time from the first to the last event
	Distinct     int     `json:"distinct"`    // different times
	EqualTimes   int     `json:"equal_times"` // events at the time of the event before them
	SelfLoops    int     `json:"self_loops"`
	Destinations int     `json:"destinations"` // candidates of link prediction
	// Constant lists the features, from 0, that are equal at every event.
	Constant []int `json:"constant_features,omitempty"`
	// RepeatPairs is the share of events whose pair was seen before.
	RepeatPairs float64 `json:"repeat_pairs"`
	// SameAgain is the share of events with the destination of the source's
	// previous event, among those with a previous one.
	SameAgain float64 `json:"same_again"`
	// SplitTies is the number of (source, time) groups with several destinations.
	SplitTies int `json:"split_ties"`
	// LastPositives is the number of positive events that are their source's last.
	LastPositives int            `json:"last_positives"`
	Batches       BatchStats     `json:"batches"`
	Parts         [3]PartStats   `json:"parts"` // train, validation, test
	Inductive     InductiveStats `json:"inductive"`
}

// BatchStats describes the batches of 200 events, counted from the first event,
// in which no event depends on another.
type BatchStats struct {
	// Stale is the share of events with a node of an earlier event of their batch.
	Stale float64 `json:"stale"`
	// Surviving is the share of state writes that are the last ones to their
	// node in the batch. An event writes to both its nodes.
	Surviving float64 `json:"surviving"`
	// Nodes is the mean number of different nodes of a batch.
	Nodes float64 `json:"nodes"`
	// RepeatedPositives is the number of positive events whose source has an
	// earlier event in the batch.
	RepeatedPositives int `json:"repeated_positives"`
}

// PartStats counts the events of one part.
type PartStats struct {
	Events    int `json:"events"`
	Positives int `json:"positives"`
}

// InductiveStats counts nodes and events of the inductive setting.
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
	if err := l.Dataset.checkMemory(describedBytes(s)); err != nil {
		return Stats{}, fmt.Errorf("describing: %w", err)
	}
	heldOut, err := l.Dataset.HeldOut(s, l.Split)
	if err != nil {
		return Stats{}, err
	}
	parts := l.Split.Parts(s)
	kept, newNode := withoutNodes(parts[0], heldOut)
	inductive := Parts{NewNode: newNode}
	out := Stats{
		Counts: s.Counts(), Labelled: l.Dataset.Labelled, Span: s.Time[s.Len()-1],
		Destinations: len(s.Destinations()), Constant: constantFeatures(s), Batches: describeBatches(s),
		Inductive: InductiveStats{HeldOut: len(heldOut), Train: len(kept), Val: inductive.NumScored(parts[1]), Test: inductive.NumScored(parts[2])},
	}
	for _, isNew := range newNode {
		if isNew {
			out.Inductive.NewNodes++
		}
	}
	for i, part := range parts {
		out.Parts[i] = PartStats{part.Len(), part.Counts().Positives}
	}
	out.describeEvents(s)
	return out, nil
}

// describedBytes returns the memory in bytes that Describe takes at most: the
// maps of moments, pairs and previous events, half full, and what they leave as
// they grow.
func describedBytes(s Stream) int64 { return int64(s.Len()) * 3 * 64 }

func constantFeatures(s Stream) (constant []int) {
	for i := range s.NumFeat {
		same := true
		for k := 0; same && k < s.Len(); k++ {
			same = s.Features(k)[i] == s.Feat[i]
		}
		if same {
			constant = append(constant, i)
		}
	}
	return constant
}

// describeEvents compares events with earlier ones.
func (out *Stats) describeEvents(s Stream) {
	type moment struct {
		src  int32
		time float64
	}
	const several = -1
	first := map[moment]int32{} // destination of the source's events at the time, or several
	pairs := map[[2]int32]bool{}
	previous := map[int32]int{} // a source's last event so far
	repeats, same, followed := 0, 0, 0
	for k := range s.Len() {
		u, v := s.Src[k], s.Dst[k]
		if k > 0 && s.Time[k] == s.Time[k-1] {
			out.EqualTimes++
		}
		m := moment{u, s.Time[k]}
		if dst, ok := first[m]; !ok {
			first[m] = v
		} else if dst != v && dst != several {
			first[m] = several
			out.SplitTies++
		}
		if u == v {
			out.SelfLoops++
		}
		if pairs[[2]int32{u, v}] {
			repeats++
		}
		pairs[[2]int32{u, v}] = true
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
	out.Distinct = s.Len() - out.EqualTimes
	out.RepeatPairs, out.SameAgain = share(repeats, s.Len()), share(same, followed)
}

func describeBatches(s Stream) (out BatchStats) {
	stale, writes, surviving, batches := 0, 0, 0, 0
	for b := range s.Batches(describedBatch) {
		met, sources := map[int32]bool{}, map[int32]bool{}
		for k, u := range b.Src {
			v := b.Dst[k]
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
	out.Stale, out.Surviving, out.Nodes = share(stale, s.Len()), share(surviving, writes), share(surviving, batches)
	return out
}

// share returns part/whole, or 0 if the whole is.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
