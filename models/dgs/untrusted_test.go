package dgs

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/models"
	"dgsbench/protocol"
)

// TestOpenScorerRefuses: what a checkpoint says of itself is not trusted, even
// if its checksum is right.
func TestOpenScorerRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(s *models.Snapshot)
		spec  string
		want  string
	}{
		"a scalar state":     {spoil: func(s *models.Snapshot) { s.State[0] = models.Tensor{Name: "S", F32: []float32{1}} }, want: "no tensor S"},
		"a state of no rows": {spoil: func(s *models.Snapshot) { s.State[0] = models.Tensor{Name: "S", Shape: []int{1 << 40, 0}} }, want: "no tensor S"},
		"integers": {
			spoil: func(s *models.Snapshot) {
				s.State[0] = models.Tensor{Name: "S", Shape: []int{1, 8}, I64: make([]int64, 8)}
			}, want: "no tensor S",
		},
		"two states":     {spoil: func(s *models.Snapshot) { s.State = append(s.State, models.Tensor{Name: "T", Shape: []int{0}}) }, want: "2 tensors"},
		"a scalar W":     {spoil: func(s *models.Snapshot) { tensorOf(s, "W").Shape, tensorOf(s, "W").F32 = nil, []float32{1} }, want: "no tensor W"},
		"a transposed W": {spoil: func(s *models.Snapshot) { slices.Reverse(tensorOf(s, "W").Shape) }, want: "no tensor W"},
		"no W":           {spoil: func(s *models.Snapshot) { tensorOf(s, "W").Name = "V" }, want: "no tensor W"},
		"NaN":            {spoil: func(s *models.Snapshot) { tensorOf(s, "W").F32[2] = float32(math.NaN()) }, want: "number 2 is NaN"},
		"an infinite state": {
			spoil: func(s *models.Snapshot) { s.State[0].F32[3] = float32(math.Inf(-1)) }, want: "number 3 is -Inf",
		},
		"a task unknown": {spec: `{"kind": "dgs", "task": "xx", "options": {"size": 8, "blocks": 4}}`, want: `task "xx"`},
		"another size":   {spec: `{"kind": "dgs", "task": "nc", "options": {"size": 16, "blocks": 4}}`, want: "no tensor S"},
		"no spec":        {spec: ` `, want: "a checkpoint of model"},
		"a list":         {spec: `[1, 2]`, want: "a checkpoint of model"},
		"not YAML":       {spec: "{\"kind\": [", want: "not YAML"},
	} {
		for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
			t.Run(name+"/"+string(task), func(t *testing.T) {
				o := Defaults()
				o.Size, o.Blocks = 8, 4
				_, path := trainedOn(t, task, o, 9, 3, `{"size": 8, "blocks": 4}`)
				snapshot, metadata, err := models.ReadCheckpoint(path)
				if err != nil {
					t.Fatal(err)
				}
				if c.spoil != nil {
					c.spoil(&snapshot)
				}
				if c.spec != "" {
					metadata[models.SpecKey] = c.spec
				}
				if err := models.WriteCheckpoint(path, snapshot, metadata); err != nil {
					t.Fatal(err)
				}
				if _, err := OpenScorer(path); err == nil || !strings.HasPrefix(err.Error(), path+":") || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, expected one with the path and %q", err, c.want)
				}
			})
		}
	}
}

func tensorOf(s *models.Snapshot, name string) *models.Tensor {
	return &s.Params[slices.IndexFunc(s.Params, func(t models.Tensor) bool { return t.Name == name })]
}

// TestScorerRefusesEvents: an event that cannot be answered with a finite
// number changes nothing, as a file of its states has it.
func TestScorerRefusesEvents(t *testing.T) {
	for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
		o := Defaults()
		o.Size, o.Blocks = 8, 4
		_, path := trainedOn(t, task, o, 9, 3, `{"size": 8, "blocks": 4}`)
		s, err := OpenScorer(path)
		if err != nil {
			t.Fatal(err)
		}
		saved := func() string {
			to := filepath.Join(t.TempDir(), "saved")
			if err := s.Save(to); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(to)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		good := Event{1, 5, []float32{1, -1, .5}}
		if _, err := s.Score(good); err != nil {
			t.Fatal(err)
		}
		before := saved()
		for _, x := range []float32{math.MaxFloat32, -math.MaxFloat32, float32(math.NaN()), float32(math.Inf(1))} {
			for _, features := range [][]float32{{x, x, x}, {0, 0, x}, {x, -x, x}} {
				if p, err := s.Score(Event{1, 5, features}); err == nil || p != 0 {
					t.Errorf("%s: features %v have score %v, error %v", task, features, p, err)
				}
			}
		}
		if saved() != before {
			t.Errorf("%s: events that were refused have changed the states", task)
		}
		again, err := OpenScorer(path)
		if err != nil {
			t.Fatal(err)
		}
		again.Score(good)
		want, _ := again.Score(good)
		if got, err := s.Score(good); got != want || err != nil {
			t.Errorf("%s: then a good one has score %v, error %v, expected %v", task, got, err, want)
		}
	}
}

// FuzzOpenScorer looks for a spec that OpenScorer does not survive, nor an
// event after it.
func FuzzOpenScorer(f *testing.F) {
	o := Defaults()
	o.Size, o.Blocks = 8, 4
	m, path := trainedOn(f, protocol.LinkPrediction, o, 9, 3, `{"size": 8, "blocks": 4}`)
	snapshot := m.Snapshot(models.Everything)
	f.Add(`{"kind": "dgs", "task": "lp", "options": {"size": 8, "blocks": 4}}`, uint8(0), uint64(3))
	f.Add(`{"kind": "dgs", "task": "nc", "options": {"size": 8, "blocks": 4, "head": {"hidden": [1]}}}`, uint8(1), uint64(1<<40))
	f.Fuzz(func(t *testing.T, spec string, which uint8, size uint64) {
		s := models.Snapshot{Params: models.Clone(snapshot.Params), State: models.Clone(snapshot.State)}
		tensors := append(s.Params, s.State...)
		if spoilt := &tensors[int(which)%len(tensors)]; size%2 == 0 && len(spoilt.Shape) > 0 {
			spoilt.Shape[0], spoilt.F32 = int(size>>1), make([]float32, size%512)
		}
		if err := models.WriteCheckpoint(path, s, map[string]string{models.SpecKey: spec}); err != nil {
			return
		}
		scorer, err := OpenScorer(path)
		if err != nil {
			return
		}
		scorer.Score(Event{1, 20, []float32{1, 2, 3}})
		scorer.Link(3, 4)
	})
}
