package record_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
)

// TestFactsOrError: a record has facts, or says why it has none.
func TestFactsOrError(t *testing.T) {
	r := recordtest.Write(t, record.Store{Dir: t.TempDir()}, recordtest.Trial("nc", "", "dgs", 0), recordtest.Classified())
	facts := r.Sidecar
	for what, c := range map[string]struct {
		why   string
		facts *record.Sidecar
		good  bool
	}{
		"facts": {"", facts, true}, "an error": {"no loss", nil, true}, "both": {"no loss", facts, false}, "neither": {"", nil, false},
	} {
		r.Error, r.Sidecar = c.why, c.facts
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := record.Parse("file.json", data); (err == nil) != c.good || err != nil && !strings.Contains(err.Error(), "expected a sidecar or an error, and not both") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestNamesStayBelow: no part of a key leads out of its folder, or to a hidden
// one.
func TestNamesStayBelow(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	for _, name := range []string{".", "..", ".hidden", "a/b", "a/../..", `a\b`, "", " ", "a\n", "-a", "a+b"} {
		for part, change := range map[string]func(*record.Key){
			"suite":   func(k *record.Key) { k.Suite = name },
			"dataset": func(k *record.Key) { k.Dataset = name },
			"model":   func(k *record.Key) { k.Model = name },
			"variant": func(k *record.Key) { k.Variant = name },
			"case":    func(k *record.Key) { k.Case = name },
		} {
			r := recordtest.Trial("nc", "", "dgs", 0)
			change(&r.Key)
			may := name == "" && (part == "variant" || part == "case")
			if _, _, err := s.Find(r.Key, r.Identity); (err == nil) != may {
				t.Errorf("%s %q: %v", part, name, err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	s := record.Store{Dir: f.TempDir()}
	failed := recordtest.Trial("lp", "T", "edgebank", 2)
	failed.Error = "out of memory"
	for _, r := range []record.Record{recordtest.Trial("nc", "", "dgs", 0), failed} {
		if _, err := s.Write(r, recordtest.Classified()); err != nil {
			f.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(s.Dir, r.Key.Path(recordtest.Identity)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"format": 1}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := record.Parse("file.json", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "file.json ") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("not one line that names the file: %v", err)
			}
			return
		}
		if !filepath.IsLocal(r.Key.Path(r.Identity)) {
			t.Fatalf("a path that leads elsewhere: %s", r.Key.Path(r.Identity))
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := record.Parse("again.json", again); err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
	})
}

// TestBestEpochIsOne: a record of before there were seals names an epoch that
// it has, or none.
func TestBestEpochIsOne(t *testing.T) {
	for best, ok := range map[int]bool{-2: false, -1: true, 0: true, 1: true, 2: false, 1 << 40: false} {
		r := recordtest.Trial("nc", "", "dgs", 0) // which has two
		r.Sidecar = &record.Sidecar{File: "seed-0-0123456789ab.npz", SHA256: strings.Repeat("a", 64)}
		r.Format, r.BestEpoch = record.Format, best
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		_, err = record.Parse("file.json", data)
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "of 2 epochs") {
			t.Errorf("best epoch %d: %v", best, err)
		}
	}
}
