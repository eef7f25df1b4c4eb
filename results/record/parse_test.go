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
