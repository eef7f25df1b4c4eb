package buckets

import (
	"math"
	"slices"

	"dgsbench/internal/onnx"
)

// OneHot adds delta(F) to a graph, n x Size, for the features x, a row an event, and returns its
// name: 1 at the bucket of each feature as Row has it, and 0 elsewhere.
func (b *Buckets) OneHot(m *onnx.Model, x string) string {
	var column []int64     // by bucket: its feature,
	var from, to []float32 // the least value in it, and the least above
	for c, edges := range b.Edges {
		low := float32(math.Inf(-1))
		for _, e := range append(slices.Clone(edges), math.Inf(1)) {
			high := roundUp(e)
			column, from, to = append(column, int64(c)), append(from, low), append(to, high)
			low = high
		}
	}
	own := m.OpWith("axis", 1, "delta/feature", "Gather", x, m.Integers("delta/column", column...))
	above := m.Op("delta/above", "GreaterOrEqual", own, m.Floats("delta/from", from, len(from)))
	below := m.Op("delta/below", "Less", own, m.Floats("delta/to", to, len(to)))
	return m.OpWith("to", int64(onnx.Float32), "delta", "Cast", m.Op("delta/inside", "And", above, below))
}
