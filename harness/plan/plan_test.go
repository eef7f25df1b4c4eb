package plan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/harness/latency"
	"dgsbench/harness/plan"
	"dgsbench/internal/golden"
	"dgsbench/models"
	_ "dgsbench/models/standard"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

type noOptions struct{}

func (*noOptions) Validate() error { return nil }

func TestMain(m *testing.M) {
	layout := datasets.Layout{Src: "src", Dst: "dst", Time: "t", Label: "label", Features: []string{"a"}, Bipartite: true}
	toy := datasets.Dataset{
		Name: "toy", Title: "toy, simulated", Open: openToy, Split: datasets.ByRow(.6, .8), HeldOut: datasets.SampleHeldOut(1), Labelled: true,
	}
	datasets.Register(toy)
	underivable := toy
	underivable.Name, underivable.Features = "underivable", []datasets.Derived{datasets.Log1p(0)} // of numbers below -1
	datasets.Register(underivable)
	toy.Name, toy.Open, toy.File, toy.Layout, toy.URL = "absent", nil, "absent.csv", layout, "https://example.org/absent.csv"
	toy.Want = datasets.Counts{Events: 700, Nodes: 60, Features: 1}
	datasets.Register(toy)
	toy.Name, toy.File, toy.Want = "unknown", "unknown.csv", datasets.Counts{}
	datasets.Register(toy)
	models.Register(models.Kind{
		Name: "vast", Class: protocol.Learned, Tasks: []protocol.Task{protocol.NodeClassification},
		Options: func() models.Options { return &noOptions{} },
		Bytes:   func(models.Setup, models.Options) int64 { return 1 << 60 },
		New:     func(models.Setup, models.Options) (models.Model, error) { panic("built") },
	})
	os.Exit(m.Run())
}

func openToy(string) (datasets.Stream, string, error) {
	const events, users, items = 600, 30, 8
	rng := rand.New(rand.NewPCG(1, 1))
	s := datasets.Stream{NumNodes: users + items, Users: users, NumFeat: 1}
	for k := range events {
		s.Src, s.Dst = append(s.Src, int32(rng.IntN(users))), append(s.Dst, int32(users+rng.IntN(items)))
		s.Time, s.Label = append(s.Time, float64(k)), append(s.Label, int8(rng.IntN(2)))
		s.Feat = append(s.Feat, float32(rng.NormFloat64()))
	}
	return s, strings.Repeat("0", 64), nil
}

