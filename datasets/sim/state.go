package sim

import (
	"math"
	"math/rand/v2"
)

// remembered is how many destinations a source can return to.
const remembered = 8

// Memory of the moving averages, in events of the node. A source's events lie
// far apart in the stream, so slow ones reach back much further than a batch.
const (
	keepMood  = 0.75  // of the event before
	keepTaste = 0.995 // taste and trait drift
	keepFace  = 0.999 // so do the factors of destinations
	keepFast  = 0.6
	keepSlow  = 0.95
	keepRisk  = 0.95
)

// The rest of a variance of 1 after keeping a part of the deviation.
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

	recent [remembered]int32 // its last destinations, all different, the last one first
	known  int8              // how many there are
	gone   bool
}

// target is the hidden state of a node as a destination.
type target struct {
	factor [dims]float32
	risk   float32 // average of its visitors' tones
}

// mul is a product that is rounded before it is added to anything, so that
// no machine fuses the two and streams are the same everywhere.
func mul(a, b float32) float32 { return float32(a * b) }

// average moves a running average.
func average(old, x, keep float32) float32 { return mul(keep, old) + mul(1-keep, x) }

func normal(rng *rand.Rand) float32 { return float32(rng.NormFloat64()) }

// enter draws a newcomer.
func (a *actor) enter(rng *rand.Rand, l Links) {
	for i := range a.taste {
		a.taste[i] = normal(rng)
	}
	a.trait = normal(rng)
	a.roam = float32(l.Explore * math.Pow(rng.Float64(), l.Roam))
}

// enter draws a destination near the centroid of its topic.
func (t *target) enter(rng *rand.Rand, centroid [dims]float64) {
	for i := range t.factor {
		t.factor[i] = float32(centroid[i]) + normal(rng)/2
	}
}

// act moves the source's state through an event and returns its tone. The
// event shows the taste, the tone and what moves the mood.
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

// drift shows the destination's factor in the event and moves it, around the
// centroid of its topic.
func (t *target) drift(rng *rand.Rand, h *[numHidden]float32, centroid [dims]float64) {
	copy(h[atFactor:], t.factor[:])
	for i := range dims {
		c := float32(centroid[i])
		t.factor[i] = c + mul(keepFace, t.factor[i]-c) + mul(freshFace/2, normal(rng))
	}
}

// remember puts a destination first among the recent ones.
func (a *actor) remember(v int32) {
	at := 0
	for at < int(a.known) && a.recent[at] != v {
		at++
	}
	if at == int(a.known) && at < remembered {
		a.known++
	}
	at = min(at, remembered-1)
	copy(a.recent[1:at+1], a.recent[:at])
	a.recent[0] = v
}
