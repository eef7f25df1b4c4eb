package datasets

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEntriesAreComplete(t *testing.T) {
	if !slices.IsSorted(Names()) || !slices.Contains(Names(), "wikipedia") {
		t.Errorf("names %v, expected them sorted and wikipedia among them", Names())
	}
	for _, name := range Names() {
		d, err := Lookup(name)
		if err != nil || d.Name != name || d.Title == "" || d.Citation == "" || d.Licence == "" || d.URL == "" || d.Want.Events == 0 {
			t.Errorf("entry %q is not complete: %+v, error %v", name, d, err)
		}
	}
}

func TestLookupSuggests(t *testing.T) {
	_, err := Lookup("wikipdia")
	if err == nil || !strings.Contains(err.Error(), `no dataset "wikipdia" (did you mean "wikipedia"?)`) {
		t.Error(err)
	}
}

func TestRegisterRefuses(t *testing.T) {
	complete := Dataset{Name: "test", Split: ByRow(0.5, 0.7), HeldOut: SampleHeldOut(1), File: "f.csv"}
	defer delete(entries, "test")
	Register(complete)
	for what, change := range map[string]func(*Dataset){
		"a taken name":                    func(*Dataset) {},
		"an entry without name":           func(d *Dataset) { d.Name = "" },
		"an entry without a source":       func(d *Dataset) { d.Name, d.File = "other", "" },
		"an entry without a split":        func(d *Dataset) { d.Name, d.Split = "other", SplitRule{} },
		"an entry without held-out nodes": func(d *Dataset) { d.Name, d.HeldOut = "other", nil },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was registered", what)
				}
			}()
			d := complete
			change(&d)
			Register(d)
		}()
	}
}

// twoEvents is a dataset in a file that the test writes.
var twoEvents = Dataset{
	Name: "two", URL: "https://example.org/two.csv", File: "two.csv", Layout: Layout{Src: "a", Dst: "b", Time: "t"},
	SHA256: "cec183ac879d5b7bfe3175e0055384d2107665bad6c613a1ea7111e26f2f619d",
	Want:   Counts{Events: 2, Nodes: 3}, Split: ByRow(0.5, 1), HeldOut: SampleHeldOut(1),
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "two.csv"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const text = "a,b,t\nx,y,1\nx,z,2\n"
	fails := func(what string, d Dataset, want ...string) {
		t.Helper()
		_, err := d.Load(dir)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %v, want %q in it", what, err, part)
			}
		}
	}
	fails("missing", twoEvents, "no file two.csv in "+dir, "`bench data fetch two --data "+dir+"` downloads it from https://example.org/two.csv")
	if _, err := twoEvents.Load(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v is not fs.ErrNotExist", err)
	}
	made := twoEvents
	made.Obtain = "columns a,b,t"
	fails("missing, made from something", made, "make it from https://example.org/two.csv (columns a,b,t)")

	write(text)
	l, err := twoEvents.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if l.Stream.Len() != 2 || l.SHA256 != twoEvents.SHA256 || l.Split != (Split{1, 2}) {
		t.Errorf("loaded %+v", l)
	}
	unknown := twoEvents
	unknown.SHA256 = ""
	if l, err := unknown.Load(dir); err != nil || l.SHA256 != twoEvents.SHA256 {
		t.Errorf("a file without a known checksum: %v", err)
	}
	more := twoEvents
	more.Want.Nodes = 4
	fails("other counts", more, "dataset two: 3 nodes, expected 4")

	write(text + "x,z,3\n")
	fails("other checksum", twoEvents, filepath.Join(dir, "two.csv"), "expected "+twoEvents.SHA256, "https://example.org/two.csv")
	write("a,b,t\nx,y,noon\n")
	fails("damage", unknown, "two.csv:2: column 3 (t)")
}

func TestLoadFromElsewhere(t *testing.T) {
	d := twoEvents
	d.Want = Counts{Events: 6, Users: 2, Items: 3, Positives: 2, Features: 2}
	d.Open = func(string) (Stream, string, error) { return tinyStream(), "sum", nil }
	l, err := d.Load("")
	if err != nil || l.SHA256 != "sum" || l.Stream.Len() != 6 {
		t.Errorf("loaded %+v, error %v", l, err)
	}
	d.Open = func(string) (Stream, string, error) { return Stream{}, "", nil }
	if _, err := d.Load(""); err == nil {
		t.Error("a stream without events was loaded")
	}
}
