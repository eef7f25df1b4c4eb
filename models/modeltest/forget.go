package modeltest

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// forgets: what is kept of nodes that are forgotten is what a new model has, and of all
// others what it was; so are the answers about them. A model that refuses says so without
// nodes, too, and changes nothing.
func (s suite) forgets() {
	stream := Random(17, events)
	half, rest := stream.Slice(0, events/2), stream.Slice(events/2, events)
	m, other := s.trained(stream, 1, 1), s.trained(stream, 1, 1)
	fresh := s.trained(stream, 1, 1)
	fresh.Reset()
	for _, m := range []models.Model{m, other} {
		m.Reset()
		s.observe(m, half)
	}
	f := m.(models.Forgetter)
	before := everything(m)
	refused := f.Forget(nil)
	s.sameSnapshot("after forgetting nobody", everything(m), before)
	nodes := []int32{half.Src[0], half.Dst[1], half.Src[0]}
	if err := f.Forget(nodes); (err != nil) != (refused != nil) {
		s.Fatalf("of nodes: %v, without any: %v", err, refused)
	}
	after, empty := everything(m), everything(fresh)
	if refused != nil {
		s.sameSnapshot("refused", after, before)
		return
	}
	for i, t := range before.State {
		if len(t.Shape) == 0 || t.Shape[0] != stream.NumNodes {
			s.Fatalf("tensor %s is not one of a row a node: the model cannot forget", t)
		}
		rows := func(s models.Snapshot) models.Tensor { return s.State[i] }
		want := models.Clone([]models.Tensor{rows(before)})[0]
		w := (len(t.F32) + len(t.I64)) / stream.NumNodes
		for _, n := range nodes {
			at := int(n) * w
			if t.F32 != nil {
				copy(want.F32[at:at+w], rows(empty).F32[at:])
			} else {
				copy(want.I64[at:at+w], rows(empty).I64[at:])
			}
		}
		if !equalTensors(rows(after), want) {
			s.Errorf("tensor %s has other rows than those of new nodes and of before", t)
		}
	}
	var others []int
	for k := range rest.Len() {
		if !slices.Contains(nodes, rest.Src[k]) && !slices.Contains(nodes, rest.Dst[k]) {
			others = append(others, k)
		}
	}
	known := rest.Select(others)
	s.equal("answers about others", s.about(m, known, nodes), s.about(other, known, nodes))
	// Those that were forgotten are as new ones; without the others, nothing is left.
	s.must(f.Forget(everyone(stream)))
	s.equal("answers after forgetting all", s.evaluate(m, rest), s.evaluate(fresh, rest))
}

// about returns the scores of events, or of all pairs of them without the nodes.
func (s suite) about(m models.Model, events datasets.Stream, without []int32) (out []float32) {
	scores := s.evaluate(m, events)
	if s.task != protocol.LinkPrediction {
		return scores
	}
	for i, x := range scores {
		if !slices.Contains(without, int32(i%events.NumNodes)) {
			out = append(out, x)
		}
	}
	return out
}
