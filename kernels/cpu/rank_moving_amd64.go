//go:build amd64 && !purego

package cpu

// movingOperands are what the kernels for moving candidates take beside
// those of all.
type movingOperands struct{ slope, events, nodes *float32 }

func (s *vectorScorer) moving(event int) movingOperands {
	m := movingOperands{events: &s.times[event], nodes: &s.q.NodeTime[0]}
	if s.q.Dim > 0 {
		m.slope = &s.q.Slope[0]
	}
	return m
}

// scoresMoving is scores for candidates that move.
func (s *vectorScorer) scoresMoving(k rankOperands, event int, nodes []int32, out []float32) {
	m, d, n := s.moving(event), s.q.Dim, len(nodes)
	if s.level == AVX512 {
		rankScoresMovingAVX512(k.u, k.uBlock, k.p, k.pRow, k.w, d, &nodes[0], n, m.slope, m.events, m.nodes, &out[0])
	} else {
		rankScoresMovingAVX2(k.u, k.uBlock, k.p, k.pRow, k.w, d, &nodes[0], n, m.slope, m.events, m.nodes, &out[0])
	}
}

// countMoving is countGroup for candidates that move.
func (s *vectorScorer) countMoving(k rankOperands, c *rankCounts, nodes []int32, e, blocks int) {
	m, d, n, first := s.moving(e), s.q.Dim, len(nodes), &nodes[0]
	truth, greater, equal, bad := &s.truth[e], &c.greater[e], &c.equal[e], &c.bad[e]
	switch {
	case s.level == AVX2:
		rankCountMovingAVX2(k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, m.slope, m.events, m.nodes, truth, greater, equal, bad)
	case blocks == 1:
		rankCountMovingAVX512x1(k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, m.slope, m.events, m.nodes, truth, greater, equal, bad)
	case blocks == 2:
		rankCountMovingAVX512x2(k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, m.slope, m.events, m.nodes, truth, greater, equal, bad)
	case blocks == 3:
		rankCountMovingAVX512x3(k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, m.slope, m.events, m.nodes, truth, greater, equal, bad)
	default:
		rankCountMovingAVX512x4(k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, m.slope, m.events, m.nodes, truth, greater, equal, bad)
	}
}
