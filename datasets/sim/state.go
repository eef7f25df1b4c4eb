package sim

import (
	"math"
	"math/rand/v2"
)

// numRecent is the number of destinations that a source can return to.
const numRecent = 8

// Decay factors of the moving averages, per event of the node. A source's events
// are far apart in the stream, so slow averages reach back further than a batch.
const (
	keepMood  = 0.75
	keepTaste = 0.995 // taste and trait
	keepFace  = 0.999 // factors of destinations
	keepFast  = 0.6
	keepSlow  = 0.95
	keepRisk  = 0.95
)

// The scale of the noise that restores a variance of 1 after the decay.
var (
	freshMood  = rest(keepMood)
	freshTaste = rest(keepTaste)
	freshFace  = rest(keepFace)
)

func rest(keep float64) float32 { return float32(math.Sqrt(1 - keep*keep)) }

// actor is the hidden state of a node as a source.
type actor struct {
	taste, mood [dims]float32
	trait       float32 // what its tones have in common
	fast, slow  float32 // averages of its tones
	roam        float32 // chance to explore
	events      int32

	recent [numRecent]int32 // its last destinations, all different, the last one first
	known  int8             // number of them
	gone   bool
}

// target is the hidden state of a node as a destination.
type target struct {
	factor [dims]float32
	risk   float32 // average of its visitors' tones
}

// mul returns a product that is rounded before it is added to anything, so that
// no machine fuses the operations and streams are the same everywhere.
func mul(a, b float32) float32 { return float32(a * b) }

// average updates a running average.
func average(old, x, keep float32) float32 { return mul(keep, old) + mul(1-keep, x) }

func normal(rng *rand.Rand) float32 { return float32(rng.NormFloat64()) }

// enter draws the state of a newcomer.
func (a *actor) enter(rng *rand.Rand, l Links) {
	for i := range a.taste {
		a.taste[i] = normal(rng)
	}
	a.trait = normal(rng)
	a.roam = float32(l.Explore * math.Pow(rng.Float64(), l.Roam))
}

// enter draws the state of a destination near the centroid of its topic.
func (t *target) enter(rng *rand.Rand, centroid [dims]float64) {
	for i := range t.factor {
		t.factor[i] = float32(centroid[i]) + normal(rng)/2
	}
}

// act updates the source's state with an event and returns the event's tone. The
// features h get the taste, the tone and the impulse that changes the mood.
func (a *actor) act(rng *rand.Rand, h *[numHidden]float32) (tone float32) {
	copy(h[atTaste:], a.taste[:])
	for i := range dims {
		impulse := normal(rng)
		h[atImpulse+i] = impulse
		a.mood[i] = mul(keepMood, a.mood[i]) + mul(freshMood, impulse)
		a.taste[i] = mul(keepTaste, a.taste[i]) + mul(freshTaste, normal(rng))
	}
	tone = a.trait + normal(rng)
	h[atTone] = tone
	a.trait = mul(keepTaste, a.trait) + mul(freshTaste, normal(rng))
	return tone
}

// drift copies the destination's factor to the features h and moves it around
// the centroid of its topic.
func (t *target) drift(rng *rand.Rand, h *[numHidden]float32, centroid [dims]float64) {
	copy(h[atFactor:], t.factor[:])
	for i := range dims {
		c := float32(centroid[i])
		t.factor[i] = c + mul(keepFace, t.factor[i]-c) + mul(freshFace/2, normal(rng))
	}
}

// visit makes v the first of the recent destinations.
func (a *actor) visit(v int32) {
	at := 0
	for at < int(a.known) && a.recent[at] != v {
		at++
	}
	if at == int(a.known) && at < numRecent {
		a.known++
	}
	at = min(at, numRecent-1)
	copy(a.recent[1:at+1], a.recent[:at])
	a.recent[0] = v
}

// minRateStep is the smallest step of correcting the base rate of positives.
const minRateStep = 0.001

// odds draws labels.
type odds struct {
	p    Params
	left int     // positives still to come
	rate float64 // positives wanted, as a share of the events
	step float64 // of correcting the base
	base float64 // log-odds of an event without history
}

func newOdds(p Params) odds {
	rate := float64(p.Positives) / float64(p.Events)
	// On a short stream the base must converge within a window, or the quota
	// would determine the labels instead of the signal.
	step := max(minRateStep, float64(p.Labels.Quotas)/float64(p.Events))
	return odds{p: p, left: p.Positives, rate: rate, step: step, base: math.Log(rate / (1 - rate))}
}

// window returns the events and positives that are left of the present window
// when `events` of the stream are left.
func (o *odds) window(events int) (inWindow, positives int) {
	all, wanted, quotas := o.p.Events, o.p.Positives, max(1, o.p.Labels.Quotas)
	done := all - events
	next := done*quotas/all + 1 // windows up to the end of this one
	end := (next*all + quotas - 1) / quotas
	later := wanted - next*wanted/quotas
	return end - done, o.left - later
}

// logit adds the event's tone to the averages of both nodes and returns the
// log-odds of a positive label: the hidden signal.
func (o *odds) logit(a *actor, t *target, tone float32) float64 {
	a.fast = average(a.fast, tone, keepFast)
	a.slow = average(a.slow, tone, keepSlow)
	t.risk = average(t.risk, tone, keepRisk)
	a.events++
	w := o.p.Labels
	return o.base + w.Fast*float64(a.fast) + w.Slow*float64(a.slow) + w.Other*float64(t.risk) - w.Count*math.Log(float64(a.events))
}

// draw draws the label of an event with these log-odds, when `events` are left,
// this one included. The base is adjusted to the hidden signal so that the rate
// of positives stays as wanted. The probability is corrected by what is missing in
// the window, so that its number of positives is exact (selection sampling).
func (o *odds) draw(rng *rand.Rand, logit float64, events int, allowed bool) int8 {
	chance := 1 / (1 + math.Exp(-logit))
	o.base += o.step * (1 - chance/o.rate)
	events, left := o.window(events)
	chance *= float64(left) / (float64(events) * o.rate)
	if r := rng.Float64(); allowed && (r < chance || left >= events) && left > 0 {
		o.left--
		return 1
	}
	return 0
}
