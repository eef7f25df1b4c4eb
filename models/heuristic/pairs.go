package heuristic

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
)

// seen is what is remembered of a (source, destination) pair.
type seen struct {
	dst  int32
	last int64   // number of its last event within the whole stream
	time float64 // time of its last event, seconds
}

// pairMemory remembers every pair that occurred.
type pairMemory struct {
	bySource [][]seen
	position map[int64]int32 // of a pair within its source's list
}

func newPairMemory(nodes int) *pairMemory {
	return &pairMemory{bySource: make([][]seen, nodes), position: map[int64]int32{}}
}

func pairKey(src, dst int32) int64 { return int64(src)<<32 | int64(dst) }

func (m *pairMemory) observe(b datasets.Stream) {
	for k := range b.Len() {
		m.put(b.Src[k], seen{dst: b.Dst[k], last: int64(b.EventID(k)), time: b.Time[k]})
	}
}

func (m *pairMemory) put(src int32, s seen) {
	key := pairKey(src, s.dst)
	if i, ok := m.position[key]; ok {
		m.bySource[src][i] = s
		return
	}
	m.position[key] = int32(len(m.bySource[src]))
	m.bySource[src] = append(m.bySource[src], s)
}

// find returns the pair's entry, nil if it never occurred.
func (m *pairMemory) find(src, dst int32) *seen {
	i, ok := m.position[pairKey(src, dst)]
	if !ok {
		return nil
	}
	return &m.bySource[src][i]
}

func (m *pairMemory) reset() {
	clear(m.bySource)
	clear(m.position)
}

// tensor lists the pairs, four numbers each: source, destination, last
// event, bits of its time.
func (m *pairMemory) tensor() models.Tensor {
	var rows []int64
	for src, list := range m.bySource {
		for _, s := range list {
			rows = append(rows, int64(src), int64(s.dst), s.last, int64(math.Float64bits(s.time)))
		}
	}
	return models.Tensor{Name: "pairs", Shape: []int{len(rows) / 4, 4}, I64: rows}
}

// check refuses a list that tensor cannot have given.
func (m *pairMemory) check(t models.Tensor) error {
	if rows := len(t.I64) / 4; t.Name != "pairs" || !slices.Equal(t.Shape, []int{rows, 4}) || t.F32 != nil {
		return fmt.Errorf("snapshot tensor %s, expected pairs (I64 [n 4])", t)
	}
	known, nodes := map[int64]bool{}, int64(len(m.bySource))
	for r := t.I64; len(r) > 0; r = r[4:] {
		if r[0] < 0 || r[0] >= nodes || r[1] < 0 || r[1] >= nodes {
			return fmt.Errorf("the snapshot has a pair of nodes %d and %d, the stream has %d nodes", r[0], r[1], nodes)
		}
		key := pairKey(int32(r[0]), int32(r[1]))
		if known[key] || r[2] < 0 || r[2] >= abovePopularity {
			return fmt.Errorf("the snapshot has the pair of nodes %d and %d twice, or as event %d, expected once and 0 to %d", r[0], r[1], r[2], int64(abovePopularity-1))
		}
		known[key] = true
		if err := models.CheckTimes(models.Tensor{Name: t.Name, Shape: t.Shape, I64: r[3:4]}, math.MaxFloat64); err != nil {
			return err
		}
	}
	return nil
}

// restore puts back what tensor gave.
func (m *pairMemory) restore(t models.Tensor) {
	m.reset()
	for r := t.I64; len(r) > 0; r = r[4:] {
		m.put(int32(r[0]), seen{dst: int32(r[1]), last: r[2], time: timeOf(r[3])})
	}
}
