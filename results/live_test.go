package results_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dgsbench/internal/golden"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// under is a rate with what was measured there.
type under struct {
	rate     int
	ms       float64 // of all answers but the slow ones
	slow     int     // answers of 40 ms
	batch    int
	skill    float64
	searched bool
	growth   float64
	invalid  string
	answered int // events of the only pass; all where it is 0
}

const numAnswers = 12_000

// loaded writes the record of a live test, with answers to numScored events.
func loaded(t *testing.T, s record.Store, m results.ModelHead, live specs.Live, alone float64, points ...under) record.Record {
	t.Helper()
	r := recordtest.Trial("nc", "", m.ID, 0)
	r.Key.Dataset, r.ModelClass, r.ModelTitle = "shop-sim", m.Class, m.Title
	r = withSpecOf(r, live)
	r.Live = &record.Live{Run: "2026-01-02T03:04:05Z", Load: .5, Simulated: live.Simulated, Events: numScored, Preload: 100, Service: []record.ServiceTime{{Batch: 1, Batches: numScored, Seconds: .0001}}}
	part := record.Part{Split: protocol.Test}
	o := record.Observed{}
	answers := func(name string, skill float64, n int) {
		part.Evaluation = name
		o[part] = scored(7, skill)[record.Part{Split: protocol.Test}].First(n)
	}
	r.FirstEvaluation = record.OneByOne
	answers(record.OneByOne, alone, numScored)
	for _, at := range points {
		h := record.NewHistogram()
		for i := range numAnswers {
			ms := at.ms
			if i < at.slow {
				ms = 40
			}
			record.AddTo(h, int64(ms*1e6))
		}
		p := record.LivePoint{
			Rate: at.rate, Searched: at.searched, Tries: 1, Turns: 40, Answers: numAnswers, Batches: numAnswers / max(1, at.batch),
			Seconds: numAnswers / float64(at.rate), Histogram: record.EncodeHistogram(h), Growth: at.growth, Invalid: at.invalid,
		}
		r.Live.Points, r.Evaluations = append(r.Live.Points, p), append(r.Evaluations, p.Name())
		n := numScored
		if at.answered > 0 {
			n = at.answered
		}
		answers(p.Name(), at.skill, n)
	}
	return recordtest.Write(t, s, r, o)
}

// withSpecOf gives a record the spec and the case of a live test.
func withSpecOf(r record.Record, live specs.Live) record.Record {
	r.Key.Case = specs.LiveCase
	spec := fmt.Sprintf(`{"model": %q, "protocol": {"live": {"arrivals": %q, "rates": [1000, 10000], "limits": ["10ms", "1ms"], "largest_batch": 1000, "answers": %d, "seconds": 5, "most_seconds": 60`,
		r.Key.Model, live.Arrivals, live.Answers)
	if live.Simulated {
		r.Key.Case = live.Case()
		spec += `, "simulated": true`
	}
	r.Spec = json.RawMessage(spec + "}}}")
	return r
}

var nullHead = results.ModelHead{ID: "null", Title: "Null", Class: protocol.Null}

