package memory_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/models/jodie"
	"dgsbench/models/tgn"
	"dgsbench/protocol"
)

const (
	testUsers, testNodes, testBatch, testFeatures = 9, 16, 10, 2
)

// testStream is bipartite and random. Some nodes never take part.
func testStream(n int) datasets.Stream {
	rng := rand.New(rand.NewPCG(5, 6))
	s := datasets.Stream{NumNodes: testNodes, Users: testUsers, NumFeat: testFeatures, Label: make([]int8, n)}
	now := 0.0
	for range n {
		now += float64(rng.IntN(40))
		s.Src, s.Dst = append(s.Src, rng.Int32N(testUsers-1)), append(s.Dst, testUsers+rng.Int32N(testNodes-testUsers-1))
		s.Time, s.Feat = append(s.Time, now), append(s.Feat, float32(rng.NormFloat64()), float32(rng.NormFloat64()))
	}
	return s
}

// testConfigs are small models of every kind; dropout is that of attention.
func testConfigs(dropout float64) map[string]memory.Config {
	m := memory.Options{Size: 6, Time: 4, Cell: memory.GRU}
	adam := memory.Optimiser{LR: .02}
	attention := func(layers int) memory.AttentionOptions {
		return memory.AttentionOptions{Size: 8, Heads: 2, Layers: layers, Neighbours: 3, Dropout: dropout}
	}
	return map[string]memory.Config{
		"tgn-id":           (&tgn.Options{Embedding: tgn.Identity, Memory: m, Attention: attention(1), Optimiser: adam}).Config(),
		"tgn-attn":         (&tgn.Options{Embedding: tgn.Attention, Memory: m, Attention: attention(1), Optimiser: adam}).Config(),
		"tgn-attn, 2 deep": (&tgn.Options{Embedding: tgn.Attention, Memory: m, Attention: attention(2), Optimiser: adam}).Config(),
		"tgn-attn, 3 deep": (&tgn.Options{Embedding: tgn.Attention, Memory: m, Attention: attention(3), Optimiser: adam}).Config(),
		"jodie":            (&jodie.Options{Memory: m, Optimiser: adam}).Config(),
	}
}

