package models_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dgsbench/internal/safetensors"
	"dgsbench/models"
	"dgsbench/protocol"
)

// odd are numbers that somebody may have put into a checkpoint.
var (
	odd32 = []float32{
		float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32, 1e20, 0, -1,
	}
	odd64 = []int64{
		math.MaxInt64, math.MinInt64, -1, 0, 1, 18, 19, 20, 1 << 31, 1<<31 - 1, 1 << 32, 1<<63 - 2,
		int64(math.Float64bits(math.NaN())), int64(math.Float64bits(math.Inf(1))), int64(math.Float64bits(1e300)), int64(math.Float64bits(-5)),
	}
)

// edits are choices, drawn or a fuzzer's.
type edits struct{ left []byte }

func (e *edits) below(n int) int {
	if len(e.left) < 2 || n <= 0 {
		e.left = nil
		return 0
	}
	x := int(e.left[0])<<8 | int(e.left[1])
	e.left = e.left[2:]
	return x % n
}

// edited is the snapshot after some edits, each of a tensor's name, place,
// shape, type or numbers. Numbers fit the shapes, as in a file.
func edited(s models.Snapshot, data []byte) models.Snapshot {
	e := &edits{data}
	s = models.Snapshot{Params: models.Clone(s.Params), State: models.Clone(s.State)}
	for len(e.left) >= 4 {
		list := &s.Params
		if e.below(4) > 0 {
			list = &s.State
		}
		if len(*list) == 0 {
			continue
		}
		i := e.below(len(*list))
		t := &(*list)[i]
		switch e.below(8) {
		case 0:
			t.Name = []string{"", "x", (*list)[e.below(len(*list))].Name}[e.below(3)]
		case 1:
			*list = slices.Delete(*list, i, i+1)
		case 2:
			*list = append(*list, models.Clone((*list)[i:i+1])...)
		case 3:
			j := e.below(len(*list))
			(*list)[i], (*list)[j] = (*list)[j], (*list)[i]
		case 4:
			reshape(t, e)
		case 5:
			retype(t)
		default:
			renumber(t, e)
		}
	}
	return s
}

// reshape gives a tensor another shape, and as many numbers as that has.
func reshape(t *models.Tensor, e *edits) {
	switch n := len(t.F32) + len(t.I64); e.below(7) {
	case 0:
		slices.Reverse(t.Shape)
	case 1:
		t.Shape = []int{n}
	case 2:
		t.Shape = append([]int{1}, t.Shape...)
	case 3:
		t.Shape = []int{}
	case 4:
		t.Shape = []int{1 << 40, 0}
	case 5:
		t.Shape = make([]int, len(t.Shape))
	default:
		if t.Shape = slices.Clone(t.Shape); len(t.Shape) > 0 {
			t.Shape[e.below(len(t.Shape))] += 1 - 2*e.below(2)
		}
	}
	n := 1
	for _, size := range t.Shape {
		n *= max(0, size)
	}
	if t.I64 != nil {
		t.I64 = append(t.I64, make([]int64, max(0, n-len(t.I64)))...)[:n]
	} else {
		t.F32 = append(t.F32, make([]float32, max(0, n-len(t.F32)))...)[:n]
	}
}

// retype makes numbers of the other type.
func retype(t *models.Tensor) {
	n := len(t.F32) + len(t.I64)
	if t.I64 != nil {
		t.F32, t.I64 = make([]float32, n), nil
	} else {
		t.F32, t.I64 = nil, make([]int64, n)
	}
}

// renumber changes some numbers.
func renumber(t *models.Tensor, e *edits) {
	for range 1 + e.below(3) {
		if len(t.F32) > 0 {
			t.F32[e.below(len(t.F32))] = odd32[e.below(len(odd32))]
		}
		if len(t.I64) > 0 {
			t.I64[e.below(len(t.I64))] = odd64[e.below(len(odd64))]
		}
	}
}

// restoreEdited puts an edited checkpoint, whose checksum is right, into a
// model: it is refused and changes nothing, or the model goes on, where it may
// refuse a batch but not panic.
func (s subject) restoreEdited(t *testing.T, m models.Model, whole models.Snapshot, data []byte) {
	t.Helper()
	if err := m.Restore(whole); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "edited")
	if err := models.WriteCheckpoint(path, edited(whole, data), nil); err != nil {
		return // it cannot be in a file
	}
	snapshot, _, err := models.ReadCheckpoint(path)
	if err != nil {
		t.Fatalf("a checkpoint that was written cannot be read: %v", err)
	}
	before := m.Snapshot(models.Everything)
	if err := m.Restore(snapshot); err != nil {
		if after := m.Snapshot(models.Everything); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: Restore fails (%v), and the model has changed", s, err)
		}
		return
	}
	for _, part := range [][]models.Tensor{snapshot.Params, snapshot.State} {
		for _, tensor := range part {
			if slices.ContainsFunc(tensor.F32, func(x float32) bool { return !models.Finite(x) }) {
				t.Errorf("%s: %s is restored, and is not finite", s, tensor.Name)
			}
		}
	}
	b := stream.Slice(stream.Len()-batch, stream.Len())
	unlabelled, logits := b.WithoutLabels(), make([]float32, batch*stream.NumNodes)
	var negatives []int32
	if s.task == protocol.LinkPrediction {
		negatives = destinations(b)[:1]
		negatives = slices.Repeat(negatives, batch)
		m.Rank(unlabelled, models.Candidates{Nodes: destinations(b)}, models.Counts{Greater: make([]int32, batch), Equal: make([]int32, batch)})
		m.Score(unlabelled, destinations(b), logits)
	} else {
		m.Classify(unlabelled, logits)
		if ahead, ok := m.(models.Ahead); ok {
			ahead.ClassifyAhead(unlabelled, 3, logits)
		}
	}
	m.Observe(unlabelled)
	m.Train(b, negatives)
	m.Train(b, negatives)
	m.Observe(unlabelled)
	if err := m.Restore(m.Snapshot(models.Everything)); err != nil {
		t.Errorf("%s: it does not take its own snapshot back: %v", s, err)
	}
}