// question is about a suite with these runs.
func question(t *testing.T, runs string) plan.Question {
	t.Helper()
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"vast.yaml":  "id: vast\nmodel: vast\ntitle: Vast\n",
		"suite.yaml": "name: toys\ntitle: Toys\nseeds: 3\nprotocol: {batch: 20, epochs: 2}\nruns:\n" + runs,
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if name == "suite.yaml" || strings.Contains(runs, "vast") {
			if _, err := lib.AddFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	suite, err := lib.LoadSuite("toys")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return plan.Question{Trials: trials, Store: record.Store{Dir: t.TempDir()}, DataDir: t.TempDir(), Workers: 2}
}

// planned makes the plan and checks that every cell is reported once.
func planned(t *testing.T, q plan.Question) plan.Plan {
	t.Helper()
	cells, steps := 0, 0
	p, err := plan.Make(context.Background(), q, plan.Hooks{Start: func(n int) { cells = n }, Step: func() { steps++ }})
	if err != nil {
		t.Fatal(err)
	}
	if cells != len(p.Cells) || steps != cells {
		t.Errorf("%d cells in the plan, %d announced, %d reported", len(p.Cells), cells, steps)
	}
	return p
}

const mixed = `  - {task: nc, datasets: [toy], models: [user-count, raw]}
  - {task: lp, settings: [T, I], datasets: [toy], models: [dgs], batches: [10, 50]}
  - {task: nc, datasets: [toy], models: [raw], protocol: {latency: {batches: 5, lead: 40, iterations: 2}}}
`

// TestUnderivable: data that cannot be derived for some trials is their cells'
// problem: measuring fails these trials and no others.
func TestUnderivable(t *testing.T) {
	p := planned(t, question(t, "  - {task: nc, datasets: [underivable, toy], models: [raw]}\n"))
	if c := p.Cells[0]; c.Source != plan.Unplanned || !strings.Contains(c.Problem, "log1p of feature 1 is not finite") {
		t.Errorf("%+v", c)
	}
	if c := p.Cells[1]; c.Source != plan.Estimated {
		t.Errorf("%+v", c)
	}
}

// TestPlanThenMeasure: before anything is measured, cells are estimated;
// afterwards nothing is left to do and the times are those of the records.
// What was said about the disk holds within a factor of two.
func TestPlanThenMeasure(t *testing.T) {
	q := question(t, mixed)
	before := planned(t, q)
	if before.Trials != 1+3+4*3+1 || before.ToDo != before.Trials || before.Seconds <= before.Latency || before.Latency <= 0 || before.Memory <= 0 {
		t.Errorf("%+v", before)
	}
	for _, c := range before.Cells {
		if c.Source != plan.Estimated || c.Seconds <= 0 || c.ToDo != c.Trials || c.Disk <= 0 {
			t.Errorf("%+v", c)
		}
	}
	scored := specs.Scored(q.Trials)
	runner := harness.Runner{Store: q.Store, Workers: 2}
	if _, err := runner.Run(context.Background(), scored); err != nil {
		t.Fatal(err)
	}
	after := planned(t, q)
	if after.ToDo != 1 || after.Seconds != after.Latency {
		t.Errorf("after measuring: %d to do, %v seconds", after.ToDo, after.Seconds)
	}
	records, _, err := q.Store.Load("toys")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range after.Cells[:len(after.Cells)-1] {
		sum, n := 0.0, 0
		for _, r := range records {
			if r.Key.CellKey == c.CellKey {
				sum, n = sum+r.Durations.Total, n+1
			}
		}
		if c.Source != plan.Recorded || c.ToDo != 0 || c.Seconds != sum/float64(n) {
			t.Errorf("%+v, expected the mean of %d records, %v", c, n, sum/float64(n))
		}
	}
	latency := before.Cells[len(before.Cells)-1]
	disk, said := diskUse(t, q.Store.Dir), before.Disk-latency.Disk
	if disk > 2*said || said > 2*disk {
		t.Errorf("%d bytes on the disk, %d were planned", disk, said)
	}
}

// TestMemoryHoldsTheData: beside the models there is the stream: 600 events
// of one feature.
func TestMemoryHoldsTheData(t *testing.T) {
	p := planned(t, question(t, "  - {task: nc, datasets: [toy], models: [user-count]}\n"))
	if got, want := p.Memory-p.Cells[0].Memory, int64(600*(4+4+8+1+4)); got != want {
		t.Errorf("%d bytes beside the model, expected %d", got, want)
	}
}

// TestRecordsThatSayNothing: records of another machine, or of trials that
// failed, do not say how long a trial takes here.
func TestRecordsThatSayNothing(t *testing.T) {
	q := question(t, "  - {task: nc, datasets: [toy], models: [raw]}\n")
	d, err := datasets.Lookup("toy")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := d.Load(q.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	for i, trial := range q.Trials[:2] {
		r := harness.Describe(trial, loaded, q.Device)
		r.Durations.Total = 1000
		if i == 0 {
			r.Machine = "another one"
		} else {
			r.Error = "raw: a NaN"
		}
		if _, err := q.Store.Write(r, record.Observed{}); err != nil {
			t.Fatal(err)
		}
	}
	p := planned(t, q)
	if c := p.Cells[0]; c.Source != plan.Estimated || c.ToDo != 1 || c.Seconds > 100 {
		t.Errorf("%+v", c)
	}
	r := harness.Describe(q.Trials[2], loaded, q.Device)
	r.Durations.Total = 3
	if _, err := q.Store.Write(r, record.Observed{}); err != nil {
		t.Fatal(err)
	}
	if c := planned(t, q).Cells[0]; c.Source != plan.Recorded || c.ToDo != 0 || c.Seconds != 3 {
		t.Errorf("with a record of this machine: %+v", c)
	}
	q.Trials = q.Trials[:2]
	if c := planned(t, q).Cells[0]; c.Source != plan.Measured || c.Seconds != 0 || c.Memory != 0 {
		t.Errorf("nothing is to be done, and yet it was estimated: %+v", c)
	}
}

// TestTimedTogether: if one latency test of a dataset has no record, all are
// measured.
func TestTimedTogether(t *testing.T) {
	q := question(t, "  - {task: nc, datasets: [toy], models: [raw, user-count], protocol: {latency: {batches: 5, lead: 40, iterations: 2}}}\n")
	measureTests := func(tests []specs.Trial) {
		t.Helper()
		p := latency.Plan{Trials: tests, Device: q.Device, Threads: 1}
		hooks := latency.Hooks{Start: func(int) {}, Step: func(string, time.Duration) {}}
		err := latency.Run(context.Background(), p, hooks, func(some []latency.Measured) error { return latency.Keep(q.Store, some) })
		if err != nil {
			t.Fatal(err)
		}
	}
	measureTests(q.Trials[:1])
	if p := planned(t, q); p.ToDo != 2 {
		t.Errorf("one has a record: %d to do, expected both", p.ToDo)
	}
	measureTests(q.Trials)
	if p := planned(t, q); p.ToDo != 0 || p.Latency != 0 {
		t.Errorf("both have one: %d to do in %v s", p.ToDo, p.Latency)
	}
}

func diskUse(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		bytes += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// TestMissingData: a stream of the same size stands in, and the plan says how
// to get the file. Without a known size there is an error.
func TestMissingData(t *testing.T) {
	p := planned(t, question(t, "  - {task: lp, settings: [T, I], datasets: [absent], models: [recency, dgs]}\n"))
	if len(p.Missing) != 1 || !strings.Contains(p.Missing[0].How, "bench data fetch absent") {
		t.Errorf("missing: %+v", p.Missing)
	}
	for _, c := range p.Cells {
		if c.Source != plan.StoodIn || c.Seconds <= 0 {
			t.Errorf("%+v", c)
		}
	}
	q := question(t, "  - {task: nc, datasets: [unknown], models: [raw]}\n")
	_, err := plan.Make(context.Background(), q, plan.Hooks{Start: func(int) {}, Step: func() {}})
	if err == nil || !strings.Contains(err.Error(), "its size is not known") {
		t.Errorf("error %v", err)
	}
}

// TestNoRoom: a model that needs more memory than there is makes the plan one
// that cannot be run, unless it is measured already.
func TestNoRoom(t *testing.T) {
	p := planned(t, question(t, "  - {task: nc, datasets: [toy], models: [raw, vast]}\n"))
	c, found := p.TooLarge()
	if found != p.Known || p.Known && c.Model != "vast" {
		t.Errorf("too large: %v, %+v", found, c)
	}
	if p.Known && p.Cells[1].Source != plan.Unplanned {
		t.Errorf("%+v", p.Cells[1])
	}
}

// fixed is a plan with all that can be in one.
func fixed() plan.Plan {
	cell := func(dataset string, task protocol.Task, setting protocol.Setting, kase, model string) record.CellKey {
		return record.CellKey{Suite: "toys", Dataset: dataset, Task: task, Setting: setting, Case: kase, Model: model}
	}
	return plan.Plan{
		Suite: "toys", About: "Toys", Machine: "a machine, 2 cores", Workers: 2, Trials: 23, ToDo: 13,
		Cells: []plan.Cell{
			{CellKey: cell("shop-sim", "nc", "", "", "raw"), Title: "Raw", Trials: 10, Seconds: 1.25, Disk: 60_000, Source: plan.Recorded},
			{CellKey: cell("wikipedia", "lp", "T", "batch-10", "dgs"), Title: "DGS", Trials: 10, ToDo: 10, Seconds: 3600, Memory: 4_700_000_000, Disk: 400_000, Source: plan.StoodIn},
			{CellKey: cell("shop-sim", "nc", "", "", "vast"), Title: "Vast", Trials: 1, ToDo: 1, Memory: 99_000_000_000, Source: plan.Unplanned, Problem: "needs more memory than is free"},
			{CellKey: cell("shop-sim", "nc", "", "latency", "raw"), Title: "Raw", Trials: 1, ToDo: 1, Seconds: 36, Latency: true, Source: plan.Estimated},
			{CellKey: cell("shop-sim", "nc", "", "live", "raw"), Title: "Raw", Trials: 1, ToDo: 1, Seconds: 24, Live: true, Source: plan.Estimated},
		},
		Seconds: 18060, Least: 5000, Latency: 36, Live: 24, Memory: 9_500_000_000, Free: 24_000_000_000, Known: true, Disk: 4_060_000,
		Missing: []plan.Missing{{Dataset: "wikipedia", How: "dataset wikipedia: no file wikipedia.csv in /data; `bench data fetch wikipedia` downloads it"}},
	}
}

func TestWrite(t *testing.T) {
	var text, js bytes.Buffer
	if err := fixed().WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "plan.txt"), text.String())
	if err := encode(&js, fixed()); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "plan.json"), js.String())
	var back plan.Plan
	if err := json.Unmarshal(js.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fixed(), back); diff != "" {
		t.Errorf("JSON does not hold the plan (-want +got):\n%s", diff)
	}
}

// encode writes JSON as the command does.
func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
