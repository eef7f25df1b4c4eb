package harness

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/internal/lists"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"

	"pgregory.net/rapid"
)

// witness is a model that writes down what it is given, in order.
type witness struct {
	models.Model
	calls []call
}

// call is one of Train, Classify, Observe, Learn, Reset or Restore.
type call struct {
	what   string
	events []int // their numbers
	labels []int8
	state  []call // Restore: what the state was made of
}

func (w *witness) note(what string, b datasets.Stream, labels []int8) {
	c := call{what: what, labels: slices.Clone(labels)}
	for k := range b.Len() {
		c.events = append(c.events, b.EventID(k))
	}
	w.calls = append(w.calls, c)
}

func (w *witness) Train(b datasets.Stream, _ []int32) (float64, error) {
	w.note("Train", b, b.Label)
	return 0, nil
}

// Classify scores by the number of the event, so that epochs are level.
func (w *witness) Classify(b datasets.Stream, logits []float32) error {
	w.note("Classify", b, b.Label)
	for k := range logits {
		logits[k] = float32(b.EventID(k) % 7)
	}
	return nil
}

func (w *witness) Observe(b datasets.Stream) error {
	w.note("Observe", b, b.Label)
	return nil
}

func (w *witness) Learn(b datasets.Stream, labels []int8) error {
	w.note("Learn", b, labels)
	return nil
}

func (w *witness) Reset() { w.calls = append(w.calls, call{what: "Reset"}) }

// Snapshot holds how many calls there were.
func (w *witness) Snapshot(models.Part) models.Snapshot {
	return models.Snapshot{State: []models.Tensor{{I64: []int64{int64(len(w.calls))}}}}
}

func (w *witness) Restore(s models.Snapshot) error {
	w.calls = append(w.calls, call{what: "Restore", state: slices.Clone(w.calls[:s.State[0].I64[0]])})
	return nil
}

// delayed draws a stream with labels of every kind, its parts and a protocol
// with delayed labels.
func delayed(t *rapid.T) (datasets.Parts, specs.Trial) {
	n := rapid.IntRange(30, 90).Draw(t, "events")
	s := random(n, 6)
	now := 0
	for k := range n {
		now += rapid.IntRange(0, 4).Draw(t, "gap")
		s.Time[k], s.Label[k] = float64(now), int8(rapid.IntRange(-1, 1).Draw(t, "label"))
	}
	trainEnd := rapid.IntRange(10, n-15).Draw(t, "train")
	valEnd := rapid.IntRange(trainEnd+5, n-5).Draw(t, "validation")
	p := specs.DefaultProtocol()
	p.Batch, p.Epochs, p.Patience = rapid.IntRange(1, 25).Draw(t, "batch"), 2, 0
	p.LabelDelay = rapid.IntRange(0, 60).Draw(t, "delay")
	p.TestState = rapid.SampledFrom([][]specs.StateRule{{specs.Carry}, {specs.Replay}, {specs.Carry, specs.Replay}}).Draw(t, "state")
	if len(p.TestState) == 1 {
		p.EvaluationBatch = rapid.SliceOfNDistinct(rapid.IntRange(1, 25), 0, 3, rapid.ID).Draw(t, "evaluation batches")
	}
	p.WithinBatch = rapid.SampledFrom([]specs.BatchRule{"", specs.TBatch}).Draw(t, "within")
	class := rapid.SampledFrom([]protocol.Class{protocol.Learned, protocol.ZeroParameter}).Draw(t, "class")
	return datasets.Parts{
		Whole: s, Train: s.Slice(0, trainEnd), Val: s.Slice(trainEnd, valEnd), Test: s.Slice(valEnd, n), TestStart: s.Time[valEnd],
	}, specs.Trial{Task: protocol.NodeClassification, Kind: models.Kind{Class: class}, Protocol: p}
}