// newTestModel is a model that was trained on the first half of a stream.
func newTestModel(t *testing.T, c memory.Config, s datasets.Stream) *memory.Model {
	t.Helper()
	m, err := memory.New(models.Setup{
		Task: protocol.LinkPrediction, NumNodes: testNodes, Users: testUsers, NumFeat: testFeatures, MaxBatch: testBatch,
		Train: s, Seed: 1, Threads: 2,
	}, c)
	if err != nil {
		t.Fatal(err)
	}
	for lo := 0; lo < s.Len()/2; lo += testBatch {
		negatives := make([]int32, testBatch)
		for k := range negatives {
			negatives[k] = int32((lo + 3*k) % testNodes)
		}
		if _, err := m.Train(s.Slice(lo, lo+testBatch), negatives); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func everyone() []int32 {
	var out []int32
	for v := range int32(testNodes) {
		out = append(out, v)
	}
	return out
}

func scoresOf(t *testing.T, m *memory.Model, b datasets.Stream) []float32 {
	t.Helper()
	out := make([]float32, b.Len()*testNodes)
	if err := m.Score(b, everyone(), out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRankingKeepsUp: parts that are only computed anew where an embedding
// changed are those of a model that computes all of them, bit for bit. The last
// events are at one time: so are the last updates of old and new neighbours.
func TestRankingKeepsUp(t *testing.T) {
	s := testStream(20 * testBatch)
	for k := 15 * testBatch; k < s.Len(); k++ {
		s.Time[k] = s.Time[15*testBatch]
	}
	for name, c := range testConfigs(.1) {
		t.Run(name, func(t *testing.T) {
			m, other := newTestModel(t, c, s), newTestModel(t, c, s)
			for lo := s.Len() / 2; lo < s.Len(); lo += testBatch {
				b := s.Slice(lo, lo+testBatch)
				got := scoresOf(t, m, b)
				if err := other.Restore(m.Snapshot(models.Everything)); err != nil {
					t.Fatal(err)
				}
				if want := scoresOf(t, other, b); !slices.Equal(got, want) {
					t.Fatalf("events from %d: scores %v, computed anew %v", lo, got, want)
				}
				if err := m.Observe(b); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestScoresArePlain: the split decoder, Jodie's parts that are linear in
// time, and layers of attention give what the formula says, to 1e-5.
func TestScoresArePlain(t *testing.T) {
	s := testStream(20 * testBatch)
	for k := range s.Time {
		s.Time[k] /= 1024 // float32 has cosines of long times to fewer digits
	}
	layers := map[string]int{"tgn-attn": 1, "tgn-attn, 2 deep": 2, "tgn-attn, 3 deep": 3}
	for name, c := range testConfigs(.1) {
		t.Run(name, func(t *testing.T) {
			m := newTestModel(t, c, s)
			for lo := s.Len() / 2; lo < s.Len(); lo += testBatch {
				b := s.Slice(lo, lo+testBatch)
				p := newPlainScores(m, s)
				p.attend(s.Slice(0, lo), layers[name])
				for i, got := range scoresOf(t, m, b) {
					k, v := i/testNodes, int32(i%testNodes)
					if want := p.score(b.Src[k], v, b.Time[k], name == "jodie"); !(math.Abs(float64(got)-want) < 1e-5) {
						t.Fatalf("event %d, node %d: %v, expected %v", lo+k, v, got, want)
					}
				}
				if err := m.Observe(b); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// plainScores are loops over memories and parameters.
type plainScores struct {
	params  map[string][]float64
	vectors [][]float64 // of nodes: memories, or what attention makes of them
	updated []float64
	sides   [2][2]float64 // mean and deviation
}

func newPlainScores(m *memory.Model, train datasets.Stream) *plainScores {
	m.Flush()
	p := &plainScores{params: map[string][]float64{}, updated: m.LastUpdates()}
	for _, t := range m.Snapshot(models.Parameters).Params {
		for _, x := range t.F32 {
			p.params[t.Name] = append(p.params[t.Name], float64(x))
		}
	}
	single := make([]float32, testNodes*6)
	m.Network().Device().Read(single, m.Memories())
	for row := range slices.Chunk(single, 6) {
		var vector []float64
		for _, x := range row {
			vector = append(vector, float64(x))
		}
		p.vectors = append(p.vectors, vector)
	}
	for i, nodes := range [][]int32{train.Src, train.Dst} {
		p.sides[i] = spread(nodes, train.Time)
	}
	return p
}

// attend computes vectors by layers of attention to the log on top of memories.
func (p *plainScores) attend(log datasets.Stream, layers int) {
	a := plainAttention{params: p.params, updated: p.updated, log: log, neighbours: 3, heads: 2}
	memories := p.vectors
	p.vectors = nil
	for n := range memories {
		p.vectors = append(p.vectors, a.embed(int32(n), layers, memories))
	}
}

// spread is mean and deviation of the times between events of a node.
func spread(nodes []int32, times []float64) [2]float64 {
	last, all := map[int32]float64{}, []float64{}
	for k, n := range nodes {
		if t, ok := last[n]; ok {
			all = append(all, times[k]-t)
		}
		last[n] = times[k]
	}
	mean, squares := 0.0, 0.0
	for _, d := range all {
		mean += d / float64(len(all))
	}
	for _, d := range all {
		squares += (d - mean) * (d - mean) / float64(len(all))
	}
	return [2]float64{mean, math.Sqrt(squares)}
}

// embedding of a node as a source (0) or destination (1) at a time.
func (p *plainScores) embedding(n int32, side int, time float64, projected bool) []float64 {
	z := slices.Clone(p.vectors[n])
	if projected {
		dt := (time - p.updated[n] - p.sides[side][0]) / p.sides[side][1]
		for j := range z {
			z[j] *= 1 + p.params["proj.w"][j]*dt + p.params["proj.b"][j]
		}
	}
	return z
}

// score leaves the last bias out.
func (p *plainScores) score(u, v int32, time float64, projected bool) float64 {
	left := affine(p.embedding(u, 0, time, projected), p.params["pred.lin_src.weight"], p.params["pred.lin_src.bias"])
	right := affine(p.embedding(v, 1, time, projected), p.params["pred.lin_dst.weight"], p.params["pred.lin_dst.bias"])
	sum := 0.0
	for j, w := range p.params["pred.lin_final.weight"] {
		sum += w * max(left[j]+right[j], 0)
	}
	return sum
}
