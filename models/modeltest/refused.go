package modeltest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// refused: a batch that cannot be answered with finite numbers is an error
// that changes nothing, neither what is kept nor what is said and learnt
// afterwards. One that can leaves a model that goes on.
func (s subject) refused(t *testing.T) {
	s.refusedBy(t, func(t *testing.T, stream datasets.Stream) models.Model { return s.trained(t, stream, 1, 1) }, true)
}

func (s subject) refusedBy(t *testing.T, build func(*testing.T, datasets.Stream) models.Model, trains bool) {
	stream := Random(12, events)
	rest := stream.Slice(events/2, events)
	after := func(m models.Model) []float32 {
		out := s.evaluate(t, m, rest)
		if trains {
			s.train(t, m, rest)
			out = append(out, s.evaluate(t, m, rest)...)
		}
		return out
	}
	want := after(build(t, stream))
	for what, bad := range extremes(rest.Slice(0, batch)) {
		calls := s.folds(build(t, stream))
		if trains {
			calls = append(calls, "Train")
		}
		for _, name := range calls {
			m := build(t, stream)
			before := everything(m)
			out, err := s.tell(m, name, bad)
			if err == nil {
				out = append(out, s.evaluate(t, m, rest)...) // or it fails
				if i := slices.IndexFunc(out, notFinite); i >= 0 {
					t.Errorf("%s with %s is not refused: a score of %v", name, what, out[i])
				}
				continue
			}
			if !everything(m).equal(before) {
				t.Errorf("%s with %s: refused (%v), and yet the model has changed", name, what, err)
				continue
			}
			equal(t, fmt.Sprintf("after %s with %s, refused (%v)", name, what, err), after(m), want)
		}
	}
}

// hugeParameters: with parameters whose products are not finite, too, a batch
// is answered with finite numbers and leaves finite ones, or it is refused and
// changes nothing: with the old parameters training goes on as if it had not
// been there.
func (s subject) hugeParameters(t *testing.T) {
	stream := Random(12, events)
	b := stream.Slice(events/2, events/2+batch)
	prepared := func() models.Model {
		m := s.trained(t, stream, 1, 1)
		s.observe(t, m, stream.Slice(0, batch))
		return m
	}
	undisturbed := prepared()
	if err := undisturbed.Restore(undisturbed.Snapshot(models.Everything)); err != nil { // which may forget what training notes
		t.Fatal(err)
	}
	want := s.trainedOn(t, undisturbed, stream)
	for _, c := range []struct {
		size float32
		only int // number of leading tensors that are scaled; 0 for all
	}{{1e10, 0}, {1e14, 0}, {1e30, 0}, {3e38, 0}, {3e38, 1}} {
		for _, name := range append(s.folds(s.build(t, stream, 1, 1)), "Train") {
			m := prepared()
			good, huge := m.Snapshot(models.Everything), m.Snapshot(models.Everything)
			params := huge.Params
			if len(params) > 0 && c.only > 0 {
				params = params[:c.only]
			}
			for _, p := range params {
				largest := max(slices.Max(p.F32), -slices.Min(p.F32))
				for i := range p.F32 {
					p.F32[i] = p.F32[i] / largest * c.size
				}
			}
			if err := m.Restore(huge); err != nil {
				continue
			}
			out, err := s.tell(m, name, b)
			after := everything(m)
			if err != nil && !after.equal(saved(huge)) {
				t.Errorf("parameters up to %g: %s is refused (%v), and yet the model has changed", c.size, name, err)
			}
			if err != nil {
				if err := m.Restore(good); err != nil {
					t.Fatal(err)
				}
				equal(t, fmt.Sprintf("parameters up to %g: after %s, refused (%v)", c.size, name, err), s.trainedOn(t, m, stream), want)
			}
			if err == nil && s.device != nil && name == "Observe" {
				s.answersOrFails(t, m, b)
				continue
			}
			for _, tensor := range append(after.Params, append(after.State, models.Tensor{Name: "answer", F32: out})...) {
				if err == nil && slices.ContainsFunc(tensor.F32, notFinite) {
					t.Errorf("parameters up to %g: %s is not refused, and %s is not finite", c.size, name, tensor.Name)
				}
			}
		}
	}
}

// answersOrFails holds what cards promise of states that they do not check:
// an answer about them is finite, or it is refused.
func (s subject) answersOrFails(t *testing.T, m models.Model, b datasets.Stream) {
	t.Helper()
	name := "Classify"
	if s.task == protocol.LinkPrediction {
		name = "Score"
	}
	if out, err := call(m, name, b.WithoutLabels()); err == nil && slices.ContainsFunc(out, notFinite) {
		t.Errorf("%s answers with numbers that are not finite", name)
	}
}

// trainedOn trains on and is what the model then says.
func (s subject) trainedOn(t *testing.T, m models.Model, stream datasets.Stream) []float32 {
	t.Helper()
	s.train(t, m, stream)
	return s.evaluate(t, m, stream)
}

// tell is a call that folds the batch in, or Train, which gets its labels.
func (s subject) tell(m models.Model, name string, b datasets.Stream) (out []float32, err error) {
	if name != "Train" {
		return call(m, name, b.WithoutLabels())
	}
	_, err = m.Train(b, s.negatives(b, 0))
	return nil, err
}

func notFinite(x float32) bool { return !models.Finite(x) }

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
