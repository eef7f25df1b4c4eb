package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/harness/tune"
	"dgsbench/internal/optional"
	"dgsbench/kernels/devices"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// maxBytes is how big the report of the quick suite may be, with a search of
// every learned model.
const maxBytes = 5_000_000

// TestReportSize: the report of the quick suite, of all of its seeds, with the
// paper's 100 trials for each learned model, can be sent by mail. The records
// are those of the suite's trials, with made up numbers.
func TestReportSize(t *testing.T) {
	dir := t.TempDir()
	o := &options{suite: defaultSuite, data: dir}
	s, err := o.choose(t.Context(), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	f := forger{t: t, store: record.Store{Dir: dir}, rng: rand.New(rand.NewPCG(1, 1)), loaded: map[string]*datasets.Loaded{}}
	for _, trial := range s.trials {
		f.record(trial)
		if trial.Kind.Class == "learned" && !trial.IsLatency() && trial.Seed == 0 {
			f.search(trial)
		}
	}
	measure(t, "report", "--data", dir, "--out", dir)
	text := read(t, dir, defaultSuite, "report.html")
	for _, want := range []string{fmt.Sprintf("%d, 0 failed", len(s.trials)), "over 1000 batches", "over 30000 batches", "10 seeds: loss from", "27, of 2700 trials"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q on the page: it is not that of the whole suite", want)
		}
	}
	t.Logf("%d bytes", len(text))
	if len(text) > maxBytes {
		t.Errorf("the report of suite %s takes %d bytes, expected %d at most; by section:\n%s", defaultSuite, len(text), maxBytes, sizes(text))
	}
}

// sizes lists the sections of a page with their bytes, the biggest first.
func sizes(page string) string {
	starts := regexp.MustCompile(`<section id="([^"]+)" aria-labelledby`).FindAllStringSubmatchIndex(page, -1)
	type size struct {
		name  string
		bytes int
	}
	var all []size
	for i, at := range starts {
		end := len(page)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		all = append(all, size{page[at[2]:at[3]], end - at[0]})
	}
	slices.SortFunc(all, func(a, b size) int { return b.bytes - a.bytes })
	var out strings.Builder
	for _, s := range all {
		fmt.Fprintf(&out, "%8d  %s\n", s.bytes, s.name)
	}
	return out.String()
}

// forger writes what trials leave, without running them.
type forger struct {
	t      *testing.T
	store  record.Store
	rng    *rand.Rand
	loaded map[string]*datasets.Loaded
}

