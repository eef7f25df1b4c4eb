package standard

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/datasets/own"
	"dgsbench/internal/golden"
	"dgsbench/internal/onnx"
	"dgsbench/internal/strictyaml"
	"dgsbench/models"
	"dgsbench/protocol"
)

// stepCase is a model whose step is written as ONNX.
type stepCase struct{ name, kind, options string }

var stepCases = []stepCase{
	{"dgs", "dgs", `{"size": 20, "blocks": 10}`},
	{"dgs-large", "dgs", `{"size": 100, "blocks": 25, "temperature": 0.5, "head": {"hidden": [100]}}`},
	{"dgs-layers", "dgs", `{"size": 24, "blocks": 4, "temperature": 5, "head": {"hidden": [16, 8], "norm": "layer"}}`},
	{"dgs-clamp", "dgs", `{"size": 20, "blocks": 10, "range": "clamp"}`},
	{"dgs-input", "dgs", `{"size": 20, "blocks": 4, "factors": "input"}`},
	{"dgs-scalar", "dgs", `{"size": 20, "blocks": 4, "factors": "scalar"}`},
	{"dgs-sum", "dgs", `{"size": 20, "blocks": 5, "embedding": "sum", "sum_floor": 0.3}`},
	{"dgs-sum-default", "dgs", `{"size": 100, "blocks": 50, "embedding": "sum"}`},
	{"dgs-s", "dgs", `{"embedding": "buckets", "buckets": 6, "factors": "scalar"}`},
	{"dgs-v", "dgs", `{"embedding": "buckets"}`},
	{"graphsprints", "graphsprints", `{"alpha": 0.3, "beta": 0.9, "buckets": 7}`},
	{"raw", "raw", `{}`},
	{"logistic", "raw", `{"head": {"hidden": []}}`},
}

// Of the events that are given to ONNX Runtime, and of those before them.
const stepEvents, stepTrain, stepNodes, stepFile, stepBatch = 2000, 300, 50, 12, 200

// stepStream is a stream with features of the file: whole numbers, which lie on edges of
// buckets, and others of several scales.
func stepStream() datasets.Stream {
	rng := rand.New(rand.NewPCG(7, 7))
	s := datasets.Stream{NumNodes: stepNodes, NumFeat: stepFile}
	for k := range stepTrain + stepEvents {
		s.Src, s.Dst = append(s.Src, rng.Int32N(stepNodes)), append(s.Dst, rng.Int32N(stepNodes))
		s.Time = append(s.Time, float64(10*k+rng.IntN(10)))
		for c := range stepFile {
			x := float32(rng.IntN(8))
			if c > 3 {
				x = float32(rng.NormFloat64()*float64(c*c*c) + 20)
			}
			s.Feat = append(s.Feat, x)
		}
	}
	return s
}

