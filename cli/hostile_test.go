package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/internal/escapetest"
	"dgsbench/results/record"

	"github.com/vbauerster/mpb/v8"
)

// TestHostileTexts: whatever people's folders, records and arguments are
// called, the program prints and leaves text: no control characters, no markup,
// no formulas.
func TestHostileTexts(t *testing.T) {
	dir := workplace(t)
	odd := filepath.Join(dir, "=\x1b[2J\u202e\u009b<script>`|&\n# head")
	if err := os.Rename(filepath.Join(dir, "specs"), odd); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(odd, "odd.yaml"), `name: odd
title: "<script>alert(1)</script> =1 [x](javascript:alert(1)) `+"`code`"+`"
protocol: {batch: 20, epochs: 1}
seeds: 2
runs:
  - {task: nc, datasets: [toy], models: [user-count, raw]}
  - {task: lp, settings: [T], datasets: [toy], models: [recency-pop, edgebank]}
  - {task: nc, datasets: [toy], models: [raw, user-count], protocol: {latency: {batches: 20, iterations: 3, lead: 40}}}
tables:
  show: [nc, lp, auc-runtime, latency, datasets]
`)
	args := []string{"--suite", "odd", "--data", filepath.Join(dir, "data"), "--specs", odd, "--out", filepath.Join(dir, "out")}
	measure(t, append([]string{"all"}, args...)...)
	rename(t, record.Store{Dir: filepath.Join(dir, "out")})
	for _, command := range [][]string{
		{"all"}, {"tables"}, {"tables", "--format", "markdown"}, {"tables", "--format", "latex"}, {"tables", "--format", "html"}, {"tables", "--format", "csv"},
		{"results"}, {"results", "--format", "json"}, {"report"}, {"plan", "--dry-run"},
	} {
		printed(t, exitDone, append(command, args...)...)
	}
	const hostile = escapetest.Hostile
	for _, command := range [][]string{
		{hostile}, {"--" + hostile}, {"all", "--suite", hostile}, {"all", "--out", hostile[:6], "--seeds", hostile}, {"data", "stats", hostile},
		{"tables", odd + "/none.yaml"}, {"report", hostile}, {"data", "import", hostile}, {"models", "--specs", odd + "none"}, {"spec", "show", hostile},
	} {
		printed(t, exitUsage, command...)
	}
	left, err := filepath.Glob(filepath.Join(dir, "out", "odd", "[^.]*.*"))
	if err != nil || len(left) < 8 {
		t.Fatal(left, err)
	}
	for _, file := range left {
		checkLeft(t, file, read(t, file))
	}
}

// printed runs a process, which must print nothing but text.
func printed(t *testing.T, code int, args ...string) {
	t.Helper()
	cmd, out, err := process(strings.Split(strings.ReplaceAll(strings.Join(args, "\xfe"), "\x00", ""), "\xfe")...)
	_ = cmd.Run() // the exit code tells
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("%q: exit code %d, expected %d\n%s", args, got, code, err)
	}
	escapetest.Plain(t, "standard output", out.String())
	escapetest.Plain(t, "standard error", err.String())
}

func checkLeft(t *testing.T, file, text string) {
	t.Helper()
	switch filepath.Ext(file) {
	case ".png":
		return
	case ".svg":
		text = strings.ReplaceAll(text, "\t", "")
	case ".html":
		shape := escapetest.Shape(t, text)
		scripts := strings.Count(shape, "StartTag script\n")
		if strings.HasSuffix(file, "report.html") {
			scripts-- // its own, which sorts
		}
		if scripts != 0 || strings.Contains(shape, "StartTag img") || strings.Contains(shape, " onerror") {
			t.Errorf("%s: a text is markup", file)
		}
	case ".csv":
		if bytes.Contains([]byte(text), []byte("\n=")) || strings.Contains(text, ",=") {
			t.Errorf("%s has a formula:\n%s", file, text)
		}
	}
	escapetest.Plain(t, file, text)
}

// rename gives everything in records that is a text another one.
func rename(t *testing.T, s record.Store) {
	t.Helper()
	records, _, err := s.Load("odd")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		const hostile = escapetest.Hostile
		r.ModelTitle, r.DatasetTitle, r.Machine, r.CodeVersion, r.Footnotes = hostile, hostile, hostile, hostile, []string{hostile}
		if r.Latency != nil {
			times, err := s.Times(r)
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Latency.Timings {
				r.Latency.Timings[i].Warnings = []string{hostile}
			}
			if _, err = s.Write(r, times); err != nil {
				t.Fatal(err)
			}
			continue
		}
		facts, err := s.Facts(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Write(r, facts); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHostileStatistics: a title is one line of `bench data stats`.
func TestHostileStatistics(t *testing.T) {
	stats := func(text string) string {
		d := datasets.Dataset{Title: text, Citation: text, Licence: text, URL: text, Notes: []string{text}}
		var out bytes.Buffer
		if err := printStats(&out, &datasets.Loaded{Dataset: d}, datasets.Stats{}); err != nil {
			t.Fatal(err)
		}
		escapetest.Plain(t, "the statistics", out.String())
		return out.String()
	}
	if got, want := strings.Count(stats(escapetest.Hostile), "\n"), strings.Count(stats(escapetest.Harmless), "\n"); got != want {
		t.Errorf("%d lines, expected %d", got, want)
	}
}

// TestHostileFailure: a message above the bar of a terminal is text.
func TestHostileFailure(t *testing.T) {
	var out bytes.Buffer
	b := bar{container: mpb.New(mpb.WithOutput(&out), mpb.WithAutoRefresh())}
	b.finished(escapetest.Hostile, escapetest.Hostile, "", 0)
	b.container.Wait()
	if !strings.Contains(out.String(), "failed: =1+1") {
		t.Errorf("printed %q", out.String())
	}
	escapetest.Plain(t, "the message", out.String())
}
