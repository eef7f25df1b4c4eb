package own

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/protocol"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
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
	return t.TempDir(), Source{Files: []string{file}, Name: "mine", Layout: payments, Split: DefaultSplit}
}

func diff(want, got datasets.Stream) string {
	return cmp.Diff(want, got, cmp.AllowUnexported(datasets.Stream{}), cmpopts.EquateEmpty())
}

// lookup uses the data folder and loads a dataset of it.
func lookup(t *testing.T, dir, name string) *datasets.Loaded {
	t.Helper()
	t.Cleanup(func() { datasets.SetImported(nil) })
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
	made, err := Import(t.Context(), dir, src)
	if err != nil {
		t.Fatal(err)
	}
	want, err := datasets.ReadFile(src.Files[0], payments)
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
	p, err := made.Parts(datasets.Cut{Setting: protocol.Transductive, NeedFeatures: true})
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
	plain, err := Import(t.Context(), dir, src)
	if err != nil {
		t.Fatal(err)
	}
	halves := func(data []byte) []byte { // two members, one behind the other
		return append(gzipped(data[:len(data)/2]), gzipped(data[len(data)/2:])...)
	}
	for name, pack := range map[string]func([]byte) []byte{"gz": gzipped, "zst": zstandard, "gz-gz": halves} {
		src.Name = name
		if err := os.WriteFile(src.Files[0], pack([]byte(text(60))), 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := Import(t.Context(), dir, src)
		if err != nil {
			t.Fatal(err)
		}
		if l.SHA256 != plain.SHA256 {
			t.Errorf("%s: another identity", name)
		}
		if got := entries(t, filepath.Join(dir, name)); !cmp.Equal(got, []string{".cache", descriptionFile, eventsFile, nodesFile}) {
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
		l, err := Import(t.Context(), dir, other)
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

// Names of one folder are forgotten with the next, and none hides a dataset
// of the benchmark.
func TestUse(t *testing.T) {
	dir, src := log(t, text(60))
	if _, err := Import(t.Context(), dir, src); err != nil {
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
	if _, err := Import(t.Context(), dir, src); err != nil {
		t.Fatal(err)
	}
	lookup(t, dir, "mine") // whatever is wrong with its neighbour
	d, err := datasets.Lookup("mooc")
	if err != nil {
		t.Fatal(err)
	}
	_, loadErr := d.Load(dir)
	for _, err := range []error{loadErr, d.Verify(dir)} {
		if err == nil || !strings.Contains(err.Error(), "dataset mooc of its own; rename the folder") {
			t.Error(err)
		}
	}
	if err := Use(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if d, err := datasets.Lookup("mooc"); err != nil || d.Damaged != nil {
		t.Errorf("the benchmark's own one in another folder: %v, %v", err, d.Damaged)
	}
}
