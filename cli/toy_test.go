package cli

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/models"
	"dgsbench/protocol"
)

// child makes the test binary behave as bench: real processes can then be
// killed and interrupted.
const child = "BENCH_TEST_CHILD"

// served is the address of the dataset of that name, in children that have
// one.
const served = "BENCH_TEST_SERVED"

const servedText = "a,b,t\nu,v,1\nv,w,2\n"

func TestMain(m *testing.M) {
	datasets.Register(datasets.Dataset{
		Name: "toy", Title: "toy, simulated", URL: "https://example.org/toy", File: "toy.csv",
		Layout: datasets.Layout{Src: "src", Dst: "dst", Time: "t", Label: "label", Features: []string{"a", "b"}, Bipartite: true},
		Split:  datasets.ByRow(.6, .8), HeldOut: datasets.SampleHeldOut(1), Labelled: true,
		Notes: []string{"simulated data"},
	})
	models.Register(models.Kind{
		Name: "broken", Class: protocol.ZeroParameter, Tasks: []protocol.Task{protocol.NodeClassification},
		Options: func() models.Options { return &noOptions{} },
		New:     func(models.Setup, models.Options) (models.Model, error) { return broken{}, nil },
	})
	if url := os.Getenv(served); url != "" {
		datasets.Register(datasets.Dataset{
			Name: "served", URL: url, File: "served.csv", SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(servedText))),
			Layout: datasets.Layout{Src: "a", Dst: "b", Time: "t"}, Want: datasets.Counts{Events: 2},
			Split: datasets.ByRow(.5, .7), HeldOut: datasets.SampleHeldOut(1),
		})
	}
	models.Register(models.Kind{
		Name: "sleeper", Class: protocol.ZeroParameter, Tasks: []protocol.Task{protocol.NodeClassification},
		Options: func() models.Options { return &noOptions{} },
		New:     func(models.Setup, models.Options) (models.Model, error) { return sleeper{}, nil },
	})
	if os.Getenv(child) != "" || len(os.Args) > 1 && os.Args[1] == "work" { // a job's program is a copy of the test binary
		Main()
	}
	// What others time on this machine does not hold the tests up.
	timingLock = filepath.Join(os.TempDir(), "bench-test-"+crand.Text())
	os.Setenv(harness.TimingLockVariable, timingLock)
	os.Exit(m.Run())
}

// timingLock is what this process and its children lock to time models.
var timingLock string

// broken is a model that fails at the first event of the test part.
type broken struct{ models.Model }

func (broken) Classify(b datasets.Stream, logits []float32) error {
	clear(logits)
	if b.EventID(0) >= 720 {
		return &models.BadScore{Event: b.EventID(0), Score: math.NaN()}
	}
	return nil
}

func (broken) Snapshot(models.Part) models.Snapshot { return models.Snapshot{} }
func (broken) Restore(models.Snapshot) error        { return nil }
func (broken) Observe(datasets.Stream) error        { return nil }
func (broken) Learn(datasets.Stream, []int8) error  { return nil }
func (broken) Reset()                               {}
func (broken) NumParams() int                       { return 0 }

// sleep is the environment variable that says how long a sleeper sleeps.
const sleep = "BENCH_TEST_SLEEP"

// sleeper takes its time for every answer.
type sleeper struct{ broken }

func (sleeper) Classify(_ datasets.Stream, logits []float32) error {
	clear(logits)
	d, err := time.ParseDuration(os.Getenv(sleep))
	time.Sleep(d)
	return err
}

type noOptions struct{}

func (*noOptions) Validate() error { return nil }

// toySuite has learned and zero-parameter models and both tasks.
const toySuite = `name: toy
title: Toy
protocol: {batch: 20, epochs: 4}
seeds: 4
runs:
  - {task: lp, settings: [T, I], datasets: [toy], models: [recency-pop, edgebank, edgebank+tw]}
  - {task: nc, datasets: [toy], models: [user-count, raw, graph-sprints]}
`

// workplace is a folder with the toy's data and specs.
func workplace(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	rng := rand.New(rand.NewPCG(5, 5))
	var csv strings.Builder
	csv.WriteString("src,dst,t,label,a,b\n")
	for k := range 900 {
		u := rng.IntN(40)
		fmt.Fprintf(&csv, "u%d,i%d,%d,%d,%.3f,%.3f\n", u, (u+rng.IntN(4))%9, k, rng.IntN(2), rng.NormFloat64(), rng.Float64())
	}
	write(t, filepath.Join(dir, "data", "toy.csv"), csv.String())
	write(t, filepath.Join(dir, "specs", "toy.yaml"), toySuite)
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// bench runs the program in this process.
func bench(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(context.Background(), args, &out, &err)
	return code, out.String(), err.String()
}

// all are the arguments of a run of the toy suite.
func all(dir, out string, more ...string) []string {
	return append([]string{
		"all", "--suite", "toy", "--data", filepath.Join(dir, "data"),
		"--specs", filepath.Join(dir, "specs"), "--out", filepath.Join(dir, out),
	}, more...)
}

// read returns a file's text.
func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
