package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
)

// child makes the test binary behave as bench: real processes can then be
// killed and interrupted.
const child = "BENCH_TEST_CHILD"

func TestMain(m *testing.M) {
	datasets.Register(datasets.Dataset{
		Name: "toy", Title: "toy, simulated", URL: "https://example.org/toy", File: "toy.csv",
		Layout: datasets.Layout{Src: "src", Dst: "dst", Time: "t", Label: "label", Features: []string{"a", "b"}, Bipartite: true},
		Split:  datasets.ByRow(.6, .8), HeldOut: datasets.SampleHeldOut(1), Labelled: true,
		Notes: []string{"simulated data"},
	})
	models.Register(models.Kind{
		Name: "broken", Class: models.ZeroParameter, Tasks: []models.Task{models.NodeClassification},
		Options: func() models.Options { return &noOptions{} },
		New:     func(models.Setup, models.Options) (models.Model, error) { return broken{}, nil },
	})
	if os.Getenv(child) != "" {
		main()
	}
	os.Exit(m.Run())
}

// broken is a model that fails at the first event of the test part.
type broken struct{ models.Model }

func (broken) Classify(b datasets.Stream, logits []float32) error {
	clear(logits)
	if b.EventID(0) >= 720 {
		return &models.BadScore{Event: b.EventID(0), Score: math.NaN()}
	}
	return nil
}

func (broken) Observe(datasets.Stream) error { return nil }
func (broken) Reset()                        {}
func (broken) NumParams() int                { return 0 }

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
