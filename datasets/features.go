package datasets

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// A Derived feature computes columns from what is known when an event
// arrives: the event itself and earlier events (see Derive). Raw, Standardised,
// Log1p, Gap, Count, HashedID and Categories return one.
type Derived struct {
	name string
	past bool // the columns depend on earlier events
	// fit learns what the columns need from the train part. The stream's
	// features are the file's.
	fit func(train Stream) (columns, error)
}

// String returns a description of the feature.
func (d Derived) String() string { return d.name }

// columns is a fitted feature.
type columns struct {
	width  int
	scaled bool // standardised on the train part
	// fill writes the columns of event k. h holds the events before its window.
	fill func(s Stream, k int, h *history, out []float32)
}

// Side is one end of an event.
type Side int

// The two sides.
const (
	Source Side = iota
	Destination
)

func (d Side) String() string { return [...]string{"source", "destination"}[d] }

// node returns the node on that side of event k.
func (d Side) node(s Stream, k int) int32 {
	if d == Source {
		return s.Src[k]
	}
	return s.Dst[k]
}

// Raw is the file's features as they are.
func Raw() Derived { return file("the file's features", false) }

// Standardised is the file's features, each with mean 0 and standard deviation 1
// in the train part.
func Standardised() Derived { return file("the file's features, standardised", true) }

func file(name string, scaled bool) Derived {
	return Derived{name, false, func(train Stream) (columns, error) {
		return columns{train.NumFeat, scaled, func(s Stream, k int, _ *history, out []float32) {
			copy(out, s.Features(k))
		}}, nil
	}}
}

// Log1p is log(1+x) of a feature of the file, counted from 0. Values must
// be above -1.
func Log1p(feature int) Derived {
	return Derived{fmt.Sprintf("log1p of feature %d", feature+1), false, func(train Stream) (columns, error) {
		return columns{1, true, func(s Stream, k int, _ *history, out []float32) {
			out[0] = float32(math.Log1p(float64(s.Features(k)[feature])))
		}}, hasFeature(train, feature)
	}}
}

// Gap is log(1+time) since the previous event of the node on that side, as
// source or destination; 0 for its first event.
func Gap(side Side) Derived {
	return measured(fmt.Sprintf("log1p of the time since the %s's previous event", side), func(s Stream, k int, h *history) float64 {
		n := side.node(s, k)
		if !h.seen[n] {
			return 0
		}
		return s.Time[k] - h.last[n]
	})
}

// Count is log(1+n), n being the number of earlier events with the same node on
// that side.
func Count(side Side) Derived {
	return measured(fmt.Sprintf("log1p of the number of earlier events of the %s as %s", side, side), func(s Stream, k int, h *history) float64 {
		return float64(h.count[side][side.node(s, k)])
	})
}

// measured is log(1+x) of a value of the history.
func measured(name string, value func(s Stream, k int, h *history) float64) Derived {
	return Derived{name, true, func(Stream) (columns, error) {
		return columns{1, true, func(s Stream, k int, h *history, out []float32) {
			out[0] = float32(math.Log1p(value(s, k, h)))
		}}, nil
	}}
}

// hashSeed makes HashedID the same everywhere.
const hashSeed = 0x9e3779b97f4a7c15

// HashedID hashes the node on that side into one of the columns, as 1 or -1
// (Weinberger et al., Feature hashing, ICML 2009). It panics if there are no
// buckets.
func HashedID(side Side, buckets int) Derived {
	if buckets < 1 {
		panic(fmt.Sprintf("datasets: %d hash buckets", buckets))
	}
	return Derived{fmt.Sprintf("id of the %s hashed into %d columns", side, buckets), false, func(Stream) (columns, error) {
		return columns{width: buckets, fill: func(s Stream, k int, _ *history, out []float32) {
			h := mix(uint64(side.node(s, k)) + hashSeed)
			out[h%uint64(buckets)] = 1 - 2*float32(h>>63)
		}}, nil
	}}
}

// mix is the finaliser of SplitMix64 (Steele et al., OOPSLA 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// maxCategories distinguishes a column of categories from one of measurements.
const maxCategories = 1000

// Categories has one column for every value that the feature of the file
// (counted from 0) takes in the train part, 1 if the event has it. Other
// values are zeros everywhere.
func Categories(feature int) Derived {
	return Derived{fmt.Sprintf("categories of feature %d", feature+1), false, func(train Stream) (columns, error) {
		if err := hasFeature(train, feature); err != nil {
			return columns{}, err
		}
		known := map[float32]int{}
		for k := range train.Len() {
			known[train.Features(k)[feature]] = 0
		}
		if len(known) > maxCategories {
			return columns{}, fmt.Errorf("feature %d has %d different values, more than the %d that categories may have",
				feature+1, len(known), maxCategories)
		}
		for i, value := range slices.Sorted(maps.Keys(known)) {
			known[value] = i
		}
		return columns{width: len(known), fill: func(s Stream, k int, _ *history, out []float32) {
			if i, ok := known[s.Features(k)[feature]]; ok {
				out[i] = 1
			}
		}}, nil
	}}
}

func hasFeature(s Stream, feature int) error {
	if feature >= s.NumFeat {
		return fmt.Errorf("feature %d is declared, but the file has %d", feature+1, s.NumFeat)
	}
	return nil
}