// underLoad is an input with a model of every kind: the machine's floor, one that is as
// fast, one of which a point is invalid, one that cannot keep up, one that failed.
func underLoad(t *testing.T, live specs.Live) (in results.Input, records []record.Record) {
	t.Helper()
	s := record.Store{Dir: t.TempDir()}
	failed := recordtest.Trial("nc", "", "jodie", 0)
	failed.Key.Dataset, failed.Key.Case, failed.Error = "shop-sim", specs.LiveCase, "jodie: loss of batch 3 is NaN"
	failed.Live = &record.Live{Run: "2026-01-02T03:04:05Z"}
	records = []record.Record{
		loaded(t, s, nullHead, live, 0, under{rate: 1000, ms: .0104}, under{rate: 10_000, ms: .02}, under{rate: 200_000, ms: .5, searched: true}, under{rate: 216_000, ms: 20, searched: true}),
		loaded(t, s, countHead, live, .4, under{rate: 1000, ms: .05, skill: .4}, under{rate: 10_000, ms: .1, skill: .4}, under{rate: 50_000, ms: 2, skill: .4, searched: true}, under{rate: 54_000, ms: 30, skill: .4, searched: true}),
		loaded(t, s, rawHead, live, .8, under{rate: 1000, ms: .2, skill: .8}, under{rate: 10_000, ms: .8, skill: .8}, under{rate: 190_000, ms: 5, batch: 900, skill: .8, searched: true}, under{rate: 205_000, ms: 12, skill: .8, searched: true}),
		loaded(t, s, sprintsHead, live, .9, under{rate: 1000, ms: .3, skill: .9}, under{rate: 10_000, ms: .7, skill: .9, invalid: "the machine handed events over late: 99.9th percentile 3.0 ms"}),
		loaded(t, s, dgsHead, live, 1, under{rate: 1000, ms: .9, slow: 5, skill: 1}, under{rate: 5000, ms: 2, batch: 10, skill: .95, searched: true}, under{rate: 5400, ms: 15, skill: .9, searched: true}, under{rate: 10_000, ms: 3, slow: 100, batch: 30, skill: .8}),
		loaded(t, s, tgnHead, live, 1.2, under{rate: 1000, ms: 800, batch: 400, growth: .3, skill: 1, answered: 200}, under{rate: 10_000, ms: 3000, batch: 1000, growth: .9, skill: .6, answered: 100}),
		recordtest.Write(t, s, withSpecOf(failed, live), nil),
	}
	tests, err := results.ReadLive(s, records)
	if err != nil {
		t.Fatal(err)
	}
	in = results.Input{Store: s, Loaded: tests, Command: "bench live", Source: "specs/live.yaml", Subtitle: "live: made up"}
	in.Live = results.Layout{
		Models:   []results.ModelHead{nullHead, countHead, rawHead, sprintsHead, dgsHead, tgnHead, jodieHead},
		Datasets: []results.DatasetHead{{ID: "shop-sim", Case: records[0].Key.Case, Title: "shop-sim"}}, Settings: []protocol.Setting{""},
	}
	return in, records
}

// TestLiveTables: both tables in every layout that differs.
func TestLiveTables(t *testing.T) {
	in, _ := underLoad(t, specs.Live{Arrivals: specs.Poisson, Answers: 20_000})
	out := makeTables(t, in, "live")
	if len(out.Tables) != 2 || len(out.Figures) != 1 {
		t.Fatalf("%d tables, %d figures", len(out.Tables), len(out.Figures))
	}
	for _, layout := range []struct {
		ending string
		write  func(w *bytes.Buffer) error
	}{
		{"80.txt", func(w *bytes.Buffer) error { return table.WriteText(w, table.Screen{Width: 80}, out.Tables...) }},
		{"120.txt", func(w *bytes.Buffer) error {
			return table.WriteText(w, table.Screen{Width: 120, AllNotes: true}, out.Tables...)
		}},
		{"md", func(w *bytes.Buffer) error {
			return errors.Join(table.WriteMarkdown(w, out.Tables[0]), table.WriteMarkdown(w, out.Tables[1]))
		}},
		{"csv", func(w *bytes.Buffer) error {
			return errors.Join(table.WriteCSV(w, out.Tables[0]), table.WriteCSV(w, out.Tables[1]))
		}},
	} {
		var text bytes.Buffer
		if err := layout.write(&text); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("testdata", "tables", "live."+layout.ending), text.String())
	}
	if lines := out.Summary.Lines(120); len(lines) < 2 {
		t.Errorf("summary %q", lines)
	} else {
		golden.Compare(t, filepath.Join("testdata", "tables", "live-summary.txt"), strings.Join(lines, "\n")+"\n")
	}
	p := out.Figures[0].Panels
	if len(p) != 2 || p[0].Group != "shop-sim" || out.Figures[0].Name != out.Tables[0].Name {
		t.Errorf("figure %s with panels %+v", out.Figures[0].Name, p)
	}
	texts := svgTexts(t, out.Figures[0].SVG)
	for _, want := range []string{"Raw", "DGS", "TGN-ID", "limit 10ms", "limit 1ms"} {
		if texts[want] != 1 {
			t.Errorf("%q %d times in the figure", want, texts[want])
		}
	}
}

// TestLiveRows: the numbers of results.csv.
func TestLiveRows(t *testing.T) {
	in, _ := underLoad(t, specs.Live{Arrivals: specs.Poisson, Answers: 20_000})
	var out bytes.Buffer
	if err := results.WriteCSV(&out, results.LiveRows(in.Loaded)); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "live-rows.csv"), out.String())
}

