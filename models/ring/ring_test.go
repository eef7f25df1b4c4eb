package ring

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/cpu"
	"dgsbench/models"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// seen is one end of an event that the log keeps.
type seen struct {
	Neighbour, Event int32
	Time             float64
	Feature          float32
}

// eventLog is all events of every node: what the ring abridges.
type eventLog [][]seen

func (l eventLog) insert(b datasets.Stream) {
	for k := range b.Len() {
		for _, ends := range [][2]int32{{b.Src[k], b.Dst[k]}, {b.Dst[k], b.Src[k]}} {
			l[ends[0]] = append(l[ends[0]], seen{ends[1], int32(b.EventID(k)), b.Time[k], b.Features(k)[0]})
		}
	}
}

func (l eventLog) last(node int32, size int) []seen {
	return l[node][max(0, len(l[node])-size):]
}

// reach lists the nodes at most steps away.
func (l eventLog) reach(from []int32, steps, size int) []int32 {
	out := slices.Clone(from)
	for range steps {
		for _, n := range slices.Clone(out) {
			for _, s := range l.last(n, size) {
				out = append(out, s.Neighbour)
			}
		}
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out
}

// streams have self-loops, repeated pairs, and events that were left out.
func streams(nodes int) *rapid.Generator[datasets.Stream] {
	return rapid.Custom(func(t *rapid.T) datasets.Stream {
		n := rapid.IntRange(0, 80).Draw(t, "events")
		node := rapid.Int32Range(0, int32(nodes-1))
		s := datasets.Stream{NumNodes: nodes, NumFeat: 1, Label: make([]int8, n)}
		var kept []int
		for k := range n {
			s.Src, s.Dst = append(s.Src, node.Draw(t, "src")), append(s.Dst, node.Draw(t, "dst"))
			s.Time, s.Feat = append(s.Time, float64(k/2)+.1), append(s.Feat, float32(1000+k))
			if rapid.IntRange(0, 3).Draw(t, "keep") > 0 {
				kept = append(kept, k)
			}
		}
		if rapid.Bool().Draw(t, "left out") {
			return s.Select(kept)
		}
		return s
	})
}

// pair is a ring with the features of its events, beside the log.
type pair struct {
	ring *Ring
	log  eventLog
	size int
}

const maxBatch, maxCentres, maxSteps = 25, 6, 3

var device = cpu.NewDevice(cpu.Best(), 1)

func newPair(nodes, size int) *pair {
	return &pair{New(device, nodes, size, 1, maxBatch), make(eventLog, nodes), size}
}

// bare is a ring without features.
func bare(nodes, size int) *Ring { return New(device, nodes, size, 0, maxBatch) }

// features copies the features of all places.
func (p *pair) features() []float32 { return p.ring.Fields()[4].Floats() }

func (p *pair) insert(b datasets.Stream) {
	x := device.NewBuffer(maxBatch)
	device.Write(x, b.Feat)
	p.ring.Insert(b, x)
	p.log.insert(b)
}

// check compares the graph around the centres with the log.
func (p *pair) check(t *rapid.T, centres []int32, steps int, apart bool) {
	g := p.ring.Query(centres, steps, apart)
	rows, edges := p.ring.Bounds(len(centres), steps)
	if len(g.Nodes) > rows || len(g.Index) > edges {
		t.Fatalf("%d rows and %d edges, at most %d and %d were foretold", len(g.Nodes), len(g.Index), rows, edges)
	}
	if !slices.Equal(g.Nodes[:len(centres)], centres) {
		t.Fatalf("rows %v do not begin with the centres %v", g.Nodes, centres)
	}
	table := p.features()
	features := make([]float32, len(g.Index))
	for e, place := range g.Places {
		features[e] = table[place]
	}
	for row := range g.Reach[steps-1] {
		var got []seen
		for e := g.Offsets[row]; e < g.Offsets[row+1]; e++ {
			if apart && int(g.Index[e]) < len(centres) {
				t.Fatalf("edge %d leads to a centre", e)
			}
			got = append(got, seen{g.Nodes[g.Index[e]], p.ring.events[g.Places[e]], g.Times[e], features[e]})
		}
		if diff := cmp.Diff(slices.Clone(p.log.last(g.Nodes[row], p.size)), got); diff != "" {
			t.Fatalf("edges of node %d (-log +ring):\n%s", g.Nodes[row], diff)
		}
	}
	p.checkReach(t, g, centres, steps, apart)
}

// checkReach: after every step the rows are the nodes within reach, each
// once but for centres that stand apart.
func (p *pair) checkReach(t *rapid.T, g *Graph, centres []int32, steps int, apart bool) {
	for h := range steps {
		rows, edges := g.Reach[h+1], int(g.Offsets[g.Reach[h]])
		if edges > 0 && int(slices.Max(g.Index[:edges])) >= rows {
			t.Fatalf("part %d: an edge leads beyond row %d", h, rows)
		}
		from, listed := centres, g.Nodes[:rows]
		if apart {
			from, listed = p.log.neighbours(centres, p.size), g.Nodes[len(centres):rows]
			h--
		}
		want := p.log.reach(from, h+1, p.size)
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(listed))); diff != "" && len(want)+len(listed) > 0 {
			t.Fatalf("rows after %d steps (-log +ring):\n%s", h+1, diff)
		}
	}
}

