package specs_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/protocol"
	"dgsbench/specs"
)

// protocolSuite is a suite of one run, under two protocol blocks.
func protocolSuite(suite, run string) string {
	return protocolSuiteOf("task: nc, datasets: [amlsim-20k], models: [toy]", suite, run)
}

// protocolSuiteOf is that of another task.
func protocolSuiteOf(cell, suite, run string) string {
	return fmt.Sprintf("name: one\ntitle: One\nprotocol: {%s}\nruns: [{%s, protocol: {%s}}]\n", suite, cell, run)
}

// TestRunOverSuite: of the suite's protocol, a run's block changes what it says
// and nothing else.
func TestRunOverSuite(t *testing.T) {
	const suite = "batch: 7, epochs: 6, patience: 5, train_negatives: mixed, candidates: [destinations], filter: same_src_t, " +
		"val_negatives: 4, select: last, test_state: replay"
	want := specs.Protocol{
		Batch: 7, Epochs: 6, Patience: 5, TrainNegatives: specs.MixedNegatives, Candidates: []protocol.CandidateSet{protocol.Destinations},
		Filter: specs.FilterSameSrcT, ValNegatives: 4, Select: specs.SelectLast, TestState: []specs.StateRule{specs.Replay},
	}
	const nc, lp = "task: nc, datasets: [amlsim-20k], models: [toy]", "task: lp, settings: [T], datasets: [wikipedia], models: [edgebank]"
	for _, c := range []struct {
		cell, run string
		change    func(*specs.Protocol)
	}{
		{nc, "", func(*specs.Protocol) {}},
		{lp, "", func(*specs.Protocol) {}},
		{nc, "batch: 8", func(p *specs.Protocol) { p.Batch = 8 }},
		{nc, "within_batch: t_batch", func(p *specs.Protocol) { p.WithinBatch = specs.TBatch }},
		{"task: nc, datasets: [amlsim-20k], models: [raw]", "derived_features: before_batch", func(p *specs.Protocol) { p.DerivedFeatures = specs.BeforeBatch }},
		{nc, "epochs: 8", func(p *specs.Protocol) { p.Epochs = 8 }},
		{nc, "patience: 0", func(p *specs.Protocol) { p.Patience = 0 }},
		{lp, "candidates: [all_nodes]", func(p *specs.Protocol) { p.Candidates = []protocol.CandidateSet{protocol.AllNodes} }},
		{lp, "filter: none", func(p *specs.Protocol) { p.Filter = specs.FilterNone }},
		{lp, "val_negatives: 0", func(p *specs.Protocol) { p.ValNegatives = 0 }},
		{"task: nc, datasets: [amlsim-20k], models: [raw]", "select_by: brier", func(p *specs.Protocol) { p.SelectBy = "brier" }},
		{nc, "select_by: recall@0.1%fpr", func(p *specs.Protocol) { p.SelectBy = "recall@0.1%fpr" }},
		{lp, "select_by: recall@3", func(p *specs.Protocol) { p.SelectBy = "recall@3" }},
		{nc, "select: best", func(p *specs.Protocol) { p.Select = specs.SelectBest }},
		{nc, "test_state: carry", func(p *specs.Protocol) { p.TestState = []specs.StateRule{specs.Carry} }},
		{nc, "evaluation_batch: 3", func(p *specs.Protocol) { p.EvaluationBatch = []int{3} }},
		{nc, "evaluation_batch: [200, 1]", func(p *specs.Protocol) { p.EvaluationBatch = []int{200, 1} }},
		{nc, "test_state: [carry, replay]", func(p *specs.Protocol) { p.TestState = []specs.StateRule{specs.Carry, specs.Replay} }},
		{lp, "train_negatives: train_nodes", func(p *specs.Protocol) { p.TrainNegatives = specs.TrainNodes }},
		{nc, "latency: {}, batch: 7", func(p *specs.Protocol) { p.Latency = paperLatency() }},
		{nc, "latency: {warmups: 3}", func(p *specs.Protocol) { p.Latency = paperLatency(); p.Latency.Warmups = 3 }},
		{nc, "live: {}", func(p *specs.Protocol) { p.Live = specs.DefaultLive() }},
		{lp, "live: {limits: 3ms, rates: [5]}", func(p *specs.Protocol) {
			p.Live = specs.DefaultLive()
			p.Live.Limits, p.Live.Rates = []string{"3ms"}, []int{5}
		}},
		{nc, "live: {limits: [], seconds: 0}", func(p *specs.Protocol) { p.Live = specs.DefaultLive(); p.Live.Limits, p.Live.Seconds = []string{}, 0 }},
		{nc, "latency: {iterations: 12}", func(p *specs.Protocol) { p.Latency = paperLatency(); p.Latency.Iterations = 12 }},
	} {
		want := want
		c.change(&want)
		if diff := cmp.Diff(want, suiteOf(t, protocolSuiteOf(c.cell, suite, c.run))[0].Protocol); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", c.cell, c.run, diff)
		}
	}
	const tBatch = "within_batch: t_batch"
	for run, want := range map[string]specs.BatchRule{"": specs.TBatch, "within_batch: last_write": ""} {
		if got := suiteOf(t, protocolSuite(tBatch, run))[0].Protocol.WithinBatch; got != want {
			t.Errorf("%s over %s: %q, expected %q", run, tBatch, got, want)
		}
	}
	const beforeBatch = "derived_features: before_batch"
	for run, want := range map[string]specs.FeatureRule{"": specs.BeforeBatch, "derived_features: before_event": ""} {
		if got := suiteOf(t, protocolSuite(beforeBatch, run))[0].Protocol.DerivedFeatures; got != want {
			t.Errorf("%s over %s: %q, expected %q", run, beforeBatch, got, want)
		}
	}
}

