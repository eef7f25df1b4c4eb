package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/harness/scale"
)

// scaleArgs measures two small points.
func scaleArgs(dir string, more ...string) []string {
	return append([]string{
		"scale", "user-count", "--sweep", "length=100,2e2", "--nodes", "50", "--out", dir,
	}, more...)
}

// TestScale: the table on standard output, a line a point on standard error,
// and the same as files.
func TestScale(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := bench(scaleArgs(dir, "--format", "markdown")...)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for _, want := range []string{"2 points to measure\n", "[1/2] length=100: ", "[2/2] length=200: ", "done: 2 points measured, 0 failed"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
	name := filepath.Join(dir, "scale", "user-count-inference-nc")
	if table := read(t, name+".md"); table != stdout {
		t.Errorf("printed\n%s\nwritten\n%s", stdout, table)
	}
	if want := "Made by: `bench scale user-count --sweep length=100,200 --nodes 50`"; !strings.Contains(stdout, want) {
		t.Errorf("no %q in\n%s", want, stdout)
	}
	var r scale.Result
	if err := json.Unmarshal([]byte(read(t, name+".json")), &r); err != nil || len(r.Points) != 2 || r.Points[1].Events != 200 {
		t.Errorf("%v, report %+v", err, r)
	}
	lines, err := csv.NewReader(strings.NewReader(read(t, name+".csv"))).ReadAll()
	if err != nil || len(lines) != 3 {
		t.Errorf("%v, lines %v", err, lines)
	}
	if !strings.Contains(read(t, name+".svg"), "</svg>") {
		t.Error("the figure is no whole SVG")
	}
}

// TestScaleFormats: what programs read.
func TestScaleFormats(t *testing.T) {
	_, text, _ := bench(scaleArgs(t.TempDir(), "--format", "csv")...)
	if lines, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil || len(lines) != 3 {
		t.Errorf("%v\n%s", err, text)
	}
	_, text, _ = bench(scaleArgs(t.TempDir(), "--format", "json")...)
	if !json.Valid([]byte(text)) {
		t.Errorf("no JSON:\n%s", text)
	}
}

// TestScaleFailed: exit code 1 where the model failed, and the table says
// why.
func TestScaleFailed(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "specs", "broken.yaml"), "id: broken\nmodel: broken\ntitle: Broken\n")
	code, stdout, stderr := bench("scale", "broken", "--sweep", "batch=1000", "--length", "3e3", "--specs", filepath.Join(dir, "specs"), "--out", dir)
	if code != exitFailed {
		t.Errorf("exit code %d, expected %d", code, exitFailed)
	}
	if want := "score of event 1000 is NaN"; !strings.Contains(stdout, want) || !strings.Contains(stderr, "failed: batch=1000: "+want) {
		t.Errorf("no %q in\n%s%s", want, stdout, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "scale", "broken-inference-nc.svg")); err == nil {
		t.Error("a figure without points")
	}
}

// TestScaleOfAnOracle: a model that cannot be used on the stream is refused
// before anything is measured.
func TestScaleOfAnOracle(t *testing.T) {
	code, stdout, stderr := bench("scale", "oracle", "--sweep", "length=100", "--out", t.TempDir())
	if code != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, `model "oracle" knows the hidden state`) {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// stopAt cancels when a text is written.
type stopAt struct {
	bytes.Buffer
	text string
	stop context.CancelFunc
}

func (s *stopAt) Write(p []byte) (int, error) {
	if strings.Contains(string(p), s.text) {
		s.stop()
	}
	return s.Buffer.Write(p)
}

// TestScaleInterrupted: what was measured before is written.
func TestScaleInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	stderr := &stopAt{text: "[1/2]", stop: cancel}
	if code := run(ctx, scaleArgs(dir), &bytes.Buffer{}, stderr); code != exitInterrupted {
		t.Errorf("exit code %d, expected %d\n%s", code, exitInterrupted, stderr)
	}
	if want := "interrupted, 1 points were measured and are in"; !strings.Contains(stderr.String(), want) {
		t.Errorf("no %q in\n%s", want, stderr)
	}
	if strings.Contains(stderr.String(), "context") {
		t.Errorf("words of package context in\n%s", stderr)
	}
	table := read(t, dir, "scale", "user-count-inference-nc.csv")
	if n := strings.Count(table, "\n"); n != 2 {
		t.Errorf("%d lines, expected the heads and one point:\n%s", n, table)
	}
}
