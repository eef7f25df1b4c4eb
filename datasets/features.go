package datasets

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// A Derived feature makes columns out of what is known when an event
// arrives: the event itself and earlier events (see Derive). Make one with Raw,
// Standardised, Log1p, Gap, Count, HashedID or Categories.
type Derived struct {
	name string
	past bool // its columns depend on earlier events
	// fit learns what the columns need from the train part. The stream's
	// features are the file's.
	fit func(train Stream) (columns, error)
}

// String is the feature in words.
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

// of is the node on that side of event k.
func (d Side) of(s Stream, k int) int32 {
	if d == Source {
		return s.Src[k]
	}
	return s.Dst[k]
}

// Raw passes the file's features on as they are.
func Raw() Derived {
	return Derived{"the file's features", false, func(train Stream) (columns, error) {
		return columns{width: train.NumFeat, fill: func(s Stream, k int, _ *history, out []float32) {
			copy(out, s.Features(k))
		}}, nil
	}}
}

// Standardised passes the file's features on, each with mean 0 and standard
// deviation 1 in the train part.
func Standardised() Derived {
	return Derived{"the file's features, standardised", false, func(train Stream) (columns, error) {
		c, err := Raw().fit(train)
		c.scaled = true
		return c, err
	}}
}

// Log1p is log(1+x) of a feature of the file, counted from 0. Values must
// be above -1.
func Log1p(feature int) Derived {
	return Derived{fmt.Sprintf("log1p of feature %d", feature+1), false, func(train Stream) (columns, error) {
		if err := hasFeature(train, feature); err != nil {
			return columns{}, err
		}
		return oneColumn(func(s Stream, k int, _ *history) float64 {
			return math.Log1p(float64(s.Features(k)[feature]))
		})
	}}
}

// Gap is log(1+time) since the previous event of the node on that side, in
// whichever role it took part; 0 for its first event.
func Gap(side Side) Derived {
	return Derived{fmt.Sprintf("log1p of the time since the %s's previous event", side), true, func(Stream) (columns, error) {
		return oneColumn(func(s Stream, k int, h *history) float64 {
			n := side.of(s, k)
			if !h.seen[n] {
				return 0
			}
			return math.Log1p(s.Time[k] - h.last[n])
		})
	}}
}

// Count is log(1+n), n being the earlier events with the same node on that
// side.
func Count(side Side) Derived {
	return Derived{fmt.Sprintf("log1p of the number of earlier events of the %s as %s", side, side), true, func(Stream) (columns, error) {
		return oneColumn(func(s Stream, k int, h *history) float64 {
			return math.Log1p(float64(h.count[side][side.of(s, k)]))
		})
	}}
}

// oneColumn is a single scaled column.
func oneColumn(value func(s Stream, k int, h *history) float64) (columns, error) {
	return columns{width: 1, scaled: true, fill: func(s Stream, k int, h *history, out []float32) {
		out[0] = float32(value(s, k, h))
	}}, nil
}

// hashSeed makes HashedID the same everywhere.
const hashSeed = 0x9e3779b97f4a7c15

// HashedID puts the node on that side into one of so many columns, as 1 or
// -1 (Weinberger et al., Feature hashing, ICML 2009). It panics when there
// are no buckets.
func HashedID(side Side, buckets int) Derived {
	if buckets < 1 {
		panic(fmt.Sprintf("datasets: %d hash buckets", buckets))
	}
	return Derived{fmt.Sprintf("id of the %s hashed into %d columns", side, buckets), false, func(Stream) (columns, error) {
		return columns{width: buckets, fill: func(s Stream, k int, _ *history, out []float32) {
			h := mix(uint64(side.of(s, k)) + hashSeed)
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

// mostCategories tells a column of categories from one of measurements.
const mostCategories = 1000

// Categories has one column for every value that the feature of the file
// (counted from 0) takes in the train part, 1 where the event has it. Other
// values have zeros everywhere.
func Categories(feature int) Derived {
	return Derived{fmt.Sprintf("categories of feature %d", feature+1), false, func(train Stream) (columns, error) {
		if err := hasFeature(train, feature); err != nil {
			return columns{}, err
		}
		known := map[float32]int{}
		for k := range train.Len() {
			known[train.Features(k)[feature]] = 0
		}
		if len(known) > mostCategories {
			return columns{}, fmt.Errorf("feature %d has %d different values, more than the %d that categories may have",
				feature+1, len(known), mostCategories)
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