// neighbours are those of the centres, sorted.
func (l eventLog) neighbours(centres []int32, size int) []int32 {
	var out []int32
	for _, n := range centres {
		for _, s := range l.last(n, size) {
			out = append(out, s.Neighbour)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestAgainstLog: at any time, what the ring finds is what a log of all
// events has.
func TestAgainstLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 7).Draw(t, "nodes")
		p := newPair(nodes, rapid.IntRange(1, 11).Draw(t, "size"))
		s := streams(nodes).Draw(t, "stream")
		node := rapid.Int32Range(0, int32(nodes-1))
		for lo := 0; lo < s.Len(); {
			hi := min(s.Len(), lo+rapid.IntRange(1, maxBatch).Draw(t, "batch"))
			p.insert(s.Slice(lo, hi))
			lo = hi
			steps := rapid.IntRange(1, maxSteps).Draw(t, "steps")
			p.check(t, rapid.SliceOfNDistinct(node, 0, min(nodes, maxCentres), rapid.ID).Draw(t, "centres"), steps, false)
			p.check(t, rapid.SliceOfN(node, 0, maxCentres).Draw(t, "occurrences"), steps, true)
		}
	})
}

// TestSelfLoop: both of its occurrences stay.
func TestSelfLoop(t *testing.T) {
	r := bare(3, 4)
	r.Insert(datasets.Stream{Src: []int32{1, 2}, Dst: []int32{1, 1}, Time: []float64{5, 6}}.From(7), nil)
	g := r.Query([]int32{1}, 1, false)
	var events []int32
	for _, place := range g.Places {
		events = append(events, r.events[place])
	}
	if want := []int32{7, 7, 8}; !slices.Equal(events, want) {
		t.Errorf("events %v, expected %v", events, want)
	}
	if want := []int32{0, 0, 1}; !slices.Equal(g.Index, want) || !slices.Equal(g.Nodes, []int32{1, 2}) {
		t.Errorf("edges to rows %v of %v, expected %v", g.Index, g.Nodes, want)
	}
}

// TestReset: after it, a ring is as new.
func TestReset(t *testing.T) {
	s, fresh, used := random(200, 9, 3), bare(9, 4), bare(9, 4)
	used.Insert(s, nil)
	used.Reset()
	if diff := cmp.Diff(fresh.Fields().Tensors(), used.Fields().Tensors()); diff != "" {
		t.Error(diff)
	}
}

