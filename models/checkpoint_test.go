package models_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/internal/safetensors"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	_ "dgsbench/models/standard"
	"dgsbench/protocol"
)

const batch = 10

var stream = modeltest.Random(8, 12*batch)

// subject is a registered kind, for one of its tasks.
type subject struct {
	kind models.Kind
	task protocol.Task
}

func (s subject) String() string { return fmt.Sprintf("%s-%s", s.kind.Name, s.task) }

func subjects(t testing.TB) []subject {
	t.Helper()
	var out []subject
	for _, name := range models.Names() {
		kind, err := models.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if kind.Class == protocol.Oracle || kind.Class == protocol.Null { // they keep nothing
			continue
		}
		for _, task := range kind.Tasks {
			out = append(out, subject{kind, task})
		}
	}
	return out
}

func (s subject) build(t testing.TB, seed uint64) models.Model {
	t.Helper()
	m, err := s.kind.New(s.setup(seed), s.kind.Options())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (s subject) setup(seed uint64) models.Setup {
	return models.Setup{
		Task: s.task, NumNodes: stream.NumNodes, Users: stream.Users, NumFeat: stream.NumFeat,
		MaxBatch: batch, Train: stream.Slice(0, stream.Len()/2), Seed: seed, Threads: 1,
	}
}

// trained has seen all batches but the last.
func (s subject) trained(t testing.TB) models.Model {
	t.Helper()
	m := s.build(t, 1)
	if c, ok := m.(models.Chooser); ok {
		c.Choose(1) // a new model is the first rule
	}
	for lo := 0; lo < stream.Len()-batch; lo += batch {
		var negatives []int32
		if s.task == protocol.LinkPrediction {
			negatives = slices.Repeat([]int32{int32(stream.Users)}, batch)
		}
		if _, err := m.Train(stream.Slice(lo, lo+batch), negatives); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// scores is what the model says of the last batch, bit by bit.
func (s subject) scores(t *testing.T, m models.Model) []uint32 {
	t.Helper()
	b := stream.Slice(stream.Len()-batch, stream.Len())
	logits, err := make([]float32, batch), error(nil)
	if s.task == protocol.LinkPrediction {
		nodes := destinations(b)
		logits = make([]float32, batch*len(nodes))
		err = m.Score(b, nodes, logits)
	} else {
		err = m.Classify(b, logits)
	}
	if err != nil {
		t.Fatal(err)
	}
	var bits []uint32
	for _, x := range logits {
		bits = append(bits, math.Float32bits(x))
	}
	return bits
}

func destinations(b datasets.Stream) []int32 {
	var out []int32
	for v := b.Users; v < b.NumNodes; v++ {
		out = append(out, int32(v))
	}
	return out
}

// TestCheckpoint: every registered model, trained, written, read and put
// into a fresh one of another seed, gives the same scores.
func TestCheckpoint(t *testing.T) {
	for _, s := range subjects(t) {
		t.Run(s.String(), func(t *testing.T) {
			m := s.trained(t)
			path := filepath.Join(t.TempDir(), "new", "model.safetensors")
			metadata := map[string]string{models.SpecKey: `{"model":"` + s.kind.Name + `"}`}
			if err := models.WriteCheckpoint(path, m.Snapshot(models.Everything), metadata); err != nil {
				t.Fatal(err)
			}
			want := s.scores(t, m)
			snapshot, found, err := models.ReadCheckpoint(path)
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(found, metadata) {
				t.Errorf("metadata %v, expected %v", found, metadata)
			}
			fresh := s.build(t, 7)
			if slices.Equal(s.scores(t, s.build(t, 7)), want) {
				t.Fatal("the scores do not depend on what is restored")
			}
			if err := fresh.Restore(snapshot); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(s.scores(t, fresh), want) {
				t.Error("the restored model gives other scores")
			}
		})
	}
}

// TestCheckpointOfAnotherModel: whatever has parameters refuses those of
// another model, or of its own for the other task.
func TestCheckpointOfAnotherModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	all := subjects(t)
	for _, of := range all {
		if err := models.WriteCheckpoint(path, of.trained(t).Snapshot(models.Everything), nil); err != nil {
			t.Fatal(err)
		}
		snapshot, _, err := models.ReadCheckpoint(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, into := range all {
			if !into.kind.Trainable() || into.String() == of.String() {
				continue
			}
			if err := into.build(t, 1).Restore(snapshot); err == nil {
				t.Errorf("%s accepts a checkpoint of %s", into, of)
			}
		}
	}
}

// TestCheckpointNames: what a PyTorch user sees in the file.
func TestCheckpointNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	s := models.Snapshot{
		Params: []models.Tensor{{Name: "head.W1", Shape: []int{1, 2}, F32: []float32{1, 2}}},
		State:  []models.Tensor{{Name: "S", Shape: []int{1}, F32: []float32{3}}},
	}
	if err := models.WriteCheckpoint(path, s, map[string]string{models.SpecKey: "{}"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tensors, metadata, err := safetensors.Decode(path, data)
	if err != nil {
		t.Fatal(err)
	}
	if len(tensors) != 2 || tensors[0].Name != "head.W1" || tensors[1].Name != "state/S" {
		t.Errorf("tensors %v", tensors)
	}
	sum := metadata["dgsbench.sha256"]
	if len(sum) != 64 {
		t.Errorf("checksum %q", sum)
	}
	if want := (map[string]string{"spec": "{}", "dgsbench.checkpoint": "1", "dgsbench.sha256": sum}); !maps.Equal(metadata, want) {
		t.Errorf("metadata %v, expected %v", metadata, want)
	}
}

func TestReadCheckpointRefuses(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	if err := models.WriteCheckpoint(whole, subjects(t)[0].trained(t).Snapshot(models.Everything), nil); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := safetensors.Encode([]safetensors.Tensor{{Name: "w", Shape: []int{1}, F32: []float32{1}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	later := bytes.Replace(data, []byte(`"dgsbench.checkpoint":"1"`), []byte(`"dgsbench.checkpoint":"2"`), 1)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut":     {data[:len(data)-3], "not a whole safetensors file"},
		"text":    {[]byte("src,dst,t\n1,2,3\n"), "not a whole safetensors file"},
		"foreign": {foreign, `not a checkpoint: its metadata has ""`},
		"later":   {later, `has "2" as dgsbench.checkpoint, expected "1"`},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err := models.ReadCheckpoint(path)
		if err == nil || !strings.Contains(err.Error(), path+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, expected one with the path and %q", name, err, c.want)
		}
	}
	if _, _, err := models.ReadCheckpoint(dir); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: error %v", err)
	}
	if _, _, err := models.ReadCheckpoint(filepath.Join(dir, "missing")); !os.IsNotExist(err) {
		t.Errorf("missing file: error %v", err)
	}
}

// TestFlippedBits: a checkpoint in which any single bit changed is refused.
func TestFlippedBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "small.safetensors")
	small := models.Snapshot{Params: []models.Tensor{{Name: "head.W1", Shape: []int{2, 2}, F32: []float32{1, -2, 3, .5}}}}
	if err := models.WriteCheckpoint(path, small, map[string]string{models.SpecKey: `{"alpha": 0.5}`}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := models.ReadCheckpoint(path); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 1 << (i % 8)
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := models.ReadCheckpoint(path); err == nil {
			t.Errorf("bit %d of byte %d (%q) may be wrong", i%8, i, whole[i])
		}
	}
}

// TestTransposedTensor: a tensor of the right size in another shape is
// refused.
func TestTransposedTensor(t *testing.T) {
	own := models.Fields{models.Floats("W", make([]float32, 6), 2, 3)}
	if own.Check([]models.Tensor{{Name: "W", Shape: []int{3, 2}, F32: make([]float32, 6)}}) == nil {
		t.Error("a transposed tensor is accepted")
	}
}
