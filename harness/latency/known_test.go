package latency

import (
	"context"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// known is a trial in which the stream is known in advance.
func known(kind string) specs.Trial {
	t := trial(kind)
	p := fakeProtocol
	p.Known = true
	t.Protocol.Latency = &p
	return t
}

// prophet is a fake that answers ahead, batch by batch.
type prophet struct{ *fake }

func (p prophet) ClassifyAhead(part datasets.Stream, batch int, logits []float32) error {
	return classify(p, part, batch, logits)
}

// TestKnownInAdvance: one answer to all events, labelled as such, that is held
// against streaming; nothing of the paper beside it.
func TestKnownInAdvance(t *testing.T) {
	all := measure(t, 1, known("prophet"))
	r := all[0].Record
	if r.Failed() || r.Latency.Mode != record.Known || r.PaperName != "" {
		t.Fatalf("error %q, mode %q, paper %q", r.Error, r.Latency.Mode, r.PaperName)
	}
	timings := r.Latency.Timings
	if len(timings) != 1 || timings[0].Batches != 1 || timings[0].Batch != fakeBatches*fakeBatch || len(all[0].Times[timings[0].Array()]) != fakeProtocol.Iterations {
		t.Errorf("%+v", timings)
	}
	if report := NewSummary(Plan{}, all); report.Models[0].Mode != record.Known {
		t.Errorf("the report's mode is %q", report.Models[0].Mode)
	}
}

// TestModesOfADataset: both are refused, before anything is measured.
func TestModesOfADataset(t *testing.T) {
	h := silent
	h.Start = func(int) { t.Error("it starts") }
	err := Run(context.Background(), Plan{Trials: []specs.Trial{trial("good"), known("prophet")}, Threads: 1}, h, nil)
	if err == nil || !strings.Contains(err.Error(), "good is to be measured streaming, and prophet whole stream known in advance: expected one mode") {
		t.Error(err)
	}
}

// TestKnownFaults: answers of the mode that are not those of streaming fail
// the model, and so does a model without the mode.
func TestKnownFaults(t *testing.T) {
	for name, want := range map[string]string{
		"prophet that errs": "the timed run answers event 3503 with",
		"good":              "measure it without `known: true`",
	} {
		if r := measure(t, 1, known(name))[0].Record; !strings.Contains(r.Error, want) {
			t.Errorf("%s: it says %q, expected %q", name, r.Error, want)
		}
	}
}

// TestKnownAllocatesNothing, with the model that has the mode.
func TestKnownAllocatesNothing(t *testing.T) {
	test := known("dgs")
	k, err := models.Lookup("dgs")
	if err != nil {
		t.Fatal(err)
	}
	test.Options = k.Options()
	in := newTested(t, test)
	for i := range 3 {
		o, err := in.iterate()
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && (o.bytes > strayBytes || o.collections > 0) {
			t.Errorf("iteration %d allocates %d bytes, and collects garbage %d times", i, o.bytes, o.collections)
		}
	}
	if n := testing.AllocsPerRun(3, func() {
		if err := in.timed(); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
