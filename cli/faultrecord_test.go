package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// anyRecord is the record of the toy's rule.
func anyRecord(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "toy", "toy", "nc", "user-count", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}

// seal is the last line of a record.
var seal = regexp.MustCompile(`,\n  "seal": "[0-9a-f]+"`)

// TestDamagedRecords: one line that names the file and what to do with it.
// Then that trial is measured again, and nothing else.
func TestDamagedRecords(t *testing.T) {
	dir := workplace(t)
	var whole undisturbed
	whole.run(t, dir)
	out := filepath.Join(dir, "whole")
	for _, c := range []struct {
		name   string
		damage func(text string) string
		want   string
	}{
		{"truncated", func(text string) string { return text[:len(text)/2] }, "unexpected end of JSON input"},
		{"empty", func(string) string { return "" }, "unexpected end of JSON input"},
		{
			"score edited",
			func(text string) string { return strings.Replace(text, `"value": 0.`, `"value": 0.9`, 1) },
			"changed after it was written",
		},
		{
			"footnote edited",
			func(text string) string { return strings.Replace(text, "simulated data", "real data", 1) },
			"changed after it was written",
		},
		{
			"spec edited, without a seal",
			func(text string) string {
				return seal.ReplaceAllString(strings.Replace(text, `"batch": 20`, `"batch": 21`, 1), "")
			},
			"is not what its name says",
		},
	} {
		file := anyRecord(t, out)
		text := read(t, file)
		damaged := c.damage(text)
		if damaged == text {
			t.Fatalf("%s: nothing is damaged", c.name)
		}
		write(t, file, damaged)
		code, stdout, stderr := bench(all(dir, "whole")...)
		if code != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 ||
			!strings.Contains(stderr, file) || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, "remove ") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q; expected one line with %q that says what to remove", c.name, code, stdout, stderr, c.want)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		whole.repair(t, c.name, dir)
	}
}

// repair runs the suite again and expects it to measure one trial.
func (u *undisturbed) repair(t *testing.T, what, dir string) {
	t.Helper()
	code, stdout, stderr := bench(all(dir, "whole")...)
	if code != exitDone || measuredBy(t, stderr) != 1 {
		t.Errorf("%s: exit code %d, expected one trial to be measured\n%s", what, code, stderr)
	}
	u.compare(t, what, stdout, filepath.Join(dir, "whole"))
}

// TestDamagedSidecars: the trial counts as not measured.
func TestDamagedSidecars(t *testing.T) {
	dir := workplace(t)
	var whole undisturbed
	whole.run(t, dir)
	sidecars, err := filepath.Glob(strings.TrimSuffix(anyRecord(t, filepath.Join(dir, "whole")), ".json") + "*.npz")
	if err != nil || len(sidecars) != 1 {
		t.Fatal(sidecars, err)
	}
	sidecar := sidecars[0]
	text := read(t, sidecar)
	for name, damage := range map[string]func(){
		"truncated": func() { write(t, sidecar, text[:len(text)/2]) },
		"altered":   func() { write(t, sidecar, text[:100]+"x"+text[101:]) },
		"removed": func() {
			if err := os.Remove(sidecar); err != nil {
				t.Fatal(err)
			}
		},
	} {
		damage()
		if _, _, stderr := bench(append([]string{"tables", "--suite", "toy"}, all(dir, "whole")[3:]...)...); !strings.Contains(stderr, "its sidecar is missing or damaged; treated as not measured") {
			t.Errorf("%s: tables do not say so:\n%s", name, stderr)
		}
		whole.repair(t, name, dir)
	}
}
