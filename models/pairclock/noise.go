package pairclock

import (
	"math/rand/v2"
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
)

// noise draws the destinations that an event's true one is told from: the latest
// ones of the source, all of them; some of the last events', so that one is the
// likelier the more popular it is; some of all of the training part; and some of all
// nodes, as those that never were a destination may be asked for, too.
type noise struct {
	Noise
	all    []int32 // destinations of the training part, ascending
	stream *rand.PCG
	rng    *rand.Rand

	recent []int32 // destinations of the last events, oldest first from at
	at     int
	times  []int32 // how often a destination is in recent

	nodes []int32 // scratch: the destinations of an event
	drawn []int32 // how often each was drawn
}

// ForNoise are the draws of an event's destinations in training.
const ForNoise nn.Purpose = "noise"

func newNoise(o Noise, s models.Setup) *noise {
	r := nn.Rand(s.Seed, ForNoise)
	stream := rand.NewPCG(r.Uint64(), r.Uint64()) // one whose state can be kept
	return &noise{
		Noise: o, all: slices.Compact(slices.Sorted(slices.Values(s.Train.Dst))),
		stream: stream, rng: rand.New(stream), times: make([]int32, s.NumNodes),
	}
}

func (n *noise) reset() {
	n.recent, n.at = n.recent[:0], 0
	clear(n.times)
}

// fold adds the destinations of the batch to the recent ones.
func (n *noise) fold(b datasets.Stream) {
	for _, v := range b.Dst {
		n.times[v]++
		if len(n.recent) < n.Window {
			n.recent = append(n.recent, v)
			continue
		}
		n.times[n.recent[n.at]]--
		n.recent[n.at] = v
		n.at = (n.at + 1) % n.Window
	}
}

// inOrder returns the recent destinations, oldest first.
func (n *noise) inOrder() []int32 { return slices.Concat(n.recent[n.at:], n.recent[:n.at]) }

// draw returns the true destination and the drawn ones, each once, with how often
// each was drawn. Both are valid until the next call.
func (n *noise) draw(s *source, truth int32) (nodes, drawn []int32) {
	n.nodes, n.drawn = append(n.nodes[:0], truth), append(n.drawn[:0], 0)
	add := func(v int32) {
		i := slices.Index(n.nodes, v)
		if i < 0 {
			n.nodes, n.drawn, i = append(n.nodes, v), append(n.drawn, 0), len(n.nodes)
		}
		n.drawn[i]++
	}
	for _, p := range n.own(s) {
		add(p.dst)
	}
	if len(n.recent) > 0 {
		for range n.Recent {
			add(n.recent[n.rng.IntN(len(n.recent))])
		}
	}
	if len(n.all) > 0 {
		for range n.Uniform {
			add(n.all[n.rng.IntN(len(n.all))])
		}
	}
	for range n.Any {
		add(int32(n.rng.IntN(len(n.times))))
	}
	return n.nodes, n.drawn
}

// own are the latest pairs of the source.
func (n *noise) own(s *source) []pair { return s.pairs[max(0, len(s.pairs)-n.Own):] }

// expected is how often a node is drawn on average. Where Any is 0, a node outside the
// training part counts like one inside, so that the result is above zero.
func (n *noise) expected(s *source, v int32) float64 {
	e := float64(n.Any) / float64(len(n.times))
	if _, found := slices.BinarySearch(n.all, v); found || n.Any == 0 {
		e += float64(n.Uniform) / float64(max(1, len(n.all)))
	}
	if len(n.recent) > 0 {
		e += float64(n.Recent) * float64(n.times[v]) / float64(len(n.recent))
	}
	if slices.ContainsFunc(n.own(s), func(p pair) bool { return p.dst == v }) {
		e++
	}
	return e
}
