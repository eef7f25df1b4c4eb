//go:build gpu

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/harness/plan"
	"dgsbench/harness/scale"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/devices"
)

// TestBenchOnCard: both devices share a folder, and the card's records say
// what it is.
func TestBenchOnCard(t *testing.T) {
	t.Setenv(devices.LibraryVariable, cudatest.Library(t))
	const suite = "../cmd/gpucheck/suites/tiny/agreement.yaml"
	out, data := t.TempDir(), t.TempDir()
	for _, device := range []string{"cpu", "cuda:0"} {
		code, stdout, stderr := bench("all", suite, "--device", device, "--out", out, "--data", data)
		if code != exitDone || strings.Contains(stdout, "--device cuda:0") != (device != "cpu") {
			t.Fatalf("%s: exit code %d\n%s\n%s", device, code, stdout, stderr)
		}
		code, again, stderr := bench("run", suite, "--device", device, "--out", out, "--data", data)
		if code != exitDone || !strings.Contains(stderr, "2 found measured") {
			t.Errorf("%s again: exit code %d\n%s\n%s", device, code, again, stderr)
		}
	}
	for device, class := range map[string]string{"cpu": devices.Target{}.Name(), "cuda": "cuda"} {
		code, rows, stderr := bench("results", suite, "--device", device, "--out", out, "--data", data)
		if lines := strings.Count(rows, "\n"); code != exitDone || strings.Count(rows, ","+class+",") != lines-1 || lines < 9 {
			t.Errorf("%s: exit code %d\n%s\n%s", device, code, rows, stderr)
		}
	}
}

// TestFullCard: a card without room stops the run, and leaves no record that
// says that the trial fails. The emulated card has half a gigabyte. One model
// declares that its Jacobians take 1.2 GB: exit code 2, before anything is
// measured. The other one, whose batches are large, only finds out.
func TestFullCard(t *testing.T) {
	library := cudatest.Library(t)
	if !cudatest.Emulated(t) {
		t.Skip("there is a card, whose memory is larger")
	}
	t.Setenv(devices.LibraryVariable, library)
	for _, c := range []struct {
		suite, spec string
		code        int
		want        string
	}{
		{"smoke", "model: dgs, options: {size: 512, blocks: 4}", exitUsage, "of memory, the card has 0.5 GB free"},
		{"wide", "model: raw, options: {head: {hidden: [4096, 64]}}", exitFailed, "out of device memory"},
	} {
		out, data := t.TempDir(), t.TempDir()
		spec := filepath.Join(data, "large.yaml")
		if err := os.WriteFile(spec, []byte("{id: large, title: Large, "+c.spec+"}"), 0o644); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(data, "specs", "wide.yaml"), "name: wide\ntitle: Wide\nprotocol: {batch: 40000, epochs: 1}\nruns: [{task: nc, datasets: [shop-sim@0.333], models: [raw]}]\n")
		code, stdout, stderr := bench("run", spec, "--suite", c.suite, "--specs", filepath.Join(data, "specs"), "--tasks", "nc", "--seeds", "1", "--device", "cuda", "--out", out, "--data", data)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
		}
		if files, err := filepath.Glob(filepath.Join(out, "*", "*", "*", "*", "*.json")); err != nil || len(files) > 0 {
			t.Errorf("records are left: %v, error %v", files, err)
		}
	}
}

// TestPlanOnCard: hours and memory of one card, for readers and machines.
func TestPlanOnCard(t *testing.T) {
	t.Setenv(devices.LibraryVariable, cudatest.Library(t))
	args := []string{"plan", "../cmd/gpucheck/suites/tiny/agreement.yaml", "--device", "cuda", "--workers", "2", "--out", t.TempDir(), "--data", t.TempDir()}
	code, stdout, stderr := bench(args...)
	for _, want := range []string{"ON THE CARD", "one card: ", "largest trial: ", "divide the hours by their number"} {
		if code != exitDone || !strings.Contains(stdout, want) {
			t.Fatalf("exit code %d, no %q in\n%s%s", code, want, stdout, stderr)
		}
	}
	code, stdout, stderr = bench(append(args, "--json")...)
	var p plan.Plan
	if err := json.Unmarshal([]byte(stdout), &p); err != nil || code != exitDone {
		t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
	}
	if p.Card == nil || p.Card.Hours != p.Seconds/3600 || p.Card.Memory < p.Card.Largest || p.Card.Largest < 10_000 || p.Card.Free > p.Card.Total {
		t.Errorf("%+v", p.Card)
	}
	for _, c := range p.Cells {
		if c.Source != plan.Estimated || c.OnCard < 10_000 || c.Memory <= 0 {
			t.Errorf("%+v", c)
		}
	}
}

// TestScaleOnCard: the report says that it was on a card and what it took
// there, and leaves that of the processor alone.
func TestScaleOnCard(t *testing.T) {
	t.Setenv(devices.LibraryVariable, cudatest.Library(t))
	out := t.TempDir()
	args := []string{"scale", "raw", "--sweep", "batch=20,50", "--length", "200", "--nodes", "50", "--mode", "training", "--out", out}
	for _, device := range []string{"cpu", "cuda:0"} {
		code, stdout, stderr := bench(append(args, "--device", device)...)
		if onCard := strings.Contains(stdout, "card MB") && strings.Contains(stdout, ", on a card: "); code != exitDone || onCard != (device != "cpu") {
			t.Fatalf("%s: exit code %d\n%s\n%s", device, code, stdout, stderr)
		}
	}
	var r scale.Result
	if err := json.Unmarshal([]byte(read(t, filepath.Join(out, "scale", "raw-training-nc-cuda.json"))), &r); err != nil {
		t.Fatal(err)
	}
	if r.Device != "cuda" || !strings.Contains(r.Machine, ", CUDA ") || !strings.Contains(r.Command, "--device cuda:0") || len(r.Points) != 2 || !(r.Points[1].OnCard > 0) {
		t.Errorf("%+v", r)
	}
	read(t, filepath.Join(out, "scale", "raw-training-nc.json"))
}
