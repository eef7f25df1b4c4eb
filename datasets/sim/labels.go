package sim

import (
	"math"
	"math/rand/v2"
)

// follow is how fast the base rate of positives is corrected, at least.
const follow = 0.001

// odds decides labels.
type odds struct {
	w      Labels
	events int     // of the stream
	wanted int     // positives among them
	left   int     // positives still to come
	rate   float64 // positives wanted, as a share of the events
	follow float64 // how fast the base is corrected
	base   float64 // log-odds of an event without history
}

func newOdds(p Params) odds {
	rate := float64(p.Positives) / float64(p.Events)
	o := odds{w: p.Labels, events: p.Events, wanted: p.Positives, left: p.Positives, rate: rate, base: math.Log(rate / (1 - rate))}
	// On a short stream the base has to settle within a window, or the quota
	// would decide the labels instead of the signal.
	o.follow = max(follow, float64(o.w.Quotas)/float64(p.Events))
	o.w.Quotas = max(1, o.w.Quotas)
	return o
}

// window is what is left of the present window when `events` of the stream
// are: its events and its positives.
func (o *odds) window(events int) (inWindow, positives int) {
	done := o.events - events
	next := done*o.w.Quotas/o.events + 1 // windows up to the end of this one
	end := (next*o.events + o.w.Quotas - 1) / o.w.Quotas
	later := o.wanted - next*o.wanted/o.w.Quotas
	return end - done, o.left - later
}

// logit folds the event's tone into both ends and gives the log-odds of a
// positive label: the hidden signal.
func (o *odds) logit(a *actor, t *target, tone float32) float64 {
	a.fast = average(a.fast, tone, keepFast)
	a.slow = average(a.slow, tone, keepSlow)
	t.risk = average(t.risk, tone, keepRisk)
	a.events++
	return o.base + o.w.Fast*float64(a.fast) + o.w.Slow*float64(a.slow) + o.w.Other*float64(t.risk) -
		o.w.Count*math.Log(float64(a.events))
}

// draw decides the label of an event with these log-odds, when `events` are
// left, this one included. The base follows the hidden signal so that the
// rate stays the wanted one, and what the window still misses corrects the
// chance, so that its number of positives comes out exactly (selection
// sampling).
func (o *odds) draw(rng *rand.Rand, logit float64, events int, allowed bool) int8 {
	chance := 1 / (1 + math.Exp(-logit))
	o.base += o.follow * (1 - chance/o.rate)
	events, left := o.window(events)
	chance *= float64(left) / (float64(events) * o.rate)
	if r := rng.Float64(); allowed && (r < chance || left >= events) && left > 0 {
		o.left--
		return 1
	}
	return 0
}
