package modeltest

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// refused: a batch that cannot be answered with finite numbers is an error
// that changes nothing: neither the state nor later answers and training. One
// that can leaves a model that goes on.
func (s suite) refused() {
	trains := !s.deployed
	build := func(stream datasets.Stream) models.Model { return s.trained(stream, 1, 1) }
	stream := Random(12, events)
	rest := stream.Slice(events/2, events)
	after := func(m models.Model) []float32 {
		out := s.evaluate(m, rest)
		if trains {
			out = append(out, s.trainedOn(m, rest)...)
		}
		return out
	}
	want := after(build(stream))
	for what, bad := range extremes(rest.Slice(0, batch)) {
		calls := s.folds(build(stream))
		if trains {
			calls = append(calls, "Train")
		}
		for _, name := range calls {
			m := build(stream)
			before := everything(m)
			out, err := s.callOrTrain(m, name, bad)
			if err == nil {
				if what == nanFeature && s.kind.Features != models.FeaturesIgnored && (name != "Observe" || !trains) {
					s.Errorf("%s accepts %s", name, what) // but Observe of a model without state may
				}
				out = append(out, s.evaluate(m, rest)...) // or it fails
				if i := slices.IndexFunc(out, notFinite); i >= 0 {
					s.Errorf("%s with %s is not refused: a score of %v", name, what, out[i])
				}
				continue
			}
			if !equalSnapshots(everything(m), before) {
				s.Errorf("%s with %s: refused (%v), and yet the model has changed", name, what, err)
				continue
			}
			s.equal(fmt.Sprintf("after %s with %s, refused (%v)", name, what, err), after(m), want)
		}
	}
}

// hugeParameters: with parameters whose products are not finite, too, a batch
// is answered with finite numbers and leaves finite ones, or it is an error
// that changes nothing: with the old parameters training goes on as if it had
// not been there.
func (s suite) hugeParameters() {
	stream := Random(12, events)
	b := stream.Slice(events/2, events/2+batch)
	prepared := func() models.Model {
		m := s.trained(stream, 1, 1)
		s.observe(m, stream.Slice(0, batch))
		return m
	}
	undisturbed := prepared()
	s.must(undisturbed.Restore(everything(undisturbed))) // which may drop what training has noted
	want := s.trainedOn(undisturbed, stream)
	for _, c := range []struct {
		size float32
		only int // number of leading tensors that are scaled; 0 for all
	}{{1e10, 0}, {1e14, 0}, {1e30, 0}, {3e38, 0}, {3e38, 1}} {
		for _, name := range append(s.folds(s.build(stream, 1, 1)), "Train") {
			m := prepared()
			good, huge := everything(m), everything(m)
			params := slices.DeleteFunc(slices.Clone(huge.Params), func(p models.Tensor) bool { return p.F32 == nil })
			if len(params) == 0 && len(huge.Params) > 0 {
				return // bytes of the model's own making
			}
			if len(params) > 0 && c.only > 0 {
				params = params[:c.only]
			}
			for _, p := range params {
				largest := max(slices.Max(p.F32), -slices.Min(p.F32))
				for i := range p.F32 {
					p.F32[i] = p.F32[i] / largest * c.size
				}
			}
			if m.Restore(huge) != nil {
				continue
			}
			out, err := s.callOrTrain(m, name, b)
			after := everything(m)
			if err != nil {
				if !equalSnapshots(after, huge) {
					s.Errorf("parameters up to %g: %s is refused (%v), and yet the model has changed", c.size, name, err)
				}
				s.must(m.Restore(good))
				s.equal(fmt.Sprintf("parameters up to %g: after %s, refused (%v)", c.size, name, err), s.trainedOn(m, stream), want)
				continue
			}
			if s.device != nil && name == "Observe" { // cards do not check states, but answers about them
				if out, err := call(m, s.scoring(), b.WithoutLabels()); err == nil && slices.ContainsFunc(out, notFinite) {
					s.Errorf("parameters up to %g: after Observe, %s answers with numbers that are not finite", c.size, s.scoring())
				}
				continue
			}
			for _, tensor := range slices.Concat(after.Params, after.State, []models.Tensor{{Name: "answer", F32: out}}) {
				if slices.ContainsFunc(tensor.F32, notFinite) {
					s.Errorf("parameters up to %g: %s is not refused, and %s is not finite", c.size, name, tensor.Name)
				}
			}
		}
	}
}

