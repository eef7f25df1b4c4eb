package tpnet

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/internal/fixture"
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
		Task: protocol.LinkPrediction, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat, MaxBatch: 50, Seed: seed, Threads: 1,
	}, o)
	check(t, err)
	return m
}

// pairs are the defaults without an encoder.
func pairs() *Options {
	o := Defaults()
	o.Encoder.Neighbours = 0
	return o
}

// small is a model with a small encoder.
func small() *Options {
	o := Defaults()
	o.Encoder.Neighbours, o.Encoder.Channels, o.Encoder.Time = 3, 4, 2
	return o
}

// project gives the model another projection.
func project(m *Model, projection []float32) {
	copy(m.walks.projection, projection)
	m.Reset()
}

// near compares with a tolerance relative to the larger of 1 and want.
func near(got, want float64) bool { return math.Abs(got-want) <= 2e-5*max(1, math.Abs(want)) }

// pairFixture is what peers/tpnet_pairs.py writes.
type pairFixture struct {
	Options struct {
		Orders, Dimension int
		Decay             float64
	}
	Nodes, Batch int
	Projection   []float32
	Src, Dst     []int32
	Time         []float64
	Features     [][][][]float64 // for u and v, the products of the rows of both

	EventFeatures []float32 `json:"event_features"`
	Encoder       Encoder
	Hidden        []int
	Parameters    map[string][]float32
	Asked         float64     // the time of the scores
	Scores        [][]float64 // of u and v
}

// model is that of the fixture after all events, and what follows them.
func (f *pairFixture) model(t *testing.T, o *Options) *Model {
	o.Orders, o.Dimension, o.Decay = f.Options.Orders, f.Options.Dimension, f.Options.Decay
	s := datasets.NewStream(len(f.Src), 2)
	s.Src, s.Dst, s.Time, s.Feat, s.NumNodes = f.Src, f.Dst, f.Time, f.EventFeatures, f.Nodes
	m := build(t, o, s, 1)
	project(m, f.Projection)
	for b := range s.Batches(f.Batch) {
		check(t, m.Observe(b))
	}
	return m
}

func readFixture(t *testing.T) *pairFixture {
	f := &pairFixture{}
	fixture.Read(t, "pairs.json", f)
	return f
}

// TestPairsOfPyTorch: rows are the features that peers/tpnet_pairs.py computes.
func TestPairsOfPyTorch(t *testing.T) {
	f, o := readFixture(t), pairs()
	m := f.model(t, o)
	m.features.begin()
	k := o.Orders + 1
	for u := range int32(f.Nodes) {
		for v := range int32(f.Nodes) {
			var want []float64
			of := f.Features[u][v]
			for a := range k {
				want = append(want, of[a][k:]...)
			}
			for _, node := range []int{k, 0} { // the destination, then the source
				for a := range k {
					want = append(want, of[node+a][node+a:node+k]...)
				}
			}
			m.features.rows(u, []int32{v}, m.x)
			for c, x := range want {
				if !near(float64(m.x[c]), x) {
					t.Fatalf("%d and %d, column %d: %v, expected %v", u, v, c, m.x[:len(want)], want)
				}
			}
		}
	}
}

// TestScoresOfPyTorch: with its parameters, the whole model has its scores.
func TestScoresOfPyTorch(t *testing.T) {
	f, o := readFixture(t), Defaults()
	o.Encoder, o.Head.Hidden = f.Encoder, f.Hidden
	m := f.model(t, o)
	for _, p := range m.head.Params() {
		values := f.Parameters[p.Name]
		if len(values) != p.Buffer.Len() {
			t.Fatalf("%s has %d numbers in the fixture, expected %d", p.Name, len(values), p.Buffer.Len())
		}
		m.walks.device.Write(p.Buffer, values)
	}
	question := datasets.NewStream(1, 2)
	question.Time[0] = f.Asked
	all, got := make([]int32, f.Nodes), make([]float32, f.Nodes)
	for v := range all {
		all[v] = int32(v)
	}
	for u, want := range f.Scores {
		question.Src[0] = int32(u)
		check(t, m.Score(question, all, got))
		for v, x := range want {
			if !near(float64(got[v]), x) {
				t.Fatalf("scores of %d are %v, expected %v", u, got, want)
			}
		}
	}
}