// TestEditedCheckpoints: what a checkpoint holds is not trusted, even if its
// checksum is right.
func TestEditedCheckpoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	for _, s := range subjects(t) {
		t.Run(s.String(), func(t *testing.T) {
			m := s.trained(t)
			whole := m.Snapshot(models.Everything)
			for range 30 {
				data := make([]byte, 2+rng.IntN(24))
				for i := range data {
					data[i] = byte(rng.Uint32())
				}
				s.restoreEdited(t, m, whole, data)
			}
		})
	}
}

// TestRestoreRefusesNumbers: counts, times and pairs that no stream can have
// left.
func TestRestoreRefusesNumbers(t *testing.T) {
	bits := func(x float64) int64 { return int64(math.Float64bits(x)) }
	set := func(tensor string, i int, x int64) func(map[string]models.Tensor) {
		return func(state map[string]models.Tensor) { state[tensor].I64[i] = x }
	}
	all := subjects(t)
	for _, c := range []struct {
		subject string
		spoil   func(state map[string]models.Tensor)
		want    string
	}{
		{"user-count-nc", set("count", 3, -1), "count (I64 [19]): number 3 is -1"},
		{"user-count-nc", set("count", 3, math.MaxInt64), "number 3 is 9223372036854775807"},
		{"user-age-nc", set("first", 2, bits(math.NaN())), "first (I64 [19]): number 2 is the time NaN"},
		{"recency-lp", set("count", 0, math.MinInt64), "number 0 is -9223372036854775808"},
		{"edgebank-lp", set("now", 0, bits(math.Inf(1))), "number 0 is the time +Inf"},
		{"recency-lp", set("pairs", 2, -7), "as event -7"},
		{"recency-lp", set("pairs", 3, bits(math.NaN())), "is the time NaN"},
		{"recency-lp", func(state map[string]models.Tensor) { copy(state["pairs"].I64[4:], state["pairs"].I64[:4]) }, "twice"},
		{"tgn-lp", set("last_update", 1, bits(1e300)), "last_update (I64 [19]): number 1 is the time 1e+300"},
		{"tgn-lp", set("messages.times", 0, bits(-1e16)), "messages.times"},
		{"tgn-lp", set("phase", 1, 2), "phase (I64 [2]): number 1 is 2, expected 0 to 1"},
		{"tgn-nc", set("ring.times", 5, bits(math.Inf(-1))), "ring.times (I64 [19 10]): number 5 is the time -Inf"},
		{"tgn-nc", func(state map[string]models.Tensor) { state["ring.features"].F32[0] = 1e16 }, "ring.features (F32 [190 3]) has a number beyond"},
	} {
		s := all[slices.IndexFunc(all, func(s subject) bool { return s.String() == c.subject })]
		m := s.trained(t)
		snapshot, state := m.Snapshot(models.Everything), map[string]models.Tensor{}
		for _, tensor := range snapshot.State {
			state[tensor.Name] = tensor
		}
		c.spoil(state)
		if err := m.Restore(snapshot); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, expected %q", c.subject, err, c.want)
		}
	}
}

// FuzzRestore looks for an edit that a registered model does not survive.
func FuzzRestore(f *testing.F) {
	all := subjects(f)
	wholes, trained := make([]models.Snapshot, len(all)), make([]models.Model, len(all))
	for i, s := range all {
		trained[i] = s.trained(f)
		wholes[i] = trained[i].Snapshot(models.Everything)
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), []byte{0, 1, 0, 0, 0, 7, 0, 1, 0, 3, 0, 2})
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		i := int(which) % len(all)
		all[i].restoreEdited(t, trained[i], wholes[i], data)
	})
}

// FuzzReadCheckpoint reads any bytes as a checkpoint, with a checksum that is
// right if they are a safetensors file.
func FuzzReadCheckpoint(f *testing.F) {
	small := models.Snapshot{
		Params: []models.Tensor{{Name: "head.W1", Shape: []int{2, 2}, F32: []float32{1, -2, 3, .5}}},
		State:  []models.Tensor{{Name: "last", Shape: []int{2}, I64: []int64{1, 2}}},
	}
	path := filepath.Join(f.TempDir(), "seed")
	if err := models.WriteCheckpoint(path, small, map[string]string{models.SpecKey: "{}"}); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "checkpoint")
		if tensors, metadata, err := safetensors.Decode("fuzz", data); err == nil {
			var s models.Snapshot
			for _, tensor := range tensors {
				list, own := &s.Params, tensor
				if name, isState := strings.CutPrefix(tensor.Name, "state/"); isState {
					list, own.Name = &s.State, name
				}
				*list = append(*list, models.Tensor(own))
			}
			if err := models.WriteCheckpoint(path, s, metadata); err != nil {
				return
			}
		} else if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		s, _, err := models.ReadCheckpoint(path)
		if err != nil {
			return
		}
		for _, tensor := range append(s.Params, s.State...) {
			n := 1
			for _, size := range tensor.Shape {
				n *= size
			}
			if n != len(tensor.F32)+len(tensor.I64) {
				t.Errorf("%s has shape %v and %d numbers", tensor.Name, tensor.Shape, len(tensor.F32)+len(tensor.I64))
			}
		}
	})
}
