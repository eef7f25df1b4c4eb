package harness

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/models/heuristic"
	_ "dgsbench/models/standard"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// realData loads a dataset from DGSBENCH_DATA.
func realData(t *testing.T, name string) *datasets.Loaded {
	t.Helper()
	dir := os.Getenv("DGSBENCH_DATA")
	if dir == "" {
		t.Skip("DGSBENCH_DATA is not set: no real data")
	}
	d, err := datasets.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// zeroParameter runs a rule and returns the metric by split and candidates.
func zeroParameter(t *testing.T, l *datasets.Loaded, trial specs.Trial, metric string) map[string]float64 {
	t.Helper()
	if trial.Options == nil {
		trial.Options = trial.Kind.Options()
	}
	parts, err := l.Parts(datasets.Cut{Setting: cmp.Or(trial.Setting, protocol.Transductive)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRun(trial, parts, devices.Target{}, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.do(context.Background()); err != nil {
		t.Fatal(err)
	}
	m, err := metrics.Lookup(metric)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range r.facts {
		place := strings.TrimSuffix(fmt.Sprintf("%s %s %s", f.part.Split, f.part.Candidates, f.part.Evaluation), " ")
		if out[place], err = m.Value(f.facts); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// link asks a rule about all events of the setting.
func link(rule string, setting protocol.Setting, batch int) specs.Trial {
	p := specs.DefaultProtocol()
	p.Batch = batch
	return specs.Trial{Task: protocol.LinkPrediction, Setting: setting, Kind: kindOf(rule), Protocol: p}
}

// TestRealDataProtocolChoices: numbers that hang on one choice each.
func TestRealDataProtocolChoices(t *testing.T) {
	wikipedia := realData(t, "wikipedia-nofeat")
	window := link("edgebank", protocol.Transductive, 200)
	window.Options = &heuristic.EdgeBankOptions{Window: .15}
	for _, c := range []struct {
		what      string
		trial     specs.Trial
		metric    string
		set       protocol.CandidateSet
		want, tol float64
	}{
		{"EdgeBank with TGB's time window, three digits published", window, "mrr", protocol.Destinations, .571, 1e-3},
		{"recency+pop at batch 1", link("recency-pop", protocol.Transductive, 1), "mrr", protocol.Destinations, .819, 5e-4},
		{"recency+pop at batch 1", link("recency-pop", protocol.Transductive, 1), "recall@10", protocol.Destinations, .882, 5e-4},
		{"recency+pop, inductive", link("recency-pop", protocol.Inductive, 200), "mrr", protocol.Destinations, .695, 5e-4},
	} {
		got := zeroParameter(t, wikipedia, c.trial, c.metric)[string(protocol.Test)+" "+string(c.set)]
		if math.Abs(got-c.want) > c.tol {
			t.Errorf("%s: %s is %.5f, expected %.4f", c.what, c.metric, got, c.want)
		}
	}
}

// TestRealDataFreshness: the rule of recency and decayed popularity in batches of five
// sizes from one state, as measured outside this project.
func TestRealDataFreshness(t *testing.T) {
	trial := link("recency-decay", protocol.Transductive, 200)
	trial.Protocol.Candidates, trial.Protocol.EvaluationBatch = []protocol.CandidateSet{protocol.Destinations}, []int{1, 10, 50, 200, 1000}
	got := zeroParameter(t, realData(t, "wikipedia-nofeat"), trial, "mrr")
	for place, want := range map[string]float64{
		"validation destinations evaluation-1": .8430, "test destinations evaluation-1": .8209, "test destinations evaluation-10": .8007,
		"test destinations evaluation-50": .7679, "test destinations evaluation-200": .7299, "test destinations evaluation-1000": .6833,
	} {
		if math.Abs(got[place]-want) > 5e-5 {
			t.Errorf("%s: MRR %.5f, expected %.4f", place, got[place], want)
		}
	}
}

// TestRealDataClassification: causal scalars of the user, read from before
// the batch of 200 and event by event; AUC on train, validation, test.
func TestRealDataClassification(t *testing.T) {
	wikipedia := realData(t, "wikipedia-nofeat")
	for _, c := range []struct {
		rule  string
		batch int
		want  [3]float64
	}{
		{"user-count", 200, [3]float64{.8386, .8722, .8957}},
		{"user-count", 1, [3]float64{.8407, .8613, .8869}},
		{"user-age", 200, [3]float64{.8058, .7803, .8959}},
		{"user-age", 1, [3]float64{.8083, .7768, .8942}},
	} {
		p := specs.DefaultProtocol()
		p.Batch = c.batch
		auc := zeroParameter(t, wikipedia, specs.Trial{Task: protocol.NodeClassification, Kind: kindOf(c.rule), Protocol: p}, "auc")
		got := [3]float64{trainAUC(t, wikipedia, c.rule, c.batch), auc[string(protocol.Validation)+" "], auc[string(protocol.Test)+" "]}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > .5e-4 {
				t.Errorf("%s, batch %d: %.5f, expected %.4f", c.rule, c.batch, got, c.want)
				break
			}
		}
	}
}

// trainAUC classifies the training part from an empty state.
func trainAUC(t *testing.T, l *datasets.Loaded, rule string, batch int) float64 {
	t.Helper()
	parts, err := l.Parts(datasets.Cut{Setting: protocol.Transductive})
	if err != nil {
		t.Fatal(err)
	}
	p := specs.DefaultProtocol()
	p.Batch = batch
	trial := specs.Trial{Task: protocol.NodeClassification, Kind: kindOf(rule), Options: &models.NoOptions{}, Protocol: p}
	r, err := newRun(trial, parts, devices.Target{}, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.classify(context.Background(), parts.Train, trial.Protocol.Batch)
	if err != nil {
		t.Fatal(err)
	}
	auc, err := r.spec.Protocol.SelectedBy(r.spec.Task).Value(f)
	if err != nil {
		t.Fatal(err)
	}
	return auc
}