// TestUnsearched: without enough answers for a 99.9th percentile there is no table of
// limits and no sentence about them, and no panel of response times.
func TestUnsearched(t *testing.T) {
	in, _ := underLoad(t, specs.Live{Arrivals: specs.Fixed, Answers: 2000})
	out := makeTables(t, in, "live")
	if len(out.Tables) != 1 || len(out.Summary.Answers) != 0 || len(out.Summary.Failed) != 1 {
		t.Errorf("%d tables, summary %+v", len(out.Tables), out.Summary)
	}
}

// TestClocks: measured and simulated tests of one folder have tables of their own, and those
// of the simulated clock say so.
func TestClocks(t *testing.T) {
	in, _ := underLoad(t, specs.Live{Arrivals: specs.Poisson, Answers: 20_000})
	other, _ := underLoad(t, specs.Live{Arrivals: specs.Poisson, Answers: 20_000, Simulated: true})
	in.Loaded = append(in.Loaded, other.Loaded...)
	in.Live.Datasets = append(in.Live.Datasets, other.Live.Datasets...)
	out := makeTables(t, in, "live")
	names := map[string]bool{}
	for i, made := range out.Tables {
		names[made.Name] = true
		if simulated := i >= 2; strings.Contains(made.Title, "simulated clock") != simulated {
			t.Errorf("table %d is %q", i, made.Title)
		}
	}
	if len(names) != 4 || len(out.Figures) != 2 || out.Figures[0].Name == out.Figures[1].Name {
		t.Errorf("tables %v, %d figures", names, len(out.Figures))
	}
}

// TestLatestRunOfClocks: the latest measured run stays beside a later simulated one.
func TestLatestRunOfClocks(t *testing.T) {
	run := func(name, start string) record.Record {
		r := recordtest.Trial("nc", "", "dgs", 0)
		r.Key.Case, r.Live = name, &record.Live{Run: start}
		return r
	}
	got, left := record.LatestRun([]record.Record{run(specs.LiveCase, "1"), run(specs.LiveCase, "2"), run(specs.Live{Simulated: true}.Case(), "3")})
	if len(got) != 2 || left != 1 {
		t.Errorf("%d records, %d left out", len(got), left)
	}
}

// ofRows returns the means of the rows of a model.
func ofRows(t *testing.T, tests []results.LiveTest, model string) map[string]results.Row {
	t.Helper()
	out := map[string]results.Row{}
	for _, r := range results.LiveRows(tests) {
		if r.Model == model {
			out[strings.TrimPrefix(r.Metric, "live_")] = r
		}
	}
	return out
}

// TestLateShare: the share of late answers is that of the response times, and at most
// a thousandth exactly where the 99.9th percentile is within the limit.
func TestLateShare(t *testing.T) {
	const most = numAnswers / 1000
	for _, slow := range []int{0, 1, most - 1, most, most + 1, numAnswers / 2} {
		s := record.Store{Dir: t.TempDir()}
		r := loaded(t, s, dgsHead, specs.Live{Arrivals: specs.Poisson, Answers: 20_000}, 1, under{rate: 1000, ms: 9.9, slow: slow, skill: 1})
		tests, err := results.ReadLive(s, []record.Record{r})
		if err != nil {
			t.Fatal(err)
		}
		rows := ofRows(t, tests, "dgs")
		if got := float64(rows["1000_late"].Mean); math.Abs(got-float64(slow)/numAnswers) > 1e-12 {
			t.Errorf("%g late with %d slow answers of %d", got, slow, numAnswers)
		}
		if kept := rows["10ms_rate"].Mean == 1000; kept != (slow <= most) || kept != r.Live.Points[0].Keeps(10*time.Millisecond) {
			t.Errorf("%d slow answers: kept is %v", slow, kept)
		}
	}
}