func notFinite(x float32) bool { return !models.Finite(x) }

const nanFeature = "a NaN feature"

// extremes are batches with numbers at the ends of their ranges.
func extremes(b datasets.Stream) map[string]datasets.Stream {
	const largest = math.MaxFloat32
	out := map[string]datasets.Stream{}
	for what, feature := range map[string]func(i int) float32{
		"the largest features":        func(int) float32 { return largest },
		"the smallest features":       func(int) float32 { return -largest },
		"features of both signs":      func(i int) float32 { return largest * float32(1-2*(i%2)) },
		"one infinite feature":        func(i int) float32 { return []float32{float32(math.Inf(1)), 1}[min(i, 1)] },
		"large features, not largest": func(int) float32 { return 1e12 },
		nanFeature:                    func(i int) float32 { return []float32{float32(math.NaN()), 1}[min(i, 1)] },
	} {
		bad := b
		bad.Feat = slices.Clone(b.Feat)
		for i := range bad.NumFeat { // of one event
			bad.Feat[batch/2*bad.NumFeat+i] = feature(i)
		}
		out[what] = bad
	}
	for what, gap := range map[string]float64{"a gap of 1e300 seconds": 1e300, "the last second": math.MaxFloat64} {
		bad := b
		bad.Time = slices.Clone(b.Time)
		for k := batch / 2; k < batch; k++ {
			bad.Time[k] = gap
		}
		out[what] = bad
	}
	return out
}

// givenStays: a model writes to none of its arguments but its answers, and to
// those only until it has answered.
func (s suite) givenStays() {
	stream := Random(14, events)
	for k := range stream.Label {
		stream.Label[k] = int8(k % 2)
	}
	m := s.trained(stream, 1, 1)
	labelled := stream.Slice(events/2, events/2+batch)
	b := labelled.WithoutLabels()
	unchanged := func(call string, given []any, do func() error) {
		s.Helper()
		before := fmt.Sprint(given)
		if err := do(); err != nil {
			s.Fatalf("%s: %v", call, err)
		}
		if fmt.Sprint(given) != before {
			s.Errorf("%s writes to what it is given", call)
		}
	}
	columns := []any{labelled.Src, labelled.Dst, labelled.Time, labelled.Label, labelled.Feat}
	with := func(more ...any) []any { return slices.Concat(columns, more) }

	negatives := s.negatives(b, 0)
	unchanged("Train", with(negatives), func() error {
		_, err := m.Train(labelled, negatives)
		return err
	})
	for _, name := range append(s.folds(m), s.asks()...) {
		unchanged(name, columns, func() error {
			_, err := call(m, name, b)
			return err
		})
	}
	if s.task == protocol.LinkPrediction {
		among := models.Candidates{Nodes: everyone(b), Without: slices.Repeat([][]int32{{1, int32(users)}}, batch)}
		out := models.Counts{Greater: make([]int32, batch), Equal: make([]int32, batch)}
		unchanged("Rank", with(among.Nodes, among.Without), func() error { return m.Rank(b, among, out) })
		unchanged("Score", with(among.Nodes), func() error { return m.Score(b, among.Nodes, make([]float32, batch*len(among.Nodes))) })
		return
	}
	logits := make([]float32, batch)
	s.must(m.Classify(b, logits))
	unchanged("Learn", with(logits), func() error { return m.Learn(b, labelled.Label) })
}
