package record

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dgsbench/internal/optional"
	"dgsbench/protocol"
)

// Live is what a live test adds to a record. What was answered at each of its points is
// in the sidecar, as an evaluation of the test part under the point's name.
type Live struct {
	// Run identifies the run by the time of its start (RFC 3339, UTC):
	// times are compared within a run alone. A simulated test has those of the measured one
	// that its service times are of.
	Run       string          `json:"run"`
	Load      optional.Number `json:"load"` // as of a latency test
	Simulated bool            `json:"simulated,omitempty"`
	// Events is the number of test events that are repeated, from the first on.
	Events int `json:"events"`
	// Preload is the most validation events that are due before them and do not count.
	Preload int `json:"preload"`
	// Service is how long the model takes for a batch, by ascending size.
	Service []ServiceTime `json:"service"`
	Points  []LivePoint   `json:"points"` // by ascending rate
}

// OneByOne names the answers of a live test to events that wait for nothing, each
// from the state after all events before it.
const OneByOne = "one-by-one"

// ServiceTime is the mean time of an answer to a batch, with what folds it in and
// with labels that became known before.
type ServiceTime struct {
	Batch   int     `json:"batch"`   // events
	Batches int     `json:"batches"` // that were timed
	Seconds float64 `json:"seconds"` // mean
}

// LivePoint is what was measured at one rate.
type LivePoint struct {
	Rate     int  `json:"rate"`               // mean number of events due in a second
	Searched bool `json:"searched,omitempty"` // the search for a highest rate asked for it
	Tries    int  `json:"tries"`              // this is the last; others missed a limit, or were invalid
	Turns    int  `json:"turns"`              // over the events, the last of which may have been cut short
	Answers  int  `json:"answers"`
	Batches  int  `json:"batches"`
	// Unanswered are events that were due when the point ended.
	Unanswered int `json:"unanswered"`
	// Seconds are from when the first event was due to the last answer.
	Seconds float64 `json:"seconds"`
	// Histogram is an HdrHistogram of response times in nanoseconds, from when an event
	// was due to its answer, as that of a Timing. Those of events without an answer are
	// until the point ended.
	Histogram string `json:"histogram"`
	// HandOver is the 99.9th percentile, in seconds, of how late events were taken for
	// which the model was waiting, among all events.
	HandOver float64 `json:"hand_over"`
	// Growth is by how many events the backlog grew between the middle third of the
	// time and the last one, as a share of those due in a third; 0 if by less than a
	// mean batch.
	Growth  float64 `json:"growth"`
	Invalid string  `json:"invalid,omitempty"` // why it says nothing about the model
}

// Name returns the name of the point's evaluation.
func (p LivePoint) Name() string { return fmt.Sprintf("rate-%d", p.Rate) }

// mostGrowth is the growth beyond which a point is overloaded.
const mostGrowth = 0.01

// Overloaded reports whether the backlog still grew at the end: the model cannot keep up.
func (p LivePoint) Overloaded() bool { return p.Growth > mostGrowth }

// Responses returns the response times in nanoseconds.
func (p LivePoint) Responses() (*hdrhistogram.Histogram, error) { return DecodeHistogram(p.Histogram) }

// ServiceOf returns the seconds that a batch of n events takes, linear between the
// sizes that were timed and proportional beyond the largest.
func (l Live) ServiceOf(n int) float64 {
	i, found := slices.BinarySearchFunc(l.Service, n, func(s ServiceTime, n int) int { return cmp.Compare(s.Batch, n) })
	switch {
	case found:
		return l.Service[i].Seconds
	case i == len(l.Service):
		last := l.Service[i-1]
		return last.Seconds * float64(n) / float64(last.Batch)
	case i == 0:
		return l.Service[0].Seconds
	}
	a, b := l.Service[i-1], l.Service[i]
	return a.Seconds + (b.Seconds-a.Seconds)*float64(n-a.Batch)/float64(b.Batch-a.Batch)
}

// Keeps reports whether the 99.9th percentile of response times at a point is within a
// limit. It never is at one that is invalid, or has too few answers, or a backlog
// that grows.
func (p LivePoint) Keeps(limit time.Duration) bool {
	if !p.Known() || p.Invalid != "" || p.Overloaded() {
		return false
	}
	return p.tail() <= int64(limit)
}

// Known reports whether the point tells if a limit is kept: it has enough answers, or
// cannot have them.
func (p LivePoint) Known() bool {
	return p.Answers >= protocol.FewestAnswers || p.Overloaded() || p.Invalid != ""
}

// Better reports whether the point says more of the model than another try at its rate.
func (p LivePoint) Better(other LivePoint) bool {
	if (p.Invalid == "") != (other.Invalid == "") {
		return p.Invalid == ""
	}
	if p.Overloaded() != other.Overloaded() {
		return !p.Overloaded()
	}
	return p.tail() < other.tail()
}

// tail returns the 99.9th percentile in nanoseconds.
func (p LivePoint) tail() int64 {
	h, err := p.Responses()
	if err != nil {
		return longest
	}
	return h.ValueAtQuantile(99.9)
}

// Bracket returns the lowest rate that misses a limit, and the highest below it that keeps
// it; 0 where there is none. A point that is invalid misses it where nothing higher keeps it.
func (l Live) Bracket(limit time.Duration) (keeps, misses int) {
	for _, p := range l.Points {
		if p.Known() && p.Invalid == "" && !p.Keeps(limit) && (misses == 0 || p.Rate < misses) {
			misses = p.Rate
		}
	}
	for _, p := range l.Points {
		if p.Keeps(limit) && (misses == 0 || p.Rate < misses) {
			keeps = max(keeps, p.Rate)
		}
	}
	for _, p := range l.Points {
		if p.Invalid != "" && p.Rate > keeps && (misses == 0 || p.Rate < misses) {
			misses = p.Rate
		}
	}
	return keeps, misses
}

// longest is the longest time of a histogram in nanoseconds: an hour.
const longest = int64(3600e9)

// NewHistogram returns an HdrHistogram of nanoseconds: up to an hour, with three digits.
func NewHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, longest, 3) }

// AddTo records nanoseconds in a histogram of NewHistogram; those out of its range as
// the nearest in it.
func AddTo(h *hdrhistogram.Histogram, ns ...int64) {
	for _, n := range ns {
		if err := h.RecordValue(min(max(n, 1), longest)); err != nil {
			panic(fmt.Sprintf("record: %v", err)) // within the bounds that it was made for
		}
	}
}

// EncodeHistogram returns the text of a histogram (V2, compressed, base64).
func EncodeHistogram(h *hdrhistogram.Histogram) string {
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		panic(fmt.Sprintf("record: %v", err)) // it is written to memory
	}
	return string(text)
}

// DecodeHistogram reads the text of EncodeHistogram.
func DecodeHistogram(text string) (*hdrhistogram.Histogram, error) {
	return hdrhistogram.Decode([]byte(text))
}