// TestEverythingLearns: a step moves all parameters, and a reset forgets neighbours.
func TestEverythingLearns(t *testing.T) {
	s := modeltest.Random(5, 60)
	m := build(t, small(), s, 1)
	fresh := make([]float32, s.NumNodes)
	everyone := make([]int32, s.NumNodes)
	for v := range everyone {
		everyone[v] = int32(v)
	}
	question := s.Slice(50, 51)
	check(t, m.Score(question, everyone, fresh))
	check(t, m.Observe(s.Slice(0, 50)))
	m.Reset()
	got := make([]float32, s.NumNodes)
	check(t, m.Score(question, everyone, got))
	if !slices.Equal(got, fresh) {
		t.Errorf("scores after a reset are %v, expected %v", got, fresh)
	}
	check(t, m.Observe(s.Slice(0, 50)))
	read := func() [][]float32 {
		var all [][]float32
		for _, p := range m.head.Params() {
			x := make([]float32, p.Buffer.Len())
			m.walks.device.Read(x, p.Buffer)
			all = append(all, x)
		}
		return all
	}
	before := read()
	_, err := m.Train(s.Slice(50, 60), s.Dst[:10])
	check(t, err)
	for i, after := range read() {
		if slices.Equal(after, before[i]) {
			t.Errorf("a step leaves %s as it was", m.head.Params()[i].Name)
		}
	}
}

// walksFrom returns a sum for each node: over all walks of that many steps back in time
// from v to the node, of the product of exp(-decay age) over the steps. Each step is in
// an earlier batch than the one before.
func walksFrom(s datasets.Stream, o *Options, v int32, steps, before, batch int, now float64) []float64 {
	sum := make([]float64, s.NumNodes)
	if steps == 0 {
		sum[v] = 1
		return sum
	}
	for k := range before {
		for _, step := range [][2]int32{{s.Src[k], s.Dst[k]}, {s.Dst[k], s.Src[k]}} {
			if step[0] != v {
				continue
			}
			for n, x := range walksFrom(s, o, step[1], steps-1, k/batch*batch, batch, now) {
				sum[n] += math.Exp(-o.Decay*(now-s.Time[k])) * x
			}
		}
	}
	return sum
}

// TestWalks: with the nodes themselves in the place of a projection, rows are temporal
// walks, enumerated one by one; also where the origin has moved, and after a snapshot.
func TestWalks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const nodes = 4
		o := pairs()
		o.Orders, o.Dimension, o.Decay = rapid.IntRange(1, 3).Draw(t, "orders"), nodes, math.Exp(-12*rapid.Float64Range(0, 1).Draw(t, "decay"))
		s := datasets.NewStream(rapid.IntRange(1, 12).Draw(t, "events"), 0)
		s.NumNodes = nodes
		rng, now := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), 1e3
		for k := range s.Len() {
			s.Src[k], s.Dst[k], s.Time[k] = rng.Int32N(nodes), rng.Int32N(nodes), now
			now += float64(rng.IntN(3))
		}
		batch := rapid.IntRange(1, 4).Draw(t, "batch")
		m, other := build(t, o, s, 1), build(t, o, s, 1)
		identity := make([]float32, nodes*nodes)
		for v := range nodes {
			identity[v*nodes+v] = 1
		}
		project(m, identity)
		project(other, identity)
		for b := range s.Batches(batch) {
			check(t, m.Observe(b))
		}
		check(t, other.Restore(m.Snapshot(models.Everything)))
		for _, m := range []*Model{m, other} {
			decays := m.walks.decays()
			row := make([]float32, m.walks.columns())
			for v := range int32(nodes) {
				m.walks.device.Read(row, m.walks.row(v))
				for k := range o.Orders + 1 {
					for n, want := range walksFrom(s, o, v, k, s.Len(), batch, s.Time[s.Len()-1]) {
						if got := float64(row[k*nodes+n]) * decays[k]; !near(got, want) {
							t.Fatalf("walks of %d steps from %d to %d: %v, expected %v", k, v, n, got, want)
						}
					}
				}
			}
		}
	})
}

// TestKeptProducts: whatever was asked before, scores are those of a new model with the
// same snapshot.
func TestKeptProducts(t *testing.T) {
	t.Run("pairs", func(t *testing.T) { checkKept(t, pairs()) })
	t.Run("encoder", func(t *testing.T) { checkKept(t, small()) })
	t.Run("deep encoder", func(t *testing.T) {
		o := small()
		o.Encoder.Neighbours, o.Encoder.Layers, o.Encoder.Dropout = 1, 3, .3
		checkKept(t, o)
	})
}

