package harness

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestTBatches: every event is in one t-batch, a node at most once in each,
// its events stay in order, and no event is later than it must be.
func TestTBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, nodes := rapid.IntRange(0, 40).Draw(t, "events"), rapid.IntRange(1, 12).Draw(t, "nodes")
		node := rapid.Int32Range(0, int32(nodes-1))
		w := datasets.Stream{
			Src: rapid.SliceOfN(node, n, n).Draw(t, "src"), Dst: rapid.SliceOfN(node, n, n).Draw(t, "dst"), NumNodes: nodes,
		}
		of := make([]int, n) // t-batch of an event, from 1
		for b, places := range tBatches(w) {
			if !slices.IsSorted(places) || len(places) == 0 {
				t.Fatalf("t-batch %d is %v", b, places)
			}
			met := map[int32]bool{}
			for _, k := range places {
				if of[k] != 0 || met[w.Src[k]] || met[w.Dst[k]] {
					t.Fatalf("event %d of %v-%v is in t-batch %d twice, or with an event of its nodes", k, w.Src, w.Dst, b)
				}
				of[k] = b + 1
				met[w.Src[k]], met[w.Dst[k]] = true, true
			}
		}
		for k := range n {
			want := 1 // semantics: one more than the last t-batch of either node
			for j := range k {
				if slices.ContainsFunc([]int32{w.Src[j], w.Dst[j]}, func(v int32) bool { return v == w.Src[k] || v == w.Dst[k] }) {
					want = max(want, of[j]+1)
				}
			}
			if of[k] != want {
				t.Fatalf("event %d of %v-%v is in t-batch %d, expected %d", k, w.Src, w.Dst, of[k], want)
			}
		}
	})
}

// suiteTrials resolves a suite that names the toy, whose registration comes
// with it.
func suiteTrials(t *testing.T, text string) []specs.Trial {
	t.Helper()
	toySuite(t)
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "suite.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	entry, err := lib.AddFile(file)
	if err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite(entry.Name)
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return trials
}

