package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// externalSpec is a model of another process.
func externalSpec(id, command string, more ...string) string {
	return fmt.Sprintf("id: %s\nmodel: external\ntitle: %s\noptions: {command: [%s], tasks: [nc]%s}\n", id, id, command, strings.Join(more, ""))
}

// TestExternal: a model behind a pipe has the row of the model itself, bit for bit, also
// from a checkpoint's trial and in a latency test; one with a fault fails alone, with the
// end of its log.
func TestExternal(t *testing.T) {
	dir := workplace(t)
	specs := filepath.Join(dir, "specs")
	write(t, filepath.Join(specs, "piped.yaml"), externalSpec("piped", "env, "+child+"=1, "+os.Args[0]+", serve-model, raw", ", features: required, log_odds: true"))
	write(t, filepath.Join(specs, "bad.yaml"), externalSpec("bad", `sh, -c, "echo '{\"dgsbench\":1,\"tasks\":[\"nc\"],\"features\":\"optional\",\"verbs\":[\"train\",\"classify\",\"snapshot\",\"restore\"]}'; read x; echo on standard error >&2; echo hello"`))
	write(t, filepath.Join(specs, "toy.yaml"), "name: toy\ntitle: Toy\nseeds: 2\nprotocol: {batch: 20, epochs: 2}\nruns:\n"+
		"  - {task: nc, datasets: [toy], models: [raw, piped, bad]}\n"+
		"  - {task: nc, datasets: [toy], models: [raw, piped], protocol: {latency: {batches: 5, lead: 40, iterations: 2}}}\n")
	code, stdout, stderr := bench(all(dir, "out", "--checkpoints")...)
	if code != exitFailed || !strings.Contains(stderr, "6 trials measured, 0 found measured, 2 failed") {
		t.Fatalf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	for _, want := range []string{
		`: build: `, `expected a line of JSON, found "hello"; its standard error ends with:`,
		"on standard error\n", "seed-1-",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
	for _, want := range []string{"the same test scores, bit for bit, as piped (2 seeds)", ", inside "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("tables without %q:\n%s", want, stdout)
		}
	}
	values := map[string]float64{}
	for line := range strings.Lines(read(t, dir, "out", "toy", "results.csv")) {
		cells := strings.Split(line, ",")
		for i, cell := range cells {
			if strings.HasPrefix(cell, "latency_5x20") && slices.Contains(cells, "piped") {
				values[cell], _ = strconv.ParseFloat(cells[i+2], 64)
			}
		}
	}
	if inside, all := values["latency_5x20_inside"], values["latency_5x20"]; !(inside > 0 && inside < all) {
		t.Errorf("seconds inside and in all: %v", values)
	}
	if logs, _ := filepath.Glob(filepath.Join(dir, "out", "toy", "toy", "nc", "bad", "seed-*.log")); len(logs) != 2 {
		t.Errorf("logs: %v", logs)
	}
	code, _, stderr = bench(all(dir, "out", "--checkpoints")...)
	if code != exitFailed || !strings.Contains(stderr, "0 trials measured, 6 found measured, 2 failed") {
		t.Errorf("again: exit code %d\n%s", code, stderr)
	}
}

// TestExternalRefused: where a program cannot do what a suite asks for, nothing is measured
// or written; what was measured does not start it.
func TestExternalRefused(t *testing.T) {
	dir := workplace(t)
	specs := filepath.Join(dir, "specs")
	t.Setenv("PIPED", os.Args[0])
	piped := externalSpec("piped", "env, "+child+"=1, sh, -c, exec $PIPED serve-model raw", ", features: required, log_odds: true")
	write(t, filepath.Join(specs, "piped.yaml"), piped)
	write(t, filepath.Join(specs, "toy.yaml"), "name: toy\ntitle: Toy\nseeds: 1\nprotocol: {batch: 20, epochs: 2}\nruns:\n"+
		"  - {task: nc, datasets: [toy], models: [raw, piped]}\n"+
		"  - {task: nc, datasets: [toy], models: [raw, piped], protocol: {latency: {batches: 5, lead: 40, iterations: 2}}}\n")
	place := func(command, out string) []string { return slices.Concat([]string{command}, all(dir, out)[1:]) }
	if code, _, stderr := bench(place("all", "out")...); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for spec, want := range map[string]string{
		strings.Replace(piped, "log_odds: true", "log_odds: false", 1): "serve-model raw: its greeting says log_odds true, and the spec false: options: {log_odds: true}",
		externalSpec("piped", "sh, -c, exit 1"):                        "sh -c exit 1: start: ended with exit status 1",
	} {
		write(t, filepath.Join(specs, "piped.yaml"), spec)
		for _, command := range []string{"all", "run", "plan", "latency", "live"} {
			code, stdout, stderr := bench(place(command, "new")...)
			if code != exitUsage || !strings.Contains(stderr, want) || stdout != "" {
				t.Errorf("%s: exit code %d, %s%s\nexpected %q", command, code, stdout, stderr, want)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "new")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the folder of the results: %v", err)
		}
	}
	write(t, filepath.Join(specs, "piped.yaml"), piped)
	t.Setenv("PIPED", "/nowhere")
	for _, command := range []string{"tables", "all", "plan"} {
		if code, _, stderr := bench(place(command, "out")...); code != exitDone {
			t.Errorf("%s: exit code %d, %s", command, code, stderr)
		}
	}
}

// TestExternalVariants: what a model can do is said once.
func TestExternalVariants(t *testing.T) {
	file := filepath.Join(t.TempDir(), "two.yaml")
	write(t, file, externalSpec("two", "cat")+"variants:\n  links: {title: Links, options: {tasks: [lp]}}\n")
	code, _, stderr := bench("spec", "show", file)
	if code != exitUsage || !strings.Contains(stderr, "declares other tasks") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// TestServeModel: what cannot be served is named.
func TestServeModel(t *testing.T) {
	for model, want := range map[string]string{"oracle": "oracle cannot be served", "single-column": "single-column cannot be served", "nothing": `unknown model "nothing"`} {
		if code, _, stderr := bench("serve-model", model); code == exitDone || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s", model, code, stderr)
		}
	}
}