func checkKept(t *testing.T, o *Options) {
	s := modeltest.Random(5, 400)
	o.Decay = .02
	rng := rand.New(rand.NewPCG(2, 0))
	m := build(t, o, s, 1)
	moved := 0
	lists := [][]int32{{3, 1, 17, 9, 0}, {3, 17, 3, 9, 0}, {2}, {5, 6, 7, 8, 9, 10, 11, 12, 0}}
	list := lists[0]
	for b := range s.Batches(10) {
		if rng.IntN(4) == 0 {
			list = lists[rng.IntN(len(lists))]
		}
		nodes := slices.Clone(list)
		nodes[len(nodes)-1] = rng.Int32N(int32(s.NumNodes)) // as a true destination behind the candidates
		fresh := build(t, o, s, 2)
		check(t, fresh.Restore(m.Snapshot(models.Everything)))
		got, want := make([]float32, b.Len()*len(nodes)), make([]float32, b.Len()*len(nodes))
		check(t, m.Score(b, nodes, got))
		check(t, fresh.Score(b, nodes, want))
		if !slices.Equal(got, want) {
			t.Fatalf("event %d, nodes %v: %v, expected %v", b.EventID(0), nodes, got, want)
		}
		before := m.walks.clock[origin]
		if rng.IntN(4) > 0 {
			check(t, m.Observe(b))
		} else {
			_, err := m.Train(b, b.Dst)
			check(t, err)
		}
		if m.walks.clock[origin] != before {
			moved++
		}
	}
	if moved < 2 {
		t.Error("the origin has not moved")
	}
}

// TestManyCandidates: more nodes than are kept side by side are scored part by part.
func TestManyCandidates(t *testing.T) {
	t.Run("pairs", func(t *testing.T) { checkMany(t, pairs()) })
	t.Run("encoder", func(t *testing.T) { checkMany(t, small()) })
}

func checkMany(t *testing.T, o *Options) {
	s := modeltest.Random(5, 60)
	s.NumNodes = 3 * encoded // most of them without events
	m := build(t, o, s, 1)
	check(t, m.Observe(s.Slice(0, 50)))
	asked, want := make([]int32, 3*m.features.most+1), make([]float32, 1)
	for i := range asked {
		asked[i] = int32(i % s.NumNodes)
	}
	got := make([]float32, len(asked))
	check(t, m.Score(s.Slice(55, 56), asked, got))
	for i, v := range asked[:s.NumNodes+3] {
		check(t, m.Score(s.Slice(55, 56), []int32{v}, want))
		if got[i] != want[0] || got[len(got)-1-i] != got[(len(got)-1-i)%s.NumNodes] {
			t.Fatalf("node %d scores %v among others, %v alone", v, got[i], want[0])
		}
	}
}

// TestBusyPair: walks that are too many to count are still finite, and restored.
func TestBusyPair(t *testing.T) {
	s := datasets.NewStream(50, 0)
	s.NumNodes = 3
	for k := range s.Len() {
		s.Dst[k] = 1 + int32(k%50/48)
	}
	o := pairs()
	o.Orders, o.Decay = 4, 0
	m, other := build(t, o, s, 1), build(t, o, s, 2)
	for range 2000 {
		check(t, m.Observe(s))
	}
	check(t, other.Restore(m.Snapshot(models.Everything)))
	got, want := make([]float32, 50*3), make([]float32, 50*3)
	check(t, m.Score(s, []int32{0, 1, 2}, want))
	check(t, other.Score(s, []int32{0, 1, 2}, got))
	if !slices.Equal(got, want) {
		t.Errorf("scores %v, restored %v", want[:3], got[:3])
	}
	if most := slices.Max(m.walks.longer()); most != largest {
		t.Errorf("numbers up to %g, expected %g", most, float32(largest))
	}
}

// TestLogarithm: over the whole range, 0 for all that is not above.
func TestLogarithm(t *testing.T) {
	var x []float32
	for e := -40.; e < 38; e += .001 {
		x = append(x, float32(math.Pow(10, e)))
	}
	x = append(x, math.MaxFloat32, 1, 0, -1e-30, -.5, -1, -math.MaxFloat32, float32(math.Copysign(0, -1)))
	got := slices.Clone(x)
	logOnePlus(got)
	for i, v := range x {
		want := math.Log1p(max(0, float64(v)))
		if math.Abs(float64(got[i])-want) > 2e-7*max(1, want) {
			t.Fatalf("log(1 + %v) is %v, expected %v", v, got[i], want)
		}
		if v <= 0 && got[i] != 0 {
			t.Fatalf("log(1 + %v) is %v, expected 0", v, got[i])
		}
	}
}
