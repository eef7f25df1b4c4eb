package harness

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/datasets/sim"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// simulated makes a simulator's stream at scale 1 with a seed of its own,
// without features: these tests ask rules that read none.
func simulated(t *testing.T, name string, seed uint64) *datasets.Loaded {
	t.Helper()
	d, err := datasets.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(sim.Simulators, func(s sim.Simulator) bool { return s.Name == name })
	p := sim.Simulators[i].Params
	p.Features = 0
	s := sim.Generate(p, seed)
	return &datasets.Loaded{Dataset: d, Stream: s, Split: d.Split.Split(s)}
}

// onTest is a rule's metric on the test part under the headline protocol.
func onTest(t *testing.T, l *datasets.Loaded, rule string, task protocol.Task, metric string) float64 {
	t.Helper()
	trial := specs.Trial{Task: task, Kind: kindOf(rule), Protocol: specs.DefaultProtocol()}
	if task == protocol.NodeClassification {
		return zeroParameter(t, l, trial, metric)[string(protocol.Test)+" "]
	}
	trial.Setting = protocol.Transductive
	trial.Protocol.Candidates = []protocol.CandidateSet{protocol.AllNodes}
	return zeroParameter(t, l, trial, metric)[string(protocol.Test)+" "+string(protocol.AllNodes)]
}

// best is the best zero-parameter row of a task.
func best(t *testing.T, l *datasets.Loaded, task protocol.Task, metric string) (string, float64) {
	name, value := "", math.Inf(-1)
	for _, rule := range models.Names() {
		kind := kindOf(rule)
		if kind.Class != protocol.ZeroParameter || !kind.Supports(task) || kind.Features == models.FeaturesRequired || rule == "broken" { // broken: of another test
			continue
		}
		if x := onTest(t, l, rule, task, metric); x > value {
			name, value = rule, x
		}
	}
	return name, value
}

// documented checks that docs/simulators.md has the line.
func documented(t *testing.T, line string) {
	t.Helper()
	page, err := os.ReadFile("../docs/simulators.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), line+"\n") {
		t.Errorf("docs/simulators.md lacks the line\n%s", line)
	}
}

// TestStrength: on the streams of the suite quick, what the simulator knows
// is worth .08 over the best rule, at three seeds.
func TestStrength(t *testing.T) {
	for _, c := range []struct {
		name, metric string
		task         protocol.Task
	}{
		{"shop-sim", "auc", protocol.NodeClassification},
		{"shop-sim", "mrr", protocol.LinkPrediction},
		{"transfers-sim", "auc", protocol.NodeClassification},
	} {
		for seed := range uint64(3) {
			l := simulated(t, c.name, sim.Seed+seed)
			if n := l.Stream.Slice(l.Split.ValEnd, l.Stream.Len()).Counts().Positives; n < 300 {
				t.Errorf("%s, seed %d: %d positives in the test part", c.name, sim.Seed+seed, n)
			}
			rule, rival := best(t, l, c.task, c.metric)
			oracle := onTest(t, l, "oracle", c.task, c.metric)
			if oracle < rival+.08 {
				t.Errorf("%s, seed %d: %s of the oracle %.4f, of %s %.4f", c.name, sim.Seed+seed, c.metric, oracle, rule, rival)
			}
			documented(t, fmt.Sprintf("| %s | %s | %d | %s %.3f | %.3f |", c.name, strings.ToUpper(c.metric), sim.Seed+seed, rule, rival, oracle))
		}
	}
}

// fact is a statistic that wikipedia-sim is calibrated to.
type fact struct {
	what      string
	real, tol float64 // of Wikipedia; how far the simulated value may be
	of        func(*testing.T, *datasets.Loaded, datasets.Stats) float64
}

// row asks a rule.
func row(rule string, task protocol.Task, metric string) func(*testing.T, *datasets.Loaded, datasets.Stats) float64 {
	return func(t *testing.T, l *datasets.Loaded, _ datasets.Stats) float64 {
		return onTest(t, l, rule, task, metric)
	}
}

func stat(of func(datasets.Stats) float64) func(*testing.T, *datasets.Loaded, datasets.Stats) float64 {
	return func(_ *testing.T, _ *datasets.Loaded, s datasets.Stats) float64 { return of(s) }
}

// calibration: within 10% relative where nothing else is said.
var calibration = []fact{
	{"repeat probability", .8349, .0835, stat(func(s datasets.Stats) float64 { return s.SameAgain })},
	{"EdgeBank, MRR", .4944, .0494, row("edgebank", protocol.LinkPrediction, "mrr")},
	{"recency + popularity, MRR", .7282, .0728, row("recency-pop", protocol.LinkPrediction, "mrr")},
	{"recency + popularity, Recall@10", .8282, .0828, row("recency-pop", protocol.LinkPrediction, "recall@10")},
	{"popularity, MRR", .0393, .02, row("popularity", protocol.LinkPrediction, "mrr")},
	{"minus the user's event count, AUC", .8957, .04, row("user-count", protocol.NodeClassification, "auc")},
	{"events that meet a node of their batch", .6823, .0682, stat(func(s datasets.Stats) float64 { return s.Batches.Stale })},
	{"writes that survive", .3658, .0366, stat(func(s datasets.Stats) float64 { return s.Batches.Surviving })},
	{"positives on the user's last event", 1, 0, stat(func(s datasets.Stats) float64 { return float64(s.LastPositives) / float64(s.Positives) })},
}

func statsOf(t *testing.T, l *datasets.Loaded) datasets.Stats {
	t.Helper()
	stats, err := l.Describe()
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

// TestCalibration: wikipedia-sim beside the numbers of Wikipedia, at the
// registered seed and at others.
func TestCalibration(t *testing.T) {
	for seed := range uint64(3) {
		l := simulated(t, "wikipedia-sim", sim.Seed+seed)
		stats := statsOf(t, l)
		for _, f := range calibration {
			got := f.of(t, l, stats)
			if math.Abs(got-f.real) > f.tol {
				t.Errorf("seed %d, %s: %.4f, Wikipedia %.4f +- %.4f", sim.Seed+seed, f.what, got, f.real, f.tol)
			}
			if seed == 0 {
				documented(t, fmt.Sprintf("| %s | %.4f | %.4f |", f.what, f.real, got))
			}
		}
	}
}

// TestRealDataCalibration: those numbers are Wikipedia's.
func TestRealDataCalibration(t *testing.T) {
	l := realData(t, "wikipedia-nofeat")
	stats := statsOf(t, l)
	for _, f := range calibration {
		if got := f.of(t, l, stats); math.Abs(got-f.real) > 5e-5 {
			t.Errorf("%s: %.4f, expected %.4f", f.what, got, f.real)
		}
	}
}

// TestRealDataTransfers: simulated transfers beside those of AMLSim, for the
// page; nothing is asked of them.
func TestRealDataTransfers(t *testing.T) {
	real := realData(t, "amlsim-20k")
	for _, l := range []*datasets.Loaded{real, simulated(t, "fi-a-sim", sim.Seed), simulated(t, "fi-b-sim", sim.Seed), simulated(t, "transfers-sim", sim.Seed)} {
		s := statsOf(t, l)
		documented(t, fmt.Sprintf("| %s | %d | %d | %.1f %% | %.0f | %.1f %% | %.3f |", l.Dataset.Name, s.Events, s.Nodes,
			100*float64(s.Positives)/float64(s.Events), s.Batches.Nodes, 100*s.RepeatPairs, onTest(t, l, "user-count", protocol.NodeClassification, "auc")))
	}
}
