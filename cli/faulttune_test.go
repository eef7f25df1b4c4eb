package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/results/record"
)

// TestEditedHistories: a number that was edited is refused by every command
// that reads histories, whether the seal was left, removed or made anew; then
// the same search makes the file again from the records of its trials.
func TestEditedHistories(t *testing.T) {
	dir := workplace(t)
	args := tuneModels("raw", dir, "out", "--workers", "1")
	if code, _, stderr := bench(args...); code != exitDone {
		t.Fatal(stderr)
	}
	out := filepath.Join(dir, "out")
	before := folder(t, out)
	name := filepath.Join("tuned", "toy-nc", "raw.jsonl")
	file, text := filepath.Join(out, name), before[filepath.Join("tuned", "toy-nc", "raw.jsonl")]
	lines := strings.SplitAfter(text, "\n")
	body := strings.Join(lines[:len(lines)-2], "")
	trial := lines[3] // number 1
	edited := strings.Replace(body, trial, strings.Replace(trial, `"value":0.`, `"value":0.9`, 1), 1)
	unsealed := strings.Replace(edited, `"sealed":true,`, "", 1)
	ofRecord := "raw.jsonl:4: trial 1: not what its record " + filepath.Join(out, "tune", "toy", "nc", "raw", "seed-0-")
	for what, c := range map[string]struct{ text, want string }{
		"a number":                {edited + lines[len(lines)-2], "raw.jsonl: it was changed after it was written"},
		"without its seal":        {edited, "raw.jsonl: it was changed after it was written, by hand or by a damaged disk: its last line is gone"},
		"cut":                     {strings.Join(lines[:4], ""), "its last line is gone"},
		"lines after its seal":    {text + trial, "raw.jsonl: it was changed after it was written"},
		"sealed anew":             {string(record.Lines.Add([]byte(edited))), ofRecord},
		"as if it never had been": {unsealed, ofRecord},
	} {
		write(t, file, c.text)
		for _, args := range [][]string{args, append(args, "--dry-run"), {"report", out, filepath.Join(dir, "page.html"), "--suite", "toy", "--specs", filepath.Join(dir, "specs")}} {
			dry := len(args) > 1 && args[len(args)-1] == "--dry-run"
			if dry && c.want == ofRecord {
				continue // it reads no data, without which records cannot be told apart
			}
			code, stdout, stderr := bench(args...)
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 ||
				!strings.Contains(stderr, "remove the file: the same bench tune makes it again from the records of its trials") {
				t.Errorf("%s, bench %s: exit code %d, stdout %q, expected %q in\n%s", what, args[0], code, stdout, c.want, stderr)
			}
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := bench(args...); code != exitDone {
		t.Fatal(stderr)
	}
	after := folder(t, out)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s is not as it was before the history was edited", name)
		}
	}
}

// TestHistoryThatChangesMeanwhile: what another program writes while a search
// runs is an error at its end.
func TestHistoryThatChangesMeanwhile(t *testing.T) {
	dir := workplace(t)
	file := filepath.Join(dir, "out", "tuned", "toy-nc", "raw.jsonl")
	var stdout strings.Builder
	stderr := atLine{text: "[7/7]", do: func() { os.Remove(file) }}
	code := run(t.Context(), tuneModels("raw", dir, "out", "--workers", "1"), &stdout, &stderr)
	if code != exitFailed || stdout.Len() > 0 || !strings.Contains(stderr.String(), fmt.Sprintf("%s is not what was written", file)) {
		t.Errorf("exit code %d, stdout %q\n%s", code, stdout.String(), &stderr)
	}
}
