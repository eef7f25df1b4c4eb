package harness

import (
	"context"
	"errors"
	"fmt"
	"math"
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
)

// scripted is a model that writes down what is asked of it, and whose
// validation AUC after each epoch is given. Its one parameter is the epoch.
type scripted struct {
	*script
	epoch int
}

// script is what a scripted model is built from: its options.
type script struct {
	auc       []float64 // after each epoch
	log       []string
	negatives [][]int32
	loss      float64
}

func (*script) Validate() error { return nil }

func init() {
	models.Register(models.Kind{
		Name: "scripted", Class: protocol.Learned, LogOdds: true, Tasks: []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return &script{} },
		New: func(s models.Setup, o models.Options) (models.Model, error) {
			if s.Train.Len() == 0 || s.Train.Label != nil {
				return nil, errors.New("expected a training part without labels")
			}
			return &scripted{script: o.(*script), epoch: -1}, nil
		},
	})
}

func (s *scripted) note(what string, b datasets.Stream) {
	if labelled := b.Label != nil; labelled != (what == "train") {
		what += fmt.Sprintf(" with labels: %t", labelled)
	}
	s.log = append(s.log, fmt.Sprintf("%s %d-%d", what, b.EventID(0), b.EventID(b.Len()-1)))
}

func (s *scripted) Train(b datasets.Stream, negatives []int32) (float64, error) {
	if b.EventID(0) == 0 {
		s.epoch++
	}
	s.note("train", b)
	s.negatives = append(s.negatives, slices.Clone(negatives))
	return s.loss, nil
}

// Classify scores the part's single positive, its first event, above the
// given share of the ten others.
func (s *scripted) Classify(b datasets.Stream, logits []float32) error {
	s.note("classify", b)
	for k := range logits {
		logits[k] = float32(k)
	}
	logits[0] = float32(math.Round(10*s.auc[s.epoch])) + .5
	return nil
}

func (s *scripted) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	s.note(fmt.Sprintf("rank %d candidates", len(c.Nodes)), b)
	clear(out.Greater)
	clear(out.Equal)
	return nil
}

func (s *scripted) Observe(b datasets.Stream) error {
	s.note("observe", b)
	return nil
}

func (s *scripted) Learn(b datasets.Stream, labels []int8) error {
	if s.note("learn", b); len(labels) != b.Len() || slices.Contains(labels, datasets.Unlabelled) {
		return fmt.Errorf("labels %v of %d events", labels, b.Len())
	}
	return nil
}

func (s *scripted) Reset() { s.log = append(s.log, "reset") }

// Snapshot holds as state the number of what was asked before.
func (s *scripted) Snapshot(what models.Part) models.Snapshot {
	snap := models.Snapshot{Params: []models.Tensor{{Name: "epoch", I64: []int64{int64(s.epoch)}}}}
	if what == models.Everything {
		snap.State = []models.Tensor{{Name: "asked", I64: []int64{int64(len(s.log))}}}
	}
	return snap
}

func (s *scripted) Restore(snap models.Snapshot) error {
	s.epoch = int(snap.Params[0].I64[0])
	what := fmt.Sprintf("restore epoch %d", s.epoch)
	if snap.State != nil {
		what += fmt.Sprintf(" as after %q", s.log[snap.State[0].I64[0]-1])
	}
	s.log = append(s.log, what)
	return nil
}

func (*scripted) Score(datasets.Stream, []int32, []float32) error { return models.ErrTask }
func (*scripted) NumParams() int                                  { return 1 }

// scriptedParts has 20 training events, 11 for validation and 11 for test.
func scriptedParts() datasets.Parts {
	s := random(42, 10)
	for k := range s.Label {
		s.Label[k] = 0
		if k == 20 || k == 31 {
			s.Label[k] = 1
		}
	}
	return datasets.Parts{Whole: s, Train: s.Slice(0, 20), Val: s.Slice(20, 31), Test: s.Slice(31, 42)}
}

