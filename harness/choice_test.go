package harness

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/models/heuristic"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// known is a stream of one event a second in which the fourth of five columns,
// turned around, and the event's source say much about the label.
func known() datasets.Parts {
	const n, users = 3000, 40
	rng := rand.New(rand.NewPCG(5, 5))
	s := datasets.NewStream(n, 5)
	s.NumNodes, s.Users = users+1, users
	for k := range n {
		u := rng.IntN(users)
		s.Src[k], s.Dst[k], s.Time[k] = int32(u), users, float64(k)
		if rng.Float64() < .05+.6*float64(u%2) {
			s.Label[k] = 1
		}
		row := s.Features(k)
		for c := range row {
			row[c] = float32(rng.NormFloat64())
		}
		row[3] -= float32(s.Label[k])
		row[1] += .3 * float32(s.Label[k])
	}
	return datasets.Parts{
		Whole: s, Train: s.Slice(0, 2000), Val: s.Slice(2000, 2500), Test: s.Slice(2500, n), TestStart: s.Time[2500],
		Columns: []string{"a", "b", "c", "d", "e"},
	}
}

// done measures a kind on these parts and returns its run and its test AUC.
func done(t *testing.T, kind string, o models.Options, change func(*specs.Protocol)) (*run, float64) {
	t.Helper()
	p := specs.DefaultProtocol()
	p.Batch = 50
	change(&p)
	if o == nil {
		o = kindOf(kind).Options()
	}
	trial := specs.Trial{Task: protocol.NodeClassification, Kind: kindOf(kind), Options: o, Protocol: p}
	windows := 0
	r, err := newRun(trial, known(), devices.Target{}, 1, func() { windows++ })
	if err == nil {
		err = r.do(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if planned := countWindows(trial, known()); windows != planned {
		t.Errorf("%s went through %d windows, %d are planned", kind, windows, planned)
	}
	auc, err := metrics.Of(protocol.NodeClassification)[0].Value(r.facts[len(r.facts)-1].facts)
	if err != nil {
		t.Fatal(err)
	}
	return r, auc
}

// TestSingleColumn: every column has an epoch, whatever the protocol says of
// epochs, patience and selection, and that of the best validation is tested.
func TestSingleColumn(t *testing.T) {
	r, auc := done(t, "single-column", nil, func(p *specs.Protocol) { p.Epochs, p.Patience, p.Select = 1, 1, specs.SelectLast })
	if chosen := r.model.(models.Chooser).Chosen(); len(r.epochs) != 5 || r.best != 3 || chosen != "minus d" {
		t.Errorf("column %d of %d, %q", r.best, len(r.epochs), chosen)
	}
	if auc < .7 || float64(r.epochs[1].Validation) < .53 {
		t.Errorf("test AUC %v, validation of the columns %v", auc, r.epochs)
	}
}

// TestChosenIsRecorded: the record says which column it is of.
func TestChosenIsRecorded(t *testing.T) {
	trial := suiteTrials(t, "name: column\ntitle: A column\nruns: [{task: nc, datasets: [toy], models: [single-column]}]\n")[0]
	dir := t.TempDir()
	r := Runner{Store: record.Store{Dir: dir}}
	if _, err := r.Run(t.Context(), []specs.Trial{trial}); err != nil {
		t.Fatal(err)
	}
	records := load(t, dir)
	chosen := records[0].Chosen
	if !strings.Contains(chosen, "feature ") || !slices.Contains(records[0].Footnotes, "chosen by the validation: "+chosen) {
		t.Errorf("%q in %q, failed: %s", chosen, records[0].Footnotes, records[0].Error)
	}
}

// TestRatesWithDelay: labels that come late are worth less, and those that come
// after the test nothing.
func TestRatesWithDelay(t *testing.T) {
	o := &heuristic.RateOptions{Of: heuristic.OfSource, HalfLife: 200, Prior: 1}
	var auc []float64
	for _, delay := range []int{0, 1500, 3000} {
		_, a := done(t, "label-rate", o, func(p *specs.Protocol) { p.LabelDelay = delay })
		auc = append(auc, a)
	}
	if auc[0] < .75 || auc[1] < .6 || auc[2] != .5 {
		t.Errorf("AUC %v, expected more than .75, less, and .5", auc)
	}
}