// TestSameEventsOneByOne: where a point answered some of the events alone, or some events
// alone were answered one by one, what is lost is on those of both.
func TestSameEventsOneByOne(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	live := specs.Live{Arrivals: specs.Poisson, Answers: 20_000}
	few := loaded(t, s, dgsHead, live, 1, under{rate: 1000, ms: 800, skill: .5, answered: 120})
	at := func(name string) record.Part { return record.Part{Split: protocol.Test, Evaluation: name} }
	auc := metrics.Of("nc")[0]
	value := func(f metrics.Facts) float64 { return auc.Prepare(f)(nil) }
	check := func(r record.Record, answered, alone, lost float64) {
		t.Helper()
		tests, err := results.ReadLive(s, []record.Record{r})
		if err != nil {
			t.Fatal(err)
		}
		rows := ofRows(t, tests, "dgs")
		for name, want := range map[string]float64{"1000_auc": answered, "1000_auc_one_by_one": alone, "1000_auc_lost": lost} {
			if got := float64(rows[name].Mean); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s is %g, expected %g", name, got, want)
			}
		}
		if r := rows["1000_auc_lost"]; !(r.CILow <= r.Mean && r.Mean <= r.CIHigh && r.CILow < r.CIHigh) {
			t.Errorf("loss of %g in [%g, %g]", r.Mean, r.CILow, r.CIHigh)
		}
	}
	o, err := s.Facts(few)
	if err != nil {
		t.Fatal(err)
	}
	under120, alone120 := value(o[at("rate-1000")]), value(o[at(record.OneByOne)].First(120))
	check(few, under120, alone120, alone120-under120)

	// Two passes over all events under load, but 90 events one by one.
	all := scored(7, .5)[record.Part{Split: protocol.Test}]
	twice := metrics.Facts{Score: slices.Repeat(all.Score, 2), Label: slices.Repeat(all.Label, 2)}
	o[at("rate-1000")], o[at(record.OneByOne)] = twice, o[at(record.OneByOne)].First(90)
	alone90 := value(o[at(record.OneByOne)])
	check(recordtest.Write(t, s, few, o), value(twice), alone90, alone90-value(all.First(90)))
}

// TestMachinesLimit: a limit that the model null misses at all rates is not measurable, and
// a rate that nothing exceeded is one at least.
func TestMachinesLimit(t *testing.T) {
	live := specs.Live{Arrivals: specs.Poisson, Answers: 20_000}
	texts := func(null, dgs []under) map[string]string {
		s := record.Store{Dir: t.TempDir()}
		records := []record.Record{loaded(t, s, nullHead, live, 0, null...), loaded(t, s, dgsHead, live, 1, dgs...)}
		tests, err := results.ReadLive(s, records)
		if err != nil {
			t.Fatal(err)
		}
		in := results.Input{Store: s, Loaded: tests}
		in.Live = results.Layout{
			Models: []results.ModelHead{nullHead, dgsHead}, Datasets: []results.DatasetHead{{ID: "shop-sim", Case: specs.LiveCase, Title: "shop-sim"}}, Settings: []protocol.Setting{""},
		}
		out := map[string]string{}
		for _, row := range slices.Concat(makeTables(t, in, "live").Tables[1].Blocks...) {
			out[row[0].Text] = row[2].Text
		}
		return out
	}
	for _, c := range []struct {
		null, dgs         []under
		wantNull, wantDGS string
	}{
		{[]under{{rate: 1000, ms: 20}}, []under{{rate: 1000, ms: 5}}, "not measurable here", "not measurable here"},
		{[]under{{rate: 1000, ms: 1}, {rate: 1_000_000, ms: 2}}, []under{{rate: 1000, ms: 1}, {rate: 1_000_000, ms: 5}}, "≥ 1,000,000", "≥ 1,000,000"},
		{[]under{{rate: 1000, ms: 1}, {rate: 1080, ms: 20}}, []under{{rate: 900, ms: 1}, {rate: 980, ms: 20}}, "1,000", "900"},
		{[]under{{rate: 1000, ms: 1}, {rate: 1080, ms: 20}}, []under{{rate: 950, ms: 1}, {rate: 1000, ms: 20}}, "1,000", "≥ 950"},
		{[]under{{rate: 1000, ms: 1}}, []under{{rate: 1000, ms: 11}, {rate: 2000, ms: 12}}, "≥ 1,000", "none"},
	} {
		got := texts(c.null, c.dgs)
		if got["Null"] != c.wantNull || got["DGS"] != c.wantDGS {
			t.Errorf("null %q, DGS %q, expected %q and %q", got["Null"], got["DGS"], c.wantNull, c.wantDGS)
		}
	}
}

// TestLiveSummaryJSON: seconds, and null where there is no number.
func TestLiveSummaryJSON(t *testing.T) {
	in, _ := underLoad(t, specs.Live{Arrivals: specs.Poisson, Answers: 20_000})
	text, err := json.MarshalIndent(results.NewLiveSummary(in.Loaded[3:6]), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`"HISTFA[^"]*"`).ReplaceAll(text, []byte(`"HISTFA..."`)) // it depends on the version of a library
	golden.Compare(t, filepath.Join("testdata", "live.json"), string(text)+"\n")
}
