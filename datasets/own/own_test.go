package own

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/datasets"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

var payments = datasets.Layout{Src: "payer", Dst: "payee", Time: "at", Label: "fraud", Features: []string{"amount"}, Separator: datasets.FindSeparator}

// text is a log of n events, one an hour, every third of them positive.
func text(n int) string {
	var b strings.Builder
	b.WriteString("id,payer,payee,at,amount,fraud\n")
	for k := range n {
		fmt.Fprintf(&b, "%d,\"p %d\",q%d,%d,%d.5,%d\n", k, k%7, k%5, 1_700_000_000+3600*k, k, k%3/2)
	}
	return b.String()
}

// log writes the file to import and names the source.
func log(t *testing.T, content string) (dir string, src Source) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "log.csv")
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return t.TempDir(), Source{File: file, Name: "mine", Layout: payments, Split: DefaultSplit}
}

func diff(want, got datasets.Stream) string {
	return cmp.Diff(want, got, cmp.AllowUnexported(datasets.Stream{}), cmpopts.EquateEmpty())
}

// lookup uses the data folder and loads a dataset of it.
func lookup(t *testing.T, dir, name string) *datasets.Loaded {
	t.Helper()
	t.Cleanup(func() { _ = datasets.SetImported(nil) })
	if err := Use(dir); err != nil {
		t.Fatal(err)
	}
	d, err := datasets.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestImport(t *testing.T) {
	dir, src := log(t, text(60))
	src.Title = "Payments"
	made, err := Import(dir, src)
	if err != nil {
		t.Fatal(err)
	}
	want, err := datasets.ReadFile(src.File, payments, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // parsed, and from the cache
		l := lookup(t, dir, "mine")
		if d := diff(want, l.Stream); d != "" {
			t.Errorf("the file (-) and the dataset (+):\n%s", d)
		}
		if l.SHA256 != made.SHA256 || l.Split != made.Split || l.Dataset.Title != "Payments" || !l.Dataset.Labelled {
			t.Errorf("imported %s %v, loaded %s %v, %q", made.SHA256, made.Split, l.SHA256, l.Split, l.Dataset.Title)
		}
	}
	p, err := made.Parts(datasets.Transductive, true)
	if err != nil {
		t.Fatal(err)
	}
	mean := float32(0)
	for k := range p.Train.Len() {
		mean += p.Train.Features(k)[0] / float32(p.Train.Len())
	}
	if math.Abs(float64(mean)) > 1e-6 || p.Whole.NumFeat != 1 {
		t.Errorf("mean %v of %d features, expected standardised ones", mean, p.Whole.NumFeat)
	}
}

// The same events are the same dataset, however they were written down.
func TestImportCompressed(t *testing.T) {
	dir, src := log(t, text(60))
	plain, err := Import(dir, src)
	if err != nil {
		t.Fatal(err)
	}
	for name, pack := range map[string]func([]byte) []byte{"gz": gzipped, "zst": zstandard} {
		src.Name = name
		if err := os.WriteFile(src.File, pack([]byte(text(60))), 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := Import(dir, src)
		if err != nil {
			t.Fatal(err)
		}
		if l.SHA256 != plain.SHA256 {
			t.Errorf("%s: another identity", name)
		}
		if got := entries(t, filepath.Join(dir, name)); !cmp.Equal(got, []string{descriptionFile, eventsFile}) {
			t.Errorf("%s: files %v", name, got)
		}
	}
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func zstandard(data []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return w.EncodeAll(data, nil)
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

// Results of another split, or of nodes kept apart, are other results.
func TestIdentity(t *testing.T) {
	dir, src := log(t, text(60))
	seen := map[string]string{}
	for name, change := range map[string]func(*Source){
		"plain":     func(*Source) {},
		"split":     func(s *Source) { s.Split.Train = .6 },
		"by-row":    func(s *Source) { s.Split.By = "row" },
		"bipartite": func(s *Source) { s.Layout.Bipartite = true },
		"no-label":  func(s *Source) { s.Layout.Label = "" },
		"features":  func(s *Source) { s.Layout.Features = nil },
	} {
		other := src
		other.Name = name
		change(&other)
		l, err := Import(dir, other)
		if err != nil {
			t.Fatal(err)
		}
		if same, ok := seen[l.SHA256]; ok {
			t.Errorf("%s and %s are told apart by nothing", name, same)
		}
		seen[l.SHA256] = name
		if got := lookup(t, dir, name).SHA256; got != l.SHA256 {
			t.Errorf("%s: imported as %s, loaded as %s", name, l.SHA256, got)
		}
	}
}

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
		{"empty", "", nil, "log.csv:1: found nothing, expected a header line"},
		{"no such column", good, func(s *Source) { s.Layout.Label = "froud" }, `expected a column named "froud" (did you mean "fraud"?)`},
		{"unsorted", strings.Join(lines, ""), nil, "log.csv:12: column 4 (at): found 1700032400, expected a time not before the last line's 1700036000"},
		{"no positives", strings.ReplaceAll(good, ",1\n", ",0\n"), nil, "log.csv: column fraud: no positives (label 1) among the 42 events of the train part"},
		{"no negatives", strings.ReplaceAll(good, ",0\n", ",1\n"), nil, "no negatives (label 0) among the 42 events of the train part"},
		{"one class in the test part", good, func(s *Source) { s.Split.Val = .99 }, "no negatives (label 0) among the 1 events of the test part"},
		{"no classes", strings.ReplaceAll(strings.ReplaceAll(good, ",0\n", ",\n"), ",1\n", ",\n"), nil, "no positives (label 1) and no negatives (label 0)"},
		{"all at once", regular(good), nil, "the validation part has no events (split 70/15/15 by time)"},
		{"split", good, func(s *Source) { s.Split.Train = .9 }, "a split at 0.9 and 0.85, expected two shares"},
		{"split by", good, func(s *Source) { s.Split.By = "node" }, `a split by "node", expected time or row`},
		{"name", good, func(s *Source) { s.Name = "../mine" }, `the name "../mine", expected small letters`},
		{"no name", good, func(s *Source) { s.Name = "" }, `the name "", expected small letters`},
		{"taken name", good, func(s *Source) { s.Name = "wikipedia" }, "the benchmark has a dataset wikipedia of its own"},
		{"no file", good, func(s *Source) { s.File += "x" }, "no such file"},
		{"a folder", good, func(s *Source) { s.File = filepath.Dir(s.File) }, "is a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, src := log(t, c.text)
			if c.change != nil {
				c.change(&src)
			}
			_, err := Import(dir, src)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
			if left := entries(t, dir); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}

// regular gives all events the same time.
func regular(text string) string {
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
	if _, err := Import(dir, src); err == nil || !strings.Contains(err.Error(), "mine is there already; remove it") {
		t.Error(err)
	}
}

// What a killed import has left behind is removed by the next one.
func TestImportCleansUp(t *testing.T) {
	dir, src := log(t, text(60))
	if err := os.MkdirAll(filepath.Join(dir, "mine.tmp-999999999-1", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(dir, src); err != nil {
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
		{"events", eventsFile, "3600", "3601", "it is damaged or another version"},
		{"split", descriptionFile, "train: 0.7", "train: 1.7", "expected two shares of the events"},
		{"version", descriptionFile, "version: 1", "version: 2", "version 2, expected 1: import the dataset again"},
		{"unknown key", descriptionFile, "title:", "titel:", "titel"},
		{"checksum", descriptionFile, "sha256: ", "sha256: x", "expected a SHA-256"},
		{"counts", descriptionFile, "events: 60", "events: 61", "60 events, expected 61"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, src := log(t, text(60))
			if _, err := Import(dir, src); err != nil {
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
			t.Cleanup(func() { _ = datasets.SetImported(nil) })
			err = Use(dir)
			if err == nil {
				d, lookupErr := datasets.Lookup("mine")
				_, err = d.Load(dir)
				err = errors.Join(lookupErr, err)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// Names of one folder are forgotten with the next, and none hides a dataset
// of the benchmark.
func TestUse(t *testing.T) {
	dir, src := log(t, text(60))
	if _, err := Import(dir, src); err != nil {
		t.Fatal(err)
	}
	lookup(t, dir, "mine")
	for _, other := range []string{t.TempDir(), filepath.Join(dir, "missing")} {
		if err := Use(other); err != nil {
			t.Fatal(err)
		}
		if _, err := datasets.Lookup("mine"); err == nil {
			t.Error("a dataset of another folder is known")
		}
	}
	if err := os.Rename(filepath.Join(dir, "mine"), filepath.Join(dir, "mooc")); err != nil {
		t.Fatal(err)
	}
	if err := Use(dir); err == nil || !strings.Contains(err.Error(), "dataset mooc of its own; rename the folder") {
		t.Error(err)
	}
}

// events.csv gives the same stream again, bit for bit.
func TestEventsComeBack(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		d := description{Bipartite: rapid.Bool().Draw(t, "bipartite"), Labelled: rapid.Bool().Draw(t, "labelled")}
		features := rapid.IntRange(0, 3).Draw(t, "features")
		d.Features = make([]string, features)
		var text bytes.Buffer
		text.WriteString("src,dst,time")
		if d.Labelled {
			text.WriteString(",label")
		}
		for i := range features {
			text.WriteString("," + colFeature(i))
		}
		at := rapid.Float64Range(-1e12, 1e12).Draw(t, "start")
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			at += rapid.Float64Range(0, 1e9).Draw(t, "gap")
			fmt.Fprintf(&text, "\n%d,%d,%v", rapid.IntRange(0, 9).Draw(t, "src"), rapid.IntRange(0, 9).Draw(t, "dst"), at)
			if d.Labelled {
				fmt.Fprintf(&text, ",%d", rapid.IntRange(-1, 1).Draw(t, "label"))
			}
			for range features {
				fmt.Fprintf(&text, ",%v", rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32).Draw(t, "feature"))
			}
		}
		want := reread(t, dir, text.Bytes(), d)
		text.Reset()
		if err := writeEvents(&text, want, d.Labelled); err != nil {
			t.Fatal(err)
		}
		if d := diff(want, reread(t, dir, text.Bytes(), d)); d != "" {
			t.Fatal(d)
		}
	})
}

func reread(t *rapid.T, dir string, text []byte, d description) datasets.Stream {
	t.Helper()
	path := filepath.Join(dir, "events.csv")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := datasets.ReadFile(path, d.layout(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// FuzzDescription: any text is a sound description or refused.
func FuzzDescription(f *testing.F) {
	f.Add("version: 1\ntitle: x\nsplit: {train: 0.7, val: 0.85, by: time}\nbipartite: false\nlabelled: true\nfeatures: [a]\ncounts: {events: 3}\nsha256: " + strings.Repeat("0", 64) + "\n")
	f.Add("version: 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parseDescription("dataset.yaml", []byte(text))
		if err != nil {
			return
		}
		if entry, err := d.dataset("mine"); err != nil || entry.Split == (datasets.SplitRule{}) {
			t.Errorf("%+v: %v", d, err)
		}
	})
}

// FuzzPlain: any file is unpacked or refused.
func FuzzPlain(f *testing.F) {
	f.Add(gzipped([]byte("a,b,t\n")))
	f.Add(zstandard([]byte("a,b,t\n")))
	f.Add([]byte("a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		file := filepath.Join(dir, "log")
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		path, err := plain(file, dir)
		if err == nil && path == file && bytes.HasPrefix(data, formats[0].magic) {
			t.Error("a compressed file was taken for a plain one")
		}
	})
}
