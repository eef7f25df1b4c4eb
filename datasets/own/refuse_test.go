package own

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/datasets"
)

// Whatever is wrong, the message says what and where, and the data folder is
// as it was.
func TestImportRefuses(t *testing.T) {
	good := text(60)
	lines := strings.SplitAfter(good, "\n")
	lines[10], lines[11] = lines[11], lines[10]
	for _, c := range []struct {
		name, text string
		change     func(*Source)
		want       string
	}{
		{"damage", strings.Replace(good, "17.5", "x", 1), nil, "log.csv:19: column 5 (amount): found \"x\", expected a finite number"},
		{"damage in gzip", string(gzipped([]byte(strings.Replace(good, "17.5", "x", 1)))), nil, "log.csv:19: column 5 (amount)"},
		{"half a gzip file", string(gzipped([]byte(good))[:100]), nil, "log.csv is not a whole gzip file: unexpected EOF"},
		{"damaged gzip file", "\x1f\x8b\x08 this is not it", nil, "log.csv is not a whole gzip file"},
		{"half a zstd file", string(zstandard([]byte(good))[:100]), nil, "log.csv is not a whole zstd file: unexpected EOF"},
		{"junk behind gzip", string(gzipped([]byte(good))) + "junk", nil, "log.csv is not a whole gzip file: other data follows the compressed data, which `gzip -dc FILE > NEW` leaves out"},
		{"junk behind two", string(gzipped([]byte(good))) + string(gzipped(nil)) + "junk behind", nil, "other data follows the compressed data"},
		{"zeros behind gzip", string(gzipped([]byte(good))) + "\x00\x00", nil, "other data follows the compressed data"},
		{"half a second gzip file", string(gzipped([]byte(good))) + string(gzipped([]byte(good))[:9]), nil, "log.csv is not a whole gzip file: unexpected EOF"},
		{"junk behind zstd", string(zstandard([]byte(good))) + "junk", nil, "log.csv is not a whole zstd file"},
		{"a spreadsheet in gzip", string(gzipped([]byte("PK\x03\x04"))), nil, "log.csv:1: found a zip archive"},
		{"UTF-16", "\xff\xfea\x00", nil, "log.csv:1: found text in UTF-16, expected CSV text in UTF-8 (iconv"},
		{"milliseconds", strings.ReplaceAll(good, ",170", ",170000"), func(s *Source) { s.Layout.Unit = datasets.FindUnit }, "log.csv:2: column 4 (at): found 1700000000000, expected seconds or steps (such a large number seems to be ms)"},
		{"empty", "", nil, "log.csv:1: found an empty file, expected a header line and events"},
		{"a header alone", "id,payer,payee,at,amount,fraud\n", nil, "log.csv:2: found the end of the file, expected at least one event"},
		{"no such column", good, func(s *Source) { s.Layout.Label = "froud" }, `expected a column named "froud" (did you mean "fraud"?)`},
		{"unsorted", strings.Join(lines, ""), nil, "log.csv:12: column 4 (at): found 1700032400, expected a time not before the last line's 1700036000"},
		{"no positives", strings.ReplaceAll(good, ",1\n", ",0\n"), nil, "log.csv: column fraud: no positives (label 1) among the 42 events of the train part"},
		{"no negatives", strings.ReplaceAll(good, ",0\n", ",1\n"), nil, "no negatives (label 0) among the 42 events of the train part"},
		{"one class in the test part", good, func(s *Source) { s.Split.Val = .99 }, "no negatives (label 0) among the 1 events of the test part"},
		{"no classes", strings.ReplaceAll(strings.ReplaceAll(good, ",0\n", ",\n"), ",1\n", ",\n"), nil, "no positives (label 1) and no negatives (label 0)"},
		{"all at once", atOnce(good), nil, "the validation part has no events (split 70/15/15 by time), expected some; `--split-by row` splits by the number of events"},
		{"split", good, func(s *Source) { s.Split.Train = .9 }, "a split at 0.9 and 0.85, expected two shares"},
		{"split by", good, func(s *Source) { s.Split.By = "node" }, `a split by "node", expected time or row`},
		{"name", good, func(s *Source) { s.Name = "../mine" }, `the dataset: expected a name of at most 64 small letters, digits and single dashes, found "../mine"`},
		{"no name", good, func(s *Source) { s.Name = "" }, `dashes, found ""`},
		{"taken name", good, func(s *Source) { s.Name = "wikipedia" }, "the benchmark has a dataset wikipedia of its own"},
		{"no file", good, func(s *Source) { s.Files[0] += "x" }, "no such file"},
		{"a folder", good, func(s *Source) { s.Files[0] = filepath.Dir(s.Files[0]) }, "is a folder: expected a regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, src := log(t, c.text)
			if c.change != nil {
				c.change(&src)
			}
			_, err := Import(t.Context(), dir, src)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
			if left := entries(t, dir); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}

// atOnce gives all events the same time.
func atOnce(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines[1 : len(lines)-1] {
		f := strings.Split(line, ",")
		f[3] = "1700000000"
		lines[i+1] = strings.Join(f, ",")
	}
	return strings.Join(lines, "\n")
}

// A dataset that is there is not replaced, nor is anything else.
func TestImportKeepsWhatIsThere(t *testing.T) {
	dir, src := log(t, text(60))
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(t.Context(), dir, src); err == nil || !strings.Contains(err.Error(), "mine exists already; --replace imports the dataset again") {
		t.Error(err)
	}
}

// What a killed import has left behind is removed by the next one.
func TestImportCleansUp(t *testing.T) {
	dir, src := log(t, text(60))
	if err := os.MkdirAll(filepath.Join(dir, ".dgsbench", "tmp", strings.Repeat("A", 26), "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(t.Context(), dir, src); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, dir); len(got) != 1 || got[0] != "mine" {
		t.Errorf("files %v", got)
	}
}

// A dataset whose files were changed is refused.
func TestUseRefuses(t *testing.T) {
	for _, c := range []struct {
		name, file, old, new, want string
	}{
		{"events", eventsFile, "3600", "3601", "mine and import the source again"},
		{"split", descriptionFile, "train: 0.7", "train: 1.7", "expected two shares of the events"},
		{"version", descriptionFile, "version: 1", "version: 2", "version 2, expected 1; remove DIR and import the source again"},
		{"unknown key", descriptionFile, "title:", "titel:", "titel"},
		{"checksum", descriptionFile, "sha256: ", "sha256: x", "expected a SHA-256"},
		{"counts", descriptionFile, "events: 60", "events: 61", "60 events, expected 61"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, src := log(t, text(60))
			if _, err := Import(t.Context(), dir, src); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "mine", c.file)
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(content), c.old, c.new, 1)
			if changed == string(content) {
				t.Fatalf("no %q in %s", c.old, content)
			}
			if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { datasets.SetImported(nil) })
			err = Use(dir)
			if err == nil {
				d, lookupErr := datasets.Lookup("mine")
				_, err = d.Load(dir)
				err = errors.Join(lookupErr, err)
			}
			want := strings.ReplaceAll(c.want, "DIR", filepath.Dir(path))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}

// TestWindow: a packed file may take half of what is free for its window, and
// no more than the format's largest.
func TestWindow(t *testing.T) {
	for free, want := range map[int64]uint64{0: 1 << 10, 100 << 20: 50 << 20, 1 << 40: maxWindow} {
		if got := window(free, true); got != want {
			t.Errorf("with %d bytes free a window of %d, expected %d", free, got, want)
		}
	}
	if got := window(0, false); got != maxWindow {
		t.Errorf("a window of %d where nothing is known", got)
	}
}
