package pairclock

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"

	"pgregory.net/rapid"
)

func check(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func build(t rapid.TB, o *Options, s datasets.Stream, seed uint64) *Model {
	t.Helper()
	m, err := New(models.Setup{
		Task: protocol.LinkPrediction, NumNodes: s.NumNodes, Users: s.Users, MaxBatch: 50, Seed: seed, Threads: 1, Train: s,
	}, o)
	check(t, err)
	return m
}

// TestDraws: an event's true destination comes first, no destination comes twice, and
// each is drawn as often as expected.
func TestDraws(t *testing.T) {
	for _, n := range []int{0, 2} {
		t.Run(fmt.Sprintf("any %d", n), func(t *testing.T) { checkDraws(t, n) })
	}
}

func checkDraws(t *testing.T, ofAny int) {
	const draws = 20_000
	s := modeltest.Random(3, 200)
	o := Defaults()
	o.Noise = Noise{Own: 2, Recent: 3, Window: 20, Uniform: 4, Any: ofAny}
	m := build(t, o, s, 1)
	check(t, m.Observe(s))
	src, truth := s.Src[199], s.Dst[7]
	of := &m.clocks.sources[src]
	sum := make([]float64, s.NumNodes)
	for range draws {
		nodes, drawn := m.noise.draw(of, truth)
		if sorted := slices.Sorted(slices.Values(nodes)); nodes[0] != truth || len(slices.Compact(sorted)) != len(nodes) {
			t.Fatalf("%v, expected %d and others, each once", nodes, truth)
		}
		for i, v := range nodes {
			sum[v] += float64(drawn[i])
		}
	}
	for k, latest := s.Len()-1, []int32{}; len(latest) < o.Noise.Own; k-- {
		if s.Src[k] == src && !slices.Contains(latest, s.Dst[k]) {
			latest = append(latest, s.Dst[k])
			if !slices.ContainsFunc(m.noise.own(of), func(p pair) bool { return p.dst == s.Dst[k] }) {
				t.Errorf("%d is not among the latest destinations of the source", s.Dst[k])
			}
		}
	}
	total := 0.
	for v := range sum {
		e := m.noise.expected(of, int32(v))
		if v < s.Users && ofAny == 0 {
			if e <= 0 {
				t.Errorf("node %d is expected %v times", v, e)
			}
			e = 0 // sources are never drawn unless they were destinations
		}
		total += e
		if got := sum[v] / draws; math.Abs(got-e) > 5*math.Sqrt(e/draws)+1e-9 {
			t.Errorf("node %d is drawn %.3f times, expected %.3f", v, got, e)
		}
	}
	if want := float64(2 + 3 + 4 + ofAny); math.Abs(total-want) > 1e-9 {
		t.Errorf("%v draws expected, there are %v", total, want)
	}
}

// TestLoss: the loss is the mean over events of the cross-entropy that tells the true
// destination from the drawn ones, at scores less the logarithm of how often each is
// drawn.
func TestLoss(t *testing.T) {
	s := modeltest.Random(4, 100)
	m, same := build(t, Defaults(), s, 1), build(t, Defaults(), s, 1)
	for _, m := range []*Model{m, same} {
		for b := range s.Slice(0, 50).Batches(10) {
			_, err := m.Train(b, nil)
			check(t, err)
		}
	}
	b := s.Slice(50, 90)
	softplus := func(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }
	want := 0.
	for k := range b.Len() {
		of := &same.clocks.sources[b.Src[k]]
		nodes, drawn := same.noise.draw(of, b.Dst[k])
		nodes, drawn = slices.Clone(nodes), slices.Clone(drawn)
		scores := make([]float32, len(nodes))
		check(t, same.Score(b.Slice(k, k+1), nodes, scores))
		for i, v := range nodes {
			z := float64(scores[i]) - math.Log(same.noise.expected(of, v))
			want += float64(drawn[i]) * softplus(z) / float64(b.Len())
			if i == 0 {
				want += softplus(-z) / float64(b.Len())
			}
		}
	}
	if got, err := m.Train(b, nil); err != nil || math.Abs(got-want) > 1e-5*want {
		t.Errorf("loss %v, %v, expected %v", got, err, want)
	}
}

// TestSuccessors: where sources take the destinations of a cycle in order, the next
// one is learnt, though it is new to the pair.
func TestSuccessors(t *testing.T) {
	const users, items, steps = 60, 40, 20 // no user comes round
	s := datasets.NewStream(users*steps, 0)
	s.NumNodes, s.Users = users+items, users
	for k := range s.Len() {
		user, step := k%users, k/users
		s.Src[k], s.Dst[k], s.Time[k] = int32(user), int32(users+(7*user+step)%items), float64(60*k)
	}
	m := build(t, Defaults(), s, 1)
	half := s.Len() / 2
	for range 8 {
		m.Reset()
		for b := range s.Slice(0, half).Batches(50) {
			_, err := m.Train(b, nil)
			check(t, err)
		}
	}
	c := models.Candidates{}
	for v := users; v < s.NumNodes; v++ {
		c.Nodes = append(c.Nodes, int32(v))
	}
	mrr, asked := 0., s.Slice(half, s.Len())
	for k := range asked.Len() {
		event, out := asked.Slice(k, k+1), models.Counts{Greater: make([]int32, 1), Equal: make([]int32, 1)}
		check(t, m.Rank(event, c, out))
		mrr += 1 / (1 + float64(out.Greater[0]) + float64(out.Equal[0])/2) / float64(asked.Len())
		check(t, m.Observe(event))
	}
	t.Logf("MRR %.3f", mrr)
	if mrr < .9 {
		t.Errorf("MRR %.3f, expected above .9", mrr)
	}
}

// TestOneRowForNewDestinations: scores are those of rows of their own, in whatever
// order and however often a node is asked about.
func TestOneRowForNewDestinations(t *testing.T) {
	s := modeltest.Random(5, 60)
	m := build(t, Defaults(), s, 1)
	check(t, m.Observe(s.Slice(0, 5))) // most nodes are new
	rng := rand.New(rand.NewPCG(1, 0))
	event := s.Slice(10, 11)
	asked := make([]int32, 2*scored)
	for i := range asked {
		asked[i] = rng.Int32N(int32(s.NumNodes))
	}
	asked[0] = s.Dst[0] // not new
	got, one := make([]float32, len(asked)), make([]float32, 1)
	check(t, m.Score(event, asked, got))
	for i, v := range asked {
		m.clocks.rows(event.Src[0], event.Time[0], []int32{v}, m.x)
		m.head.Infer(1, one)
		if got[i] != one[0] {
			t.Fatalf("node %d scores %v, its row %v", v, got[i], one[0])
		}
	}
}

// TestRecent: the window has the destinations of the last events.
func TestRecent(t *testing.T) {
	s := modeltest.Random(6, 60)
	o := Defaults()
	o.Noise.Window = 7
	m := build(t, o, s, 1)
	for lo := 0; lo < 60; lo += 12 {
		check(t, m.Observe(s.Slice(lo, lo+12)))
		last := s.Dst[max(0, lo+12-7) : lo+12]
		if got := m.noise.inOrder(); !slices.Equal(got, last) {
			t.Fatalf("%v, expected %v", got, last)
		}
		times := make([]int32, s.NumNodes)
		for _, v := range last {
			times[v]++
		}
		if !slices.Equal(m.noise.times, times) {
			t.Fatalf("counts %v, expected %v", m.noise.times, times)
		}
	}
}