// TestDelayedLabels: with any delay, a model is told of a label when it is
// known and not before, once, in order, after its window, and it misses none.
// Selection scores what is known when the test begins, and the test everything.
func TestDelayedLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts, trial := delayed(t)
		s, delay := parts.Whole, float64(trial.Protocol.LabelDelay)
		known := func(event int, at float64) bool { return s.Time[event]+delay <= at }
		end := s.Time[parts.Train.Len()-1]
		r, model := &run{spec: trial, parts: parts, best: -1, tick: func() {}}, &witness{}
		r.model = model
		var err error
		if r.parts, err = withKnownLabels(trial, parts); err != nil {
			if trial.Kind.Trainable() && (!known(0, end) || !known(parts.Train.Len(), parts.TestStart)) {
				return
			}
			t.Fatal(err)
		}
		if err := r.do(t.Context()); err != nil {
			if strings.Contains(err.Error(), "not defined") {
				t.Skip("a validation without positives or negatives")
			}
			t.Fatal(err)
		}

		var told, folded map[int]bool                                                                     // of the present state
		tests := 0                                                                                        // that have begun
		sizes := lists.Map(trial.Protocol.Evaluations(), func(e specs.Evaluation) int { return e.Batch }) // the first is tested last, after those of its state
		if len(trial.Protocol.TestState) == 1 {
			sizes = append(sizes[1:], sizes[0])
		}
		fold := func(c call) {
			switch c.what {
			case "Reset":
				told, folded = map[int]bool{}, map[int]bool{}
			case "Learn":
				for _, e := range c.events {
					told[e] = true
				}
			default:
				for i, e := range c.events {
					folded[e] = true
					told[e] = told[e] || c.what == "Train" && c.labels[i] != datasets.Unlabelled
				}
			}
		}
		for i, c := range model.calls {
			switch c.what {
			case "Restore":
				for _, c := range c.state {
					fold(c)
				}
				continue
			case "Train":
				for k, e := range c.events {
					if want := s.Label[e]; !known(e, end) && c.labels[k] != datasets.Unlabelled || known(e, end) && c.labels[k] != want {
						t.Fatalf("event %d, time %v: trained with label %d of %d, %v s before the end", e, s.Time[e], c.labels[k], want, end-s.Time[e])
					}
				}
			case "Learn":
				at := s.Time[slices.Min(model.calls[i+1].events)] // a window's first event is in its first batch
				for k, e := range c.events {
					if told[e] || !folded[e] || !known(e, at) || c.labels[k] != s.Label[e] || k > 0 && e <= c.events[k-1] {
						t.Fatalf("at %v Learn of %v as %v: event %d is of time %v and label %d, told before: %v, folded in: %v",
							at, c.events, c.labels, e, s.Time[e], s.Label[e], told[e], folded[e])
					}
				}
			case "Observe", "Classify":
				if c.labels != nil {
					t.Fatalf("%s with labels", c.what)
				}
				first := slices.Min(c.events)
				size := trial.Protocol.Batch // of the windows of this part
				if first == parts.Test.EventID(0) {
					tests++
				}
				if first >= parts.Test.EventID(0) {
					size = sizes[tests-1]
				} else if first >= parts.Val.EventID(0) {
					size = trial.Protocol.Evaluations()[0].Batch
				}
				if c.what == "Classify" && len(c.events) > size {
					t.Fatalf("events %v are classified at once, expected at most %d", c.events, size)
				}
				for e := range first {
					if begins(parts, first, size) && s.Label[e] != datasets.Unlabelled && known(e, s.Time[first]) && !told[e] {
						t.Fatalf("event %d is known at %v, and was not told", e, s.Time[first])
					}
				}
			}
			fold(c)
		}

		if tests != len(sizes) {
			t.Fatalf("%d tests, expected %d", tests, len(sizes))
		}
		for _, f := range r.facts {
			want := slices.Clone(parts.Test.Label)
			if f.part.Split == protocol.Validation {
				want = slices.Clone(parts.Val.Label)
				for k := range want {
					if !known(parts.Val.EventID(k), parts.TestStart) {
						want[k] = datasets.Unlabelled
					}
				}
			}
			if !slices.Equal(f.facts.Label, want) {
				t.Fatalf("%s is scored on %v, expected %v", f.part.Split, f.facts.Label, want)
			}
		}
	})
}

// begins reports whether an event is the first one of a window.
func begins(p datasets.Parts, event, batch int) bool {
	for _, part := range []datasets.Stream{p.Test, p.Val, p.Train} {
		if first := part.EventID(0); event >= first {
			return (event-first)%batch == 0
		}
	}
	return false
}

// TestTooLateToLearn: a delay that leaves nothing to train on, or nothing to
// select by, is one message.
func TestTooLateToLearn(t *testing.T) {
	for delay, want := range map[int]string{
		100: "label_delay: no label of the training part is known at its end, 6 s after the part's first event; expected a delay of at most that, found 100",
		5:   "label_delay: no label of the validation part is known when the test begins, 4 s after the part's first event; expected a delay of at most that, found 5",
	} {
		p := specs.DefaultProtocol()
		p.Batch, p.LabelDelay = 20, delay
		parts := scriptedParts()
		parts.TestStart = parts.Test.Time[0]
		_, err := newRun(specs.Trial{Task: protocol.NodeClassification, Kind: kindOf("scripted"), Options: &script{}, Protocol: p}, parts, devices.Target{}, 1, func() {})
		if fmt.Sprint(err) != want {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

// TestDelayIsNoted: tables say when labels are known.
func TestDelayIsNoted(t *testing.T) {
	trial := specs.Trial{Task: protocol.NodeClassification, Protocol: specs.Protocol{LabelDelay: 3600}}
	if notes := delayNotes(trial); len(notes) != 1 || !strings.Contains(notes[0], "3600 s after its event") {
		t.Errorf("notes %q", notes)
	}
	if trial.Protocol.LabelDelay = 0; delayNotes(trial) != nil {
		t.Errorf("notes %q of labels known at once", delayNotes(trial))
	}
}