// random returns a stream whose nodes are drawn uniformly.
func random(events, nodes int, seed uint64) datasets.Stream {
	rng := rand.New(rand.NewPCG(seed, 0))
	s := datasets.Stream{NumNodes: nodes, NumFeat: 1, Label: make([]int8, events)}
	for k := range events {
		s.Src = append(s.Src, int32(rng.IntN(nodes)))
		s.Dst = append(s.Dst, int32(rng.IntN(nodes)))
		s.Time = append(s.Time, float64(k))
		s.Feat = append(s.Feat, rng.Float32())
	}
	return s
}

// TestSnapshot: a restored ring goes on as the saved one.
func TestSnapshot(t *testing.T) {
	s := random(300, 9, 1)
	saved, restored := newPair(9, 4), newPair(9, 4)
	for lo := 0; lo < 200; lo += maxBatch {
		saved.insert(s.Slice(lo, lo+maxBatch))
	}
	restored.insert(s.Slice(0, maxBatch))
	if err := restored.ring.Fields().Check(saved.ring.Fields().Tensors()); err != nil {
		t.Fatal(err)
	}
	restored.ring.Fields().Set(saved.ring.Fields().Tensors())
	saved.insert(s.Slice(200, 213))
	restored.insert(s.Slice(200, 213))
	if diff := cmp.Diff(saved.ring.Fields().Tensors(), restored.ring.Fields().Tensors()); diff != "" {
		t.Error(diff)
	}
	restored.ring.Reset()
	if x := restored.features(); slices.ContainsFunc(x, func(v float32) bool { return v != 0 }) {
		t.Errorf("features %v after Reset", x)
	}
}

func TestRestoreRefuses(t *testing.T) {
	for name, spoil := range map[string]func(ts []models.Tensor) []models.Tensor{
		"size":      func([]models.Tensor) []models.Tensor { return bare(3, 5).Fields().Tensors() },
		"missing":   func(ts []models.Tensor) []models.Tensor { return ts[:3] },
		"count":     func(ts []models.Tensor) []models.Tensor { ts[0].I64[1] = 8; return ts },
		"neighbour": func(ts []models.Tensor) []models.Tensor { ts[1].I64[0] = 3; return ts },
		"event":     func(ts []models.Tensor) []models.Tensor { ts[2].I64[0] = -1; return ts },
	} {
		r := bare(3, 4)
		if err := r.Fields().Check(spoil(r.Fields().Tensors())); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestFeaturesOfNoEvent: where no event is, a snapshot has zeros.
func TestFeaturesOfNoEvent(t *testing.T) {
	r := New(device, 3, 4, 2, maxBatch)
	saved := r.Fields().Tensors()
	if err := r.Fields().Check(saved); err != nil {
		t.Fatal(err)
	}
	saved[0].I64[1], saved[4].F32[2*4] = 1, 5 // of the event of node 1
	if err := r.Fields().Check(saved); err != nil {
		t.Error(err)
	}
	saved[4].F32[2*5] = 5
	if r.Fields().Check(saved) == nil {
		t.Error("features behind the only event are accepted")
	}
}

// TestNoColumns: nothing is kept of events without features.
func TestNoColumns(t *testing.T) {
	r := bare(9, 4)
	r.Insert(random(maxBatch, 9, 1), device.NewBuffer(0))
	if x := r.Fields()[4].Floats(); len(x) != 0 {
		t.Errorf("features %v", x)
	}
}

// TestAllocations: none, once the lists have grown.
func TestAllocations(t *testing.T) {
	s, p := random(maxBatch, 9, 1), newPair(9, 4)
	x, centres := device.NewBuffer(1024), []int32{1, 5, 3}
	device.Write(x, s.Feat)
	if n := testing.AllocsPerRun(100, func() {
		p.ring.Insert(s, x)
		p.ring.Query(centres, 2, false)
	}); n > 0 {
		t.Errorf("%v allocations a batch", n)
	}
}
