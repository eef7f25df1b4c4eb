package datasets

import (
	"fmt"
	"math"
	"slices"
)

// A Derived feature computes columns from what is known when an event
// arrives: the event itself and earlier events (see Cut). Raw, Standardised,
// Log1p, Gap, Count, HashedID and Velocity return one.
type Derived struct {
	kind kind
	name string
	// columns are the names of the columns of a file whose features have these
	// names; nil stands for the feature's own name.
	columns func(file []string) []string
	needs   int  // the smallest number of features of the file
	past    bool // the columns depend on earlier events
	scaled  bool // they are standardised on the train part
	// fill writes the columns of event k, which are 0 before. h holds the events
	// before its window.
	fill func(s Stream, k int, h *history, out []float32)
}

// kind is the function that returned a feature, with its arguments.
type kind struct {
	Name    string `json:"kind"`
	Feature int    `json:"feature,omitempty"` // from 0
	Side    string `json:"side,omitempty"`
	Columns int    `json:"columns,omitempty"`
}

// derived returns the feature. It is an error if there is none.
func (k kind) derived() (d Derived, err error) {
	side := Source
	if k.Side == Destination.String() {
		side = Destination
	}
	switch k.Name {
	case "raw":
		d = Raw()
	case "standardised":
		d = Standardised()
	case "log1p":
		d = Log1p(k.Feature)
	case "gap":
		d = Gap(side)
	case "count":
		d = Count(side)
	case "hashed id":
		d = HashedID(side, min(max(k.Columns, 1), maxDerived))
	case "velocity":
		d = Velocity()
	}
	if d.kind != k || k.Feature < 0 {
		return d, fmt.Errorf("no derived feature %+v is known", k)
	}
	return d, nil
}

// names returns the names of the columns; the features of the file have these.
func (d Derived) names(file []string) []string {
	if d.columns == nil {
		return []string{d.name}
	}
	return d.columns(file)
}

// String returns a description of the feature.
func (d Derived) String() string { return d.name }

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
func Raw() Derived { return file("raw", "the file's features", false) }

// Standardised is the file's features, each with mean 0 and standard deviation 1
// in the train part.
func Standardised() Derived { return file("standardised", "the file's features, standardised", true) }

func file(of, name string, scaled bool) Derived {
	return Derived{kind: kind{Name: of}, name: name, columns: slices.Clone[[]string], scaled: scaled, fill: func(s Stream, k int, _ *history, out []float32) {
		copy(out, s.Features(k))
	}}
}

// Log1p is log(1+x) of a feature of the file, counted from 0. Values must
// be above -1.
func Log1p(feature int) Derived {
	d := logarithm(kind{Name: "log1p", Feature: feature}, fmt.Sprintf("feature %d", feature+1), func(s Stream, k int, _ *history) float64 {
		return float64(s.Features(k)[feature])
	})
	d.needs = feature + 1
	d.columns = func(file []string) []string { return []string{"log1p of " + file[feature]} }
	return d
}

// Gap is log(1+time) since the previous event of the node on that side, as
// source or destination; 0 for its first event.
func Gap(side Side) Derived {
	return past(kind{Name: "gap", Side: side.String()}, fmt.Sprintf("the time since the %s's previous event", side), func(s Stream, k int, h *history) float64 {
		n := side.node(s, k)
		if h.count[Source][n]+h.count[Destination][n] == 0 {
			return 0
		}
		return s.Time[k] - h.last[n]
	})
}

// Count is log(1+n), n being the number of earlier events with the same node on
// that side.
func Count(side Side) Derived {
	return past(kind{Name: "count", Side: side.String()}, fmt.Sprintf("the number of earlier events of the %s as %s", side, side), func(s Stream, k int, h *history) float64 {
		return float64(h.count[side][side.node(s, k)])
	})
}

// past is the logarithm of a value that depends on earlier events.
func past(k kind, name string, value func(s Stream, k int, h *history) float64) Derived {
	d := logarithm(k, name, value)
	d.past = true
	return d
}

// logarithm is log(1+x) of a value.
func logarithm(k kind, of string, value func(s Stream, k int, h *history) float64) Derived {
	return Derived{kind: k, name: "log1p of " + of, scaled: true, fill: func(s Stream, k int, h *history, out []float32) {
		out[0] = float32(math.Log1p(value(s, k, h)))
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
	name := fmt.Sprintf("id of the %s hashed into %d columns", side, buckets)
	columns := func([]string) (out []string) {
		for i := range buckets {
			out = append(out, fmt.Sprintf("column %d of the hashed id of the %s", i+1, side))
		}
		return out
	}
	is := kind{Name: "hashed id", Side: side.String(), Columns: buckets}
	return Derived{kind: is, name: name, columns: columns, fill: func(s Stream, k int, _ *history, out []float32) {
		h := mix(uint64(side.node(s, k)) + hashSeed)
		out[h%uint64(buckets)] = 1 - 2*float32(h>>63)
	}}
}

// mix is the finaliser of SplitMix64 (Steele et al., OOPSLA 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