// partsOf is what the trial is measured on.
func partsOf(t *testing.T, trial specs.Trial) datasets.Parts {
	t.Helper()
	lib, err := loadAll([]specs.Trial{trial}, "")
	if err != nil {
		t.Fatal(err)
	}
	parts, err := lib[trial.Dataset].Parts(trial)
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

// classified are the scores of the toy's test part under a batch rule, by a
// model that is not trained.
func classified(t *testing.T, trial specs.Trial, parts datasets.Parts, size int, rule specs.BatchRule) []float32 {
	t.Helper()
	trial.Protocol.Batch, trial.Protocol.WithinBatch = size, rule
	r, err := newRun(trial, parts, devices.Target{}, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.observe(context.Background(), parts.Train); err != nil {
		t.Fatal(err)
	}
	facts, err := r.classify(context.Background(), parts.Test, trial.Protocol.Batch)
	if err != nil {
		t.Fatal(err)
	}
	return facts.Score
}

// TestTBatchesAnswerAsSequence: a model that reads no other states than those
// of the event's two nodes answers in t-batches what it answers event by
// event, however large the window is: no answer knows a later event, and none
// misses an earlier one. A larger batch under last_write answers otherwise,
// and so do models that look further: why these are refused.
func TestTBatchesAnswerAsSequence(t *testing.T) {
	var local, reaching []string
	for _, trial := range suiteTrials(t, `name: t-batches
title: t-batches
runs: [{task: nc, datasets: [toy], models: [user-count, user-age, raw, graph-sprints, dgs, dgs-s, dgs-v, dgs-bp, dgs-sum, tgn-id, tgn-attn, jodie]}]
`) {
		parts := partsOf(t, trial)
		sequence := classified(t, trial, parts, 1, specs.LastWrite)
		if r, ok := trial.Options.(models.Reaching); ok && r.ReachesOut() {
			reaching = append(reaching, trial.ModelID)
			if slices.Equal(sequence, classified(t, trial, parts, 100, specs.TBatch)) {
				t.Errorf("%s reads neighbours, and t-batches change nothing", trial.Ref())
			}
			continue
		}
		local = append(local, trial.ModelID)
		for _, size := range []int{1, 7, 50, toyEvents} {
			if diff := cmp.Diff(sequence, classified(t, trial, parts, size, specs.TBatch)); diff != "" {
				t.Errorf("%s, windows of %d (-event by event +t-batches):\n%s", trial.Ref(), size, diff)
			}
		}
		if trial.Kind.Trainable() && trial.Kind.Memory && slices.Equal(sequence, classified(t, trial, parts, 50, specs.LastWrite)) {
			t.Errorf("%s answers the same with stale states", trial.Ref())
		}
	}
	if len(local) != 11 || len(reaching) != 1 {
		t.Errorf("local models %v, others %v", local, reaching)
	}
}

// TestTBatchOfOneEvent: with windows of one event the rules are the same, in
// training too.
func TestTBatchOfOneEvent(t *testing.T) {
	var scores [][]record.Score
	for _, rule := range []string{"last_write", "t_batch"} {
		dir := t.TempDir()
		r := Runner{Store: record.Store{Dir: dir}, Workers: 1}
		trials := suiteTrials(t, `name: one
title: one
protocol: {batch: 1, within_batch: `+rule+`, epochs: 2}
runs: [{task: nc, datasets: [toy], models: [raw, dgs, tgn-id]}]
`)
		if _, err := r.Run(context.Background(), trials); err != nil {
			t.Fatal(err)
		}
		var some []record.Score
		for _, rec := range load(t, dir) {
			some = append(some, rec.Scores...)
		}
		scores = append(scores, some)
	}
	if diff := cmp.Diff(scores[0], scores[1]); diff != "" || len(scores[0]) == 0 {
		t.Errorf("(-last write +t-batch):\n%s", diff)
	}
}

// trainee writes down what it is trained on. Its losses are 1, 2, 3, ...
type trainee struct {
	models.Model
	trained []datasets.Stream
}

func (m *trainee) Train(b datasets.Stream, _ []int32) (float64, error) {
	m.trained = append(m.trained, b)
	return float64(len(m.trained)), nil
}

// TestTBatchSteps: training makes one step a t-batch, on the events of the
// window and no others. The loss of an epoch is the mean of the steps'.
func TestTBatchSteps(t *testing.T) {
	trial := suiteTrials(t, `name: steps
title: steps
protocol: {batch: 50, within_batch: t_batch, epochs: 1}
runs: [{task: nc, datasets: [toy], models: [raw]}]
`)[0]
	parts := partsOf(t, trial)
	model := &trainee{}
	r := &run{spec: trial, parts: parts, model: model, tick: func() {}}
	loss, err := r.epoch(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	steps, trained := 0, map[int]bool{}
	for k := range numWindows(parts.Train, 50) {
		w := window(parts.Train, 50, k)
		clear(trained)
		for _, places := range tBatches(w) {
			b := model.trained[steps]
			for i := range places {
				trained[b.EventID(i)] = true
			}
			steps++
		}
		for k := range w.Len() {
			if !trained[w.EventID(k)] {
				t.Fatalf("event %d is not trained on in its window", w.EventID(k))
			}
		}
	}
	if steps != len(model.trained) || steps <= numWindows(parts.Train, 50) {
		t.Errorf("%d steps, expected %d", len(model.trained), steps)
	}
	if want := float64(steps+1) / 2; math.Abs(loss-want) > 1e-9 {
		t.Errorf("the loss of the epoch is %v, the mean of 1 to %d is %v", loss, steps, want)
	}
}

// TestLabelsComeAfterTheWindow: in t-batches an event may be asked about after
// a later one. Labels become known when all have been asked about, before the
// next window, in stream order, and those of labelled events alone.
func TestLabelsComeAfterTheWindow(t *testing.T) {
	const n, window = 60, 20
	s := random(n, 6)
	for k := range s.Label {
		s.Label[k] = int8(k%3) - 1
	}
	s.Label = append(slices.Repeat([]int8{datasets.Unlabelled}, window), s.Label[window:]...) // a window without any
	script := &script{auc: []float64{.5}}
	e := evaluating(&scripted{script: script}, window, func() {})
	e.spec.Task, e.spec.Protocol.WithinBatch, e.parts.Whole = protocol.NodeClassification, specs.TBatch, s
	if _, err := e.classify(context.Background(), s.Slice(0, n/2), window); err != nil {
		t.Fatal(err)
	}
	if err := e.observe(context.Background(), s.Slice(n/2, n)); err != nil {
		t.Fatal(err)
	}
	var learned []string
	asked := 0
	for _, what := range script.log {
		if strings.HasPrefix(what, "learn") {
			learned = append(learned, what)
		} else {
			asked++
		}
	}
	if want := []string{"learn 20-29", "learn 31-49"}; !slices.Equal(learned, want) || asked < 8 {
		t.Errorf("%v after %d batches, expected %v", learned, asked, want)
	}
}
