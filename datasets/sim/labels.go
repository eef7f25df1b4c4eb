package sim

import (
	"math"
	"math/rand/v2"
)

// follow is how fast the base rate of positives is corrected.
const follow = 0.001

// odds decides labels.
type odds struct {
	w    Labels
	rate float64 // positives wanted, as a share of the events
	left int     // positives still to come
	base float64 // log-odds of an event without history
}

func newOdds(p Params) odds {
	rate := float64(p.Positives) / float64(p.Events)
	return odds{w: p.Labels, rate: rate, left: p.Positives, base: math.Log(rate / (1 - rate))}
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
// rate stays the wanted one, and what is still missing corrects the chance,
// so that the number of positives comes out exactly (selection sampling).
func (o *odds) draw(rng *rand.Rand, logit float64, events int, allowed bool) int8 {
	chance := 1 / (1 + math.Exp(-logit))
	o.base += follow * (1 - chance/o.rate)
	chance *= float64(o.left) / (float64(events) * o.rate)
	if r := rng.Float64(); allowed && (r < chance || o.left >= events) && o.left > 0 {
		o.left--
		return 1
	}
	return 0
}