func runScript(t *testing.T, task protocol.Task, s *script, change func(*specs.Protocol)) *run {
	t.Helper()
	p := specs.DefaultProtocol()
	p.Batch, p.Epochs, p.Patience = 20, len(s.auc), 0
	change(&p)
	r, err := newRun(specs.Trial{Task: task, Kind: kindOf("scripted"), Options: s, Protocol: p}, scriptedParts(), devices.Target{}, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.do(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOrderOfAProtocol: what a model is asked, in which order, under each
// rule for the state. The test continues from the state after the validation that
// its epoch was selected by.
func TestOrderOfAProtocol(t *testing.T) {
	const (
		trained   = "reset, train 0-19, "
		observed  = "reset, observe 0-19, learn 0-19, "
		validated = "classify 20-30, "
		tested    = "learn 20-30, classify 31-41"
		restored  = `restore epoch 0 as after "classify 20-30", `
	)
	for name, c := range map[string]struct {
		change func(*specs.Protocol)
		want   string
	}{
		"carry": {
			func(*specs.Protocol) {},
			trained + validated + trained + validated + restored + tested,
		},
		"replay": {
			func(p *specs.Protocol) { p.TestState = []specs.StateRule{specs.Replay} },
			trained + observed + validated + trained + observed + validated + restored + tested,
		},
		"both": {
			func(p *specs.Protocol) { p.TestState = []specs.StateRule{specs.Carry, specs.Replay} },
			trained + validated + trained + validated + restored + tested + ", " + observed + validated + tested,
		},
		"sizes of batches": {
			func(p *specs.Protocol) { p.EvaluationBatch = []int{20, 6} },
			trained + validated + trained + validated + restored + "learn 20-30, classify 31-36, learn 31-36, classify 37-41, " +
				`restore epoch 0 as after "restore epoch 0 as after \"classify 20-30\"", ` + tested,
		},
		"the last epoch, in other batches": {
			func(p *specs.Protocol) { p.Select, p.EvaluationBatch = specs.SelectLast, []int{6} },
			trained + "classify 20-25, learn 20-25, classify 26-30, " + trained + "classify 20-25, learn 20-25, classify 26-30, " +
				"learn 26-30, classify 31-36, learn 31-36, classify 37-41",
		},
		"last epoch, carry": {
			func(p *specs.Protocol) { p.Select = specs.SelectLast },
			trained + validated + trained + validated + tested,
		},
	} {
		s := &script{auc: []float64{.9, .8}}
		runScript(t, protocol.NodeClassification, s, c.change)
		if diff := cmp.Diff(strings.Split(c.want, ", "), s.log); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestWithoutATest: a trial that ends with its training keeps no epoch.
func TestWithoutATest(t *testing.T) {
	s := &script{auc: []float64{.9, .8}}
	p := specs.DefaultProtocol()
	p.Batch, p.Epochs = 20, 2
	r, err := newRun(specs.Trial{Task: protocol.NodeClassification, Kind: kindOf("scripted"), Options: s, Protocol: p}, WithoutTest(scriptedParts()), devices.Target{}, 1, func() {})
	if err == nil {
		err = r.train(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if last := s.log[len(s.log)-1]; last != "classify 20-30" || r.best != 0 {
		t.Errorf("epoch %d is the best, the last thing done %q", r.best, last)
	}
}

// TestEarlyStopping: patience counts epochs without improvement, and the
// best epoch is the one tested.
func TestEarlyStopping(t *testing.T) {
	s := &script{auc: []float64{.5, .7, .7, .6, .9}}
	r := runScript(t, protocol.NodeClassification, s, func(p *specs.Protocol) { p.Patience = 2 })
	if len(r.epochs) != 4 || r.best != 1 {
		t.Errorf("%d epochs, best %d; expected 4 and 1", len(r.epochs), r.best)
	}
	for _, f := range r.facts {
		auc, err := r.spec.Protocol.SelectedBy(r.spec.Task).Value(f.facts)
		if err != nil || math.Abs(auc-.7) > 1e-9 {
			t.Errorf("%s AUC %v, expected that of the best epoch, .7 (%v)", f.part.Split, auc, err)
		}
	}
}

// TestSelectedBy: another metric selects another epoch, the first whose positive is
// among three alerts, and the lowest Brier score is the best.
func TestSelectedBy(t *testing.T) {
	for by, want := range map[string]int{"": 3, "precision@3/day": 1, "brier": 3, "ap": 3} {
		s := &script{auc: []float64{.5, .8, .7, .9, .1}}
		r := runScript(t, protocol.NodeClassification, s, func(p *specs.Protocol) { p.Patience, p.SelectBy = 0, by })
		if r.best != want {
			t.Errorf("%q: epoch %d of %v, expected %d", by, r.best, r.epochs, want)
		}
		metric := r.spec.Protocol.SelectedBy(protocol.NodeClassification)
		for i, e := range r.epochs {
			if metric.Better(float64(e.Validation), float64(r.epochs[r.best].Validation)) {
				t.Errorf("%q: epoch %d with %v is better than %d", by, i, e.Validation, r.best)
			}
		}
	}
}

// TestRankingParts: link prediction reports every candidate set on both
// parts of every evaluation; validation events are ranked against a sample of
// each, and test events against all.
func TestRankingParts(t *testing.T) {
	s := &script{auc: []float64{0}}
	r := runScript(t, protocol.LinkPrediction, s, func(p *specs.Protocol) {
		p.ValNegatives, p.TestState = 4, []specs.StateRule{specs.Carry, specs.Replay}
	})
	var got []record.Part
	for _, f := range r.facts {
		got = append(got, f.part)
	}
	if diff := cmp.Diff(record.Parts("lp", "", "replay"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	all := fmt.Sprintf("rank %d candidates", len(scriptedParts().Whole.Destinations()))
	want := []string{
		"reset", "train 0-19", "rank 4 candidates 20-30", "rank 4 candidates 20-30", "observe 20-30", `restore epoch 0 as after "observe 20-30"`,
		"rank 10 candidates 31-41", all + " 31-41", "observe 31-41",
		"reset", "observe 0-19", "rank 4 candidates 20-30", "rank 4 candidates 20-30", "observe 20-30",
		"rank 10 candidates 31-41", all + " 31-41", "observe 31-41",
	}
	if diff := cmp.Diff(want, s.log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRankedOneByOne: the test in batches of one ranks every event from the state that
// holds all events before it, and no other.
func TestRankedOneByOne(t *testing.T) {
	s := &script{auc: []float64{0}}
	runScript(t, protocol.LinkPrediction, s, func(p *specs.Protocol) {
		p.Candidates, p.EvaluationBatch = []protocol.CandidateSet{protocol.AllNodes}, []int{20, 1}
	})
	var want []string
	for event := 31; event <= 41; event++ {
		want = append(want, fmt.Sprintf("rank 10 candidates %d-%d", event, event), fmt.Sprintf("observe %d-%d", event, event))
	}
	first := slices.Index(s.log, want[0])
	if first < 0 {
		t.Fatalf("no %q in %q", want[0], s.log)
	}
	if diff := cmp.Diff(want, s.log[first:first+len(want)]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNegatives are drawn anew in every batch, and are the same for the same
// seed.
func TestNegatives(t *testing.T) {
	draw := func() [][]int32 {
		s := &script{auc: []float64{0, 0}}
		runScript(t, protocol.LinkPrediction, s, func(p *specs.Protocol) { p.Batch = 11 })
		return s.negatives
	}
	first := draw()
	if diff := cmp.Diff(first, draw()); diff != "" {
		t.Errorf("same seed, first (-) and second run (+):\n%s", diff)
	}
	if len(first) != 4 || len(first[0]) != 11 || len(first[1]) != 9 || slices.Equal(first[0], first[2]) {
		t.Errorf("negatives of two epochs: %v", first)
	}
}

// TestUndefinedValidation: a part without positives cannot select an epoch.
func TestUndefinedValidation(t *testing.T) {
	parts := scriptedParts()
	parts.Val = parts.Val.Slice(1, 11)
	r, err := newRun(specs.Trial{
		Task: protocol.NodeClassification, Kind: kindOf("scripted"),
		Options: &script{auc: []float64{.5}}, Protocol: specs.DefaultProtocol(),
	}, parts, devices.Target{}, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.do(context.Background()); err == nil || !strings.Contains(err.Error(), "validation after epoch 1: auc") {
		t.Errorf("error %v", err)
	}
}

// TestInductive: only events with a node that training has not seen are
// asked about, and all are folded in.
func TestInductive(t *testing.T) {
	parts := scriptedParts()
	parts.NewNode = make([]bool, parts.Whole.NumNodes)
	parts.NewNode[3] = true
	s := &script{auc: []float64{0}}
	p := specs.DefaultProtocol()
	p.Epochs = 1
	r, err := newRun(specs.Trial{Task: protocol.LinkPrediction, Setting: protocol.Inductive, Kind: kindOf("scripted"), Options: s, Protocol: p}, parts, devices.Target{}, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.do(context.Background()); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for k := range parts.Test.Len() {
		if parts.Test.Src[k] == 3 || parts.Test.Dst[k] == 3 {
			asked++
		}
	}
	if got := r.facts[len(r.facts)-1].facts.Len(); got != asked || asked == 0 || asked == parts.Test.Len() {
		t.Errorf("%d events were ranked, %d have the new node", got, asked)
	}
	if last := s.log[len(s.log)-1]; last != "observe 31-41" {
		t.Errorf("the last thing done is %q, expected all test events to be folded in", last)
	}
}