// record writes the record of a trial with its sidecar.
func (f *forger) record(trial specs.Trial) {
	f.t.Helper()
	l, ok := f.loaded[trial.Dataset]
	if !ok {
		d, err := datasets.Lookup(trial.Dataset)
		if err == nil {
			l, err = d.Load(f.store.Dir)
		}
		if err != nil {
			f.t.Fatal(err)
		}
		f.loaded[trial.Dataset] = l
	}
	on, err := devices.Find("cpu")
	if err != nil {
		f.t.Fatal(err)
	}
	r := harness.Describe(trial, l, on)
	switch {
	case trial.IsLatency():
		samples := f.samples(&r, trial)
		_, err = f.store.Write(r, samples)
	case trial.IsLive():
		answers := f.answers(&r, trial)
		_, err = f.store.Write(r, answers)
	default:
		if trial.Kind.Class == "learned" {
			f.epochs(&r, trial.Protocol.Epochs)
		}
		for i := range r.Data.Parts {
			r.Data.Parts[i].Days = nil // they are those of more events than are made up
		}
		_, err = f.store.Write(r, f.observed(trial))
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// epochs makes up learning curves with as many digits as real ones have.
func (f *forger) epochs(r *record.Record, epochs int) {
	for e := range epochs {
		loss := math.Exp(-float64(e)/5) + .1*f.rng.Float64()
		r.Epochs = append(r.Epochs, record.Epoch{Loss: optional.Number(loss), Validation: optional.Number(1 / (1 + loss)), Seconds: f.rng.Float64()})
	}
	r.BestEpoch = f.rng.IntN(epochs)
}

// observed makes up what is kept of the events: some of them, because the page
// does not grow with their number.
func (f *forger) observed(trial specs.Trial) record.Observed {
	const events = 50
	var facts metrics.Facts
	out := record.Observed{}
	for range events {
		if trial.Task == protocol.LinkPrediction {
			facts.Greater, facts.Equal = append(facts.Greater, f.rng.Int32N(800)), append(facts.Equal, 0)
		} else {
			facts.Score, facts.Label = append(facts.Score, f.rng.Float32()), append(facts.Label, int8(f.rng.IntN(2)))
		}
	}
	for _, split := range []protocol.Split{protocol.Validation, protocol.Test} {
		if trial.Task != protocol.LinkPrediction {
			out[record.Part{Split: split}] = facts
			continue
		}
		for _, set := range trial.Protocol.Candidates {
			out[record.Part{Split: split, Candidates: set}] = facts
		}
	}
	return out
}

// samples makes up the times of a latency test, of every batch.
func (f *forger) samples(r *record.Record, trial specs.Trial) record.Times {
	plan := trial.Protocol.Latency
	r.Latency = &record.Latency{Run: "2026-01-01T00:00:00Z", Mode: record.Streaming, Load: optional.Absent()}
	r.Threads = 1
	out := record.Times{}
	add := func(batch, batches, iterations int) {
		timing := record.Timing{Batch: batch, Batches: batches, Iterations: iterations}
		h := hdrhistogram.New(1, 3_600_000_000_000, 3)
		for range batches * iterations {
			ns := int64(1e4 * math.Exp(f.rng.NormFloat64()))
			out[timing.Array()] = append(out[timing.Array()], ns)
			if err := h.RecordValue(ns); err != nil {
				f.t.Fatal(err)
			}
		}
		text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			f.t.Fatal(err)
		}
		timing.Histogram = string(text)
		r.Latency.Timings = append(r.Latency.Timings, timing)
	}
	add(trial.Protocol.Batch, plan.Batches, plan.Iterations)
	for _, batch := range plan.Sweep {
		add(batch, plan.SweepBatches, plan.SweepIterations)
	}
	return out
}

// answers makes up the points of a live test.
func (f *forger) answers(r *record.Record, trial specs.Trial) record.Observed {
	r.Live = &record.Live{
		Run: "2026-01-01T00:00:00Z", Load: optional.Absent(), Events: 50,
		Service: []record.ServiceTime{{Batch: 1, Batches: 50, Seconds: 1e-5}},
	}
	r.Threads, r.FirstEvaluation = 1, record.OneByOne
	facts := f.observed(trial)[record.Part{Split: protocol.Test}]
	out := record.Observed{record.Part{Split: protocol.Test, Evaluation: record.OneByOne}: facts}
	for _, rate := range trial.Protocol.Live.Rates {
		h := record.NewHistogram()
		for range trial.Protocol.Live.Answers {
			record.AddTo(h, int64(1e4*math.Exp(f.rng.NormFloat64())))
		}
		p := record.LivePoint{Rate: rate, Tries: 1, Turns: 1, Answers: trial.Protocol.Live.Answers, Batches: 100, Seconds: 1, Histogram: record.EncodeHistogram(h)}
		r.Live.Points, r.Evaluations = append(r.Live.Points, p), append(r.Evaluations, p.Name())
		out[record.Part{Split: protocol.Test, Evaluation: p.Name()}] = facts
	}
	return out
}

// search writes the history of a search of ten options.
func (f *forger) search(trial specs.Trial) {
	study := map[string]any{"model": trial.ModelID, "dataset": trial.Dataset, "task": trial.Task, "setting": trial.Setting}
	lines := []any{map[string]any{"study": study}}
	for i := -1; i < 100; i++ {
		value, values := f.rng.Float64(), map[string]any{}
		for o := range 10 {
			values[fmt.Sprintf("optimiser.weight_decay_%d", o)] = math.Round(1e6*f.rng.Float64()) / 1e10
		}
		lines = append(lines, tune.Line{Trial: i, Phase: tune.Random, Values: values, Value: &value, Epochs: 16, Seconds: f.rng.Float64()})
	}
	var text strings.Builder
	for _, line := range lines {
		data, err := json.Marshal(line)
		if err != nil {
			f.t.Fatal(err)
		}
		text.Write(append(data, '\n'))
	}
	place := fmt.Sprintf("%s-%s-%s", trial.Dataset, trial.Task, trial.Setting)
	write(f.t, filepath.Join(tune.PastDir(f.store.Dir), place, trial.ModelID+".jsonl"), text.String())
}