// stepColumns are the features of the models.
var stepColumns = []string{"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "log1p of the time since the source's previous event"}

// stepDeriver describes features with some means and deviations.
func stepDeriver(t *testing.T, moments func(column int) (mean, sd float64)) string {
	t.Helper()
	mean, sd := make([]float64, stepFile+1), make([]float64, stepFile+1)
	for c := range mean {
		mean[c], sd[c] = moments(c)
	}
	text, err := json.Marshal(map[string]any{
		"features": []map[string]string{{"kind": "standardised"}, {"kind": "gap", "side": "source"}}, "file": stepColumns[:stepFile], "mean": mean, "sd": sd,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// standardised are moments near those of the stream; one column was constant in the train part.
func standardised(c int) (mean, sd float64) {
	switch {
	case c == 5:
		return 20, 0
	case c > 3 && c < stepFile:
		return 20, float64(c*c*c) + .1
	}
	return 3.5, 2.3
}

// unscaled leaves columns as they are.
func unscaled(int) (mean, sd float64) { return 0, 1 }

// derived returns the stream with the features of a deriver.
func derived(t *testing.T, text string, s datasets.Stream) datasets.Stream {
	t.Helper()
	d, err := datasets.ParseDeriver(text)
	if err != nil {
		t.Fatal(err)
	}
	var feat []float32
	for b := range s.Batches(1) {
		if feat, err = d.Append(feat, b); err == nil {
			err = d.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s.WithFeatures(feat, len(d.Columns()))
}

// saved returns a model that has met the train part of the stream, and what is read of its file.
func (c stepCase) saved(t *testing.T, s datasets.Stream, deriver string) (models.Model, *models.Saved) {
	t.Helper()
	kind, err := models.Lookup(c.kind)
	if err != nil {
		t.Fatal(err)
	}
	o := kind.Options()
	if err := strictyaml.Unmarshal("options", []byte(c.options), o); err != nil {
		t.Fatal(err)
	}
	train := s.Slice(0, stepTrain)
	setup := models.Setup{
		Task: protocol.NodeClassification, NumNodes: s.NumNodes, NumFeat: s.NumFeat, MaxBatch: stepTrain, Train: train, Seed: 3, Threads: 1,
	}
	m, err := kind.New(setup, o)
	if err != nil {
		t.Fatal(err)
	}
	rng, snapshot := rand.New(rand.NewPCG(8, 8)), m.Snapshot(models.Parameters)
	for _, p := range snapshot.Params {
		for i := range p.F32 {
			if p.Name != "alpha" && p.Name != "beta" { // which are between 0 and 1
				p.F32[i] += .2 * (rng.Float32() - .5)
			}
		}
	}
	if err := m.Restore(snapshot); err != nil {
		t.Fatal(err)
	}
	if err := m.Observe(train); err != nil {
		t.Fatal(err)
	}
	file := models.Save(m, kind, setup, o, fmt.Sprintf(`{"kind": %q, "task": "nc", "options": %s}`, c.kind, c.options))
	file.Input = &models.Input{Source: own.NumberedRow(stepColumns[:stepFile]).String(), Features: deriver, Scores: []float32{}}
	data, err := file.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	put(t, path, data)
	read, err := models.ReadSaved(path)
	if err != nil {
		t.Fatal(err)
	}
	return m, read
}

// step returns the graph of a saved model, as a file has it.
func step(t *testing.T, saved *models.Saved) (*onnx.Model, []byte) {
	t.Helper()
	m, err := saved.ONNX()
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return m, data
}

func put(t *testing.T, path string, data any) {
	t.Helper()
	bytes, err := binary.Append(nil, binary.LittleEndian, data)
	if err == nil {
		err = os.WriteFile(path, bytes, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestONNXRuntime: ONNX Runtime, given features that are not standardised and the states that it
// has returned, has the logits and the states of the models: event by event, and in batches. Those
// beyond 1 may differ by a share, as sums near zero make numbers of any size in DGS-sum.
func TestONNXRuntime(t *testing.T) {
	const within = 1e-5
	python := cmp.Or(os.Getenv("DGSBENCH_PYTHON"), "python3")
	if exec.Command(python, "-c", "import onnxruntime").Run() != nil {
		t.Skip("needs Python with ONNX Runtime")
	}
	stream, deriver := stepStream(), stepDeriver(t, standardised)
	given := derived(t, stepDeriver(t, unscaled), stream).Slice(stepTrain, stream.Len())
	stream = derived(t, deriver, stream)
	dir := t.TempDir()
	script := filepath.Join("testdata", "steps.py")
	if _, err := os.ReadFile(script); err != nil { // so that go test knows that it was read
		t.Fatal(err)
	}
	for _, c := range stepCases {
		m, saved := c.saved(t, stream, deriver)
		_, file := step(t, saved)
		folder := filepath.Join(dir, c.name)
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		start := m.Snapshot(models.Everything)
		write := func(name string, data any) { put(t, filepath.Join(folder, name), data) }
		write("model.onnx", file)
		write("features", given.Feat)
		write("src", given.Src)
		write("dst", given.Dst)
		write("start", states(start))
		for _, batch := range []int{1, stepBatch} {
			if err := m.Restore(start); err != nil {
				t.Fatal(err)
			}
			var logits []float32
			for b := range stream.Slice(stepTrain, stream.Len()).Batches(batch) {
				some := make([]float32, b.Len())
				if err := m.Classify(b, some); err != nil {
					t.Fatal(err)
				}
				logits = append(logits, some...)
			}
			write(fmt.Sprint("logits-", batch), logits)
			write(fmt.Sprint("states-", batch), states(m.Snapshot(models.Everything)))
		}
	}
	var stderr strings.Builder
	cmd := exec.Command(python, script, dir, "1", fmt.Sprint(stepBatch))
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var far map[string]map[string]struct{ Logits, States float64 }
	if err := json.Unmarshal(out, &far); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range stepCases {
		if len(far[c.name]) != 2 {
			t.Errorf("%s: no answer", c.name)
		}
		for batch, d := range far[c.name] {
			t.Logf("%-15s batches of %-3s  logits %.1e  states %.1e", c.name, batch, d.Logits, d.States)
			if !(d.Logits <= within && d.States <= within) {
				t.Errorf("%s in batches of %s: logits differ by %g, states by %g, allowed is %g", c.name, batch, d.Logits, d.States, within)
			}
		}
	}
}

// states returns those of a snapshot, a row a node.
func states(s models.Snapshot) []float32 {
	if len(s.State) == 0 {
		return nil
	}
	return s.State[0].F32
}

// TestSteps: the graphs are those of the golden file, and say what goes in and out.
func TestSteps(t *testing.T) {
	stream, deriver := stepStream(), stepDeriver(t, standardised)
	stream = derived(t, deriver, stream)
	var text strings.Builder
	for _, c := range stepCases {
		_, saved := c.saved(t, stream, deriver)
		m, data := step(t, saved)
		read, err := onnx.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s %s\n", c.name, c.options)
		for _, v := range read.Inputs {
			fmt.Fprintf(&text, "  input %s %v\n", v.Name, v.Shape)
		}
		for _, k := range m.Constants {
			fmt.Fprintf(&text, "  %s %v", k.Name, k.Shape)
			if k.Type == onnx.Float64 { // means and deviations
				values := make([]float64, k.Shape[0])
				if _, err := binary.Decode(k.Data, binary.LittleEndian, values); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&text, " %v", values)
			}
			fmt.Fprintln(&text)
		}
		for _, n := range m.Nodes {
			fmt.Fprintf(&text, "  %s = %s(%s)\n", n.Name, n.Operator, strings.Join(n.Inputs, ", "))
		}
		for _, v := range read.Outputs {
			fmt.Fprintf(&text, "  output %s %v\n", v.Name, v.Shape)
		}
		var columns []string
		if err := json.Unmarshal([]byte(read.Metadata["columns"]), &columns); err != nil || !slices.Equal(columns, stepColumns) {
			t.Errorf("%s: columns %v, %v", c.name, columns, err)
		}
		if read.Metadata["source"] != saved.Input.Source || read.Metadata["derived"] != deriver || read.Metadata["spec"] != saved.Spec || read.Metadata["log_odds"] != "true" {
			t.Errorf("%s: metadata %v", c.name, read.Metadata)
		}
		// A file that does not say how features are made takes them as they are.
		saved.Input, saved.Columns = nil, nil
		m, _ = step(t, saved)
		if m.Nodes[0].Operator == "Cast" || m.Metadata["derived"]+m.Metadata["columns"] != "" {
			t.Errorf("%s: without an input it begins with %v, metadata %v", c.name, m.Nodes[0], m.Metadata)
		}
	}
	golden.Compare(t, filepath.Join("testdata", "steps.txt"), text.String())
}

// TestNoStep: what cannot be written says why.
func TestNoStep(t *testing.T) {
	stream, deriver := stepStream(), stepDeriver(t, standardised)
	stream = derived(t, deriver, stream)
	change := func(c stepCase, change func(*models.Saved)) *models.Saved {
		_, saved := c.saved(t, stream, deriver)
		change(saved)
		return saved
	}
	dgs := stepCases[0]
	for want, saved := range map[string]*models.Saved{
		"embedding: sparsemax is no operator": change(stepCase{"", "dgs", `{"size": 20, "blocks": 10, "embedding": "sparsemax"}`}, func(*models.Saved) {}),
		"embedding: entmax is no operator":    change(stepCase{"", "dgs", `{"size": 20, "blocks": 10, "embedding": "entmax"}`}, func(*models.Saved) {}),
		"kind jodie is no graph":              change(stepCase{"", "jodie", `{}`}, func(*models.Saved) {}),
		"kind tgn is no graph":                change(stepCase{"", "tgn", `{}`}, func(*models.Saved) {}),
		"a model of task lp, expected":        change(dgs, func(s *models.Saved) { s.Task = protocol.LinkPrediction }),
		"snapshot tensor":                     change(dgs, func(s *models.Saved) { s.Snapshot.Params[0].Shape = []int{1} }),
		"the description of features":         change(dgs, func(s *models.Saved) { s.Input.Features = "{}}" }),
		"0 features are made of records":      change(dgs, func(s *models.Saved) { s.Input.Features = "{}" }),
	} {
		if _, err := saved.ONNX(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
}
