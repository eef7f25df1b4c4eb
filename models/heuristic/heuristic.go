// Package heuristic holds the zero-parameter rows that stand in every table:
// rules that look up a pair, a destination or a user. On Wikipedia they beat
// most published numbers, and a table without them misleads.
//
// Every rule reads its tables as they were before the batch. EdgeBank is
// Poursafaei et al. 2022 (unlimited memory, or a time window as in TGB).
package heuristic

import (
	"fmt"
	"math"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

func init() {
	none := func() models.Options { return &models.NoOptions{} }
	link := func(name string, ofPair pairScore, ofDestination destinationScore) {
		register(name, protocol.LinkPrediction, none, func(s models.Setup, _ models.Options) models.Model {
			return newLinkRule(s, ofPair, ofDestination)
		})
	}
	user := func(name string, scalar func(int64, float64) float64) {
		register(name, protocol.NodeClassification, none, func(s models.Setup, _ models.Options) models.Model { return newUserRule(s, scalar) })
	}
	link("recency", byRecency, constant)
	link("popularity", ignorePairs, byPopularity)
	link("recency-pop", byRecency, byPopularity)
	register("recency-decay", protocol.LinkPrediction, func() models.Options { return &DecayOptions{HalfLife: 86_400} }, newRecencyDecay)
	edgeBank := rule("edgebank", protocol.LinkPrediction, func() models.Options { return &EdgeBankOptions{} }, newEdgeBank)
	edgeBank.Fit = fitEdgeBank
	models.Register(edgeBank)
	user("user-count", fewerEvents)
	user("user-age", younger)
}

// register adds a rule.
func register(name string, task protocol.Task, options func() models.Options, build func(models.Setup, models.Options) models.Model) {
	models.Register(rule(name, task, options, func(s models.Setup, o models.Options) (models.Model, error) { return build(s, o), nil }))
}

func rule(name string, task protocol.Task, options func() models.Options, build func(models.Setup, models.Options) (models.Model, error)) models.Kind {
	return models.Kind{
		Name: name, Class: protocol.ZeroParameter, Memory: true, Tasks: []protocol.Task{task}, Options: options, Bytes: bytesOf, New: build,
	}
}

// bytesOf returns the memory of a rule: counts and times of the nodes, and in
// link prediction their pairs, of which every event may make one: an entry and
// its place in a map that is half full.
func bytesOf(s models.Setup, _ models.Options) int64 {
	if s.Task == protocol.NodeClassification {
		return (8 + 8) * int64(s.NumNodes)
	}
	return (8+8+1+8+24)*int64(s.NumNodes) + (36+40)*int64(s.Events)
}

// DecayOptions of recency-decay.
type DecayOptions struct {
	// HalfLife is the age in seconds at which an event counts half.
	HalfLife float64 `yaml:"half_life"`
}

// Validate returns an error for a value that is out of range.
func (o *DecayOptions) Validate() error { return models.InRange("half_life", o.HalfLife, 1, 1e12) }

// newRecencyDecay scores a pair as recency does, and others by the destination's
// popularity, of which every event's share halves with the half-life.
func newRecencyDecay(s models.Setup, o models.Options) models.Model {
	r := newLinkRule(s, byRecency, byDecayed)
	r.halfLife, r.decayed = o.(*DecayOptions).HalfLife, make([]float64, s.NumNodes)
	r.Reset()
	return r
}

// EdgeBankOptions of EdgeBank.
type EdgeBankOptions struct {
	// Window is the share of the training events whose time span is the
	// memory's length; 0 is unlimited. TGB uses 0.15.
	Window float64 `yaml:"window"`
}

// Validate returns an error for a value that is out of range.
func (o *EdgeBankOptions) Validate() error {
	return models.Expect(o.Window >= 0 && o.Window < 1, "window", o.Window, "0 (unlimited) or a share below 1")
}

// newEdgeBank scores a pair 1 if it has occurred, or occurred within the
// window that ends at the latest observed event.
func newEdgeBank(s models.Setup, o models.Options) (models.Model, error) {
	if s.Fitted == nil {
		s.Fitted = fitEdgeBank(s, o)
	}
	span := math.Inf(1)
	if len(s.Fitted) > 0 {
		if len(s.Fitted) > 1 || len(s.Fitted[0]) != 1 || !(s.Fitted[0][0] >= 0) {
			return nil, fmt.Errorf("windows %v, expected one of at least 0 seconds", s.Fitted)
		}
		span = s.Fitted[0][0]
	}
	return newLinkRule(s, func(r *linkRule, p *pair) (float64, bool) { return 1, p.time >= r.now[0]-span }, constant), nil
}

// fitEdgeBank returns the length of the window, where there is one.
func fitEdgeBank(s models.Setup, o models.Options) models.Fitted {
	n, window := s.Train.Len(), o.(*EdgeBankOptions).Window
	if window == 0 || n == 0 {
		return nil
	}
	return models.Fitted{{s.Train.Time[n-1] - datasets.Quantile(s.Train.Time, 1-window)}}
}

// pairScore scores a pair that has occurred; false treats it as a new one.
type pairScore func(r *linkRule, p *pair) (float64, bool)

// destinationScore scores a destination whatever the source.
type destinationScore func(r *linkRule, dst int32) float64

// aboveCounts is larger than any event count, so that every pair that has
// occurred outranks every new one.
const aboveCounts = 1 << 40

// byRecency scores a pair by the number of its last event.
func byRecency(_ *linkRule, p *pair) (float64, bool) { return aboveCounts + float64(p.last), true }

// ignorePairs is for rules that look at the destination only.
func ignorePairs(*linkRule, *pair) (float64, bool) { return 0, false }

// byPopularity scores a destination by its event count.
func byPopularity(r *linkRule, dst int32) float64 { return float64(r.count[dst]) }

// byDecayed scores a destination by its decayed popularity.
func byDecayed(r *linkRule, dst int32) float64 { return r.decayed[dst] }

// constant gives all destinations the same score.
func constant(*linkRule, int32) float64 { return 0 }

// fewerEvents scores new users high: minus the number of earlier events.
func fewerEvents(count int64, _ float64) float64 { return -float64(count) }

// younger scores new users high: minus the seconds since the first event.
func younger(_ int64, age float64) float64 { return -age }