// TestSelectByOfTheSuite: a metric of a suite's protocol is that of runs of its
// task, and not of latency tests, whose trials stay what they are.
func TestSelectByOfTheSuite(t *testing.T) {
	const nc, lp = "task: nc, datasets: [amlsim-20k], models: [raw]", "task: lp, settings: [T], datasets: [amlsim-20k], models: [edgebank]"
	for _, c := range []struct{ cell, suite, run, want string }{
		{nc, "select_by: ap", "", "ap"}, {lp, "select_by: ap", "", ""}, {nc, "select_by: mrr", "", ""}, {lp, "select_by: recall@3", "", "recall@3"},
		{nc, "select_by: ap", "select_by: auc", ""}, {nc, "select_by: ap", "latency: {}", ""},
	} {
		got := suiteOf(t, protocolSuiteOf(c.cell, c.suite, c.run))[0]
		if got.Protocol.SelectBy != c.want {
			t.Errorf("%s over %s: %q, expected %q", c.run, c.suite, got.Protocol.SelectBy, c.want)
		}
		if by := got.Protocol.SelectedBy(got.Task); by.Task != got.Task || c.want != "" && by.Name != c.want {
			t.Errorf("%s over %s is selected by %s", c.run, c.suite, by.Name)
		}
	}
}

// paperLatency is what an empty latency block stands for.
func paperLatency() *specs.Latency {
	return &specs.Latency{Batches: 200, Iterations: 10, Warmups: 1, Lead: 2_000, SweepBatches: 10_000, SweepIterations: 3}
}

// TestUnwrittenDefaults: who writes them down finds the results of who does not.
func TestUnwrittenDefaults(t *testing.T) {
	silent := suiteOf(t, protocolSuite("", ""))[0]
	for _, written := range []string{"within_batch: last_write", "derived_features: before_event", "select_by: auc"} {
		if diff := cmp.Diff(string(silent.JSON()), string(suiteOf(t, protocolSuite(written, ""))[0].JSON())); diff != "" {
			t.Errorf("%s: %s", written, diff)
		}
	}
}

// TestEvaluations: the first rule for the state has no name, others are theirs, and
// so are several sizes of batches; a latency test evaluates nothing.
func TestEvaluations(t *testing.T) {
	for protocol, want := range map[string][]string{
		"": {""}, "test_state: replay": {""}, "test_state: [carry, replay]": {"", "replay"}, "test_state: [carry, replay], latency: {}": {""},
		"evaluation_batch: 10": {""}, "evaluation_batch: [200, 1]": {"evaluation-200", "evaluation-1"}, "evaluation_batch: 1, test_state: [carry, replay]": {"", "replay"},
	} {
		if diff := cmp.Diff(want, suiteOf(t, protocolSuite(protocol, ""))[0].Evaluations()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", protocol, diff)
		}
	}
}
