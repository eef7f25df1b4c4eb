package nn

import (
	"math"
	"slices"
	"testing"

	"dgsbench/kernels"
)

// TestPairsMatchConcatenation: the split first layer gives what the MLP
// gives on [left || right], up to a constant of all pairs, and ranks are
// counted from the same scores. That holds for every depth and normalisation.
func TestPairsMatchConcatenation(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		for i, hidden := range slices.Repeat([][]int{{7}, {7, 6}, {3, 9, 4}}, 2) {
			const left, right, nodes = 4, 3, 6
			norm := []Norm{NoNorm, WithLayer}[i/3]
			p := newProblem(t, d, left+right, nodes, MLPConfig{Hidden: hidden, Norm: norm}, nodes)
			head := NewPairHead(d, p.mlp.PairLayers(left), nodes, 1)
			all := []int32{0, 1, 2, 3, 4, 5}
			var rights []float32
			for k := range nodes { // one left vector for all pairs
				row := p.x[k*(left+right):][:left+right]
				copy(row, p.x[:left])
				rights = append(rights, row[left:]...)
			}
			d.Write(head.Vectors(), rights)
			head.SetRight(all)
			d.Write(head.Vectors(), p.x[:left])
			head.SetLeft(1)
			scores, want := make([]float32, nodes), make([]float32, nodes)
			p.mlp.Forward(p.x, nodes, want)
			q := kernels.Ranking{True: []int32{2}, Candidates: all, Without: [][]int32{{4}}}
			head.Scores(q, scores)
			named := slices.Clone(scores)
			q.Candidates = nil // stands for all nodes
			clear(scores)
			if head.Scores(q, scores); !slices.Equal(named, scores) {
				t.Errorf("%s, hidden %v: scores %v of all nodes, %v of their list", norm, hidden, scores, named)
			}
			q.Candidates = all
			greater, equal := make([]int32, 1), make([]int32, 1)
			if bad := head.Rank(q, greater, equal); bad >= 0 {
				t.Errorf("%s, hidden %v: event %d is not finite", norm, hidden, bad)
			}
			above := int32(0)
			for v := range nodes {
				if got, want := float64(scores[v]-scores[0]), float64(want[v]-want[0]); math.Abs(got-want) > 1e-5 {
					t.Errorf("%s, hidden %v, node %d: %v above node 0, expected %v", norm, hidden, v, got, want)
				}
				if v != 4 && scores[v] > scores[2] {
					above++
				}
			}
			if greater[0] != above || equal[0] != 0 {
				t.Errorf("%s, hidden %v: %d above, %d level; expected %d, 0", norm, hidden, greater[0], equal[0], above)
			}
		}
	})
}

// TestDeepPairsAlike: a pair's score does not depend on its place in a block, so
// pairs with the same vectors are level, also with the true destination's.
func TestDeepPairsAlike(t *testing.T) {
	const nodes = 2*PairChunk + 7
	all := make([]int32, nodes)
	rights := make([]float32, 0, 3*PairChunk)
	for v := range all {
		all[v] = int32(v)
	}
	for v := range PairChunk {
		rights = append(rights, []float32{float32(v%3) / 3, -.2, .7}...)
	}
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		for _, norm := range []Norm{NoNorm, WithLayer} {
			p := newProblem(t, d, 7, 1, MLPConfig{Hidden: []int{37, 29}, Norm: norm}, 1)
			head := NewPairHead(d, p.mlp.PairLayers(4), nodes, 2)
			for first := 0; first < nodes; first += 510 { // of three alike
				some := all[first:min(first+510, nodes)]
				d.Write(head.Vectors(), rights[:3*len(some)])
				head.SetRight(some)
			}
			d.Write(head.Vectors(), []float32{.1, .2, .3, .4, -.9, .5, .2, -.3})
			head.SetLeft(2)
			scores := make([]float32, 2*nodes)
			head.Scores(kernels.Ranking{True: []int32{0, 0}}, scores)
			for _, among := range [][]int32{all, all[1:], all[nodes-400:]} {
				q := kernels.Ranking{True: []int32{0, nodes - 1}, Candidates: among}
				if len(among) == nodes {
					q.Candidates = nil
				}
				greater, equal := make([]int32, 2), make([]int32, 2)
				if bad := head.Rank(q, greater, equal); bad >= 0 {
					t.Fatalf("%s: event %d is not finite", norm, bad)
				}
				for e, truth := range q.True {
					var above, level int32
					for _, v := range among {
						switch x, y := scores[e*nodes+int(v)], scores[e*nodes+int(truth)]; {
						case v == truth:
						case x > y:
							above++
						case x == y:
							level++
						}
					}
					if level < 100 || greater[e] != above || equal[e] != level {
						t.Errorf("%s, event %d of %d candidates: %d above, %d level; expected %d, %d",
							norm, e, len(among), greater[e], equal[e], above, level)
					}
				}
			}
		}
	})
}
