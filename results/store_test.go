package results_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dgsbench/metrics"
	"dgsbench/results"
)

const identity = "0123456789abcdef0123456789abcdef"

// record is a finished trial of a learned model.
func record(task, setting, model string, seed uint64) results.Record {
	return results.Record{
		Key: results.Key{
			CellKey: results.CellKey{Suite: "made-up", Dataset: "mooc", Task: task, Setting: setting, Model: model},
			Seed:    seed,
		},
		Identity: identity, Numerics: 2, Origins: json.RawMessage(`{"alpha": "default"}`), Spec: json.RawMessage(`{"alpha": 0.5, "seed": ` + string('0'+rune(seed)) + `}`),
		DataChecksum: "feed", CodeVersion: "v0", Machine: "a machine", Device: "cpu", Threads: 2,
		ModelClass: results.Learned, ModelTitle: "A model", DatasetTitle: "MOOC", PaperName: "MOOC", NumParams: 7,
		Footnotes: []string{"simulated data"}, BestEpoch: 1,
		Epochs:    []results.Epoch{{Loss: 0.7, Validation: results.Absent(), Seconds: 1.5}, {Loss: 0.6, Validation: 0.25}},
		Durations: results.Durations{Train: 3, Test: 1, Total: 4},
	}
}

func scores(values ...float32) metrics.Facts {
	f := metrics.Facts{Score: values, Label: make([]int8, len(values))}
	for k := range f.Label {
		f.Label[k] = int8(k%3) - 1
	}
	return f
}

func classified() results.Observed {
	return results.Observed{
		{Split: results.Validation}: scores(1, 2, 3, 4, 2, 1, 7),
		{Split: results.Test}:       scores(0.5, -1, 3, 3, 1, 0, 2, 2, 4),
	}
}

func ranking() results.Observed {
	o := results.Observed{}
	for i, split := range []string{results.Validation, results.Test} {
		for j, candidates := range []string{results.AllNodes, results.Destinations} {
			k := int32(2*i + j)
			o[results.Part{Split: split, Candidates: candidates}] = metrics.Facts{
				Greater: []int32{k, 9, 0, 3}, Equal: []int32{0, 1, k, 20},
			}
		}
	}
	return o
}

func write(t *testing.T, s results.Store, r results.Record, o results.Observed) {
	t.Helper()
	if _, err := s.Write(r, o); err != nil {
		t.Fatal(err)
	}
}

func TestRecordsComeBackAsWritten(t *testing.T) {
	s := results.Store{Dir: t.TempDir()}
	for _, c := range []struct {
		record results.Record
		facts  results.Observed
	}{
		{record("nc", "", "dgs", 3), classified()},
		{record("lp", "I", "dgs", 3), ranking()},
		{record("lp", "T", "dgs", 3), results.Observed{{Split: results.Test, Candidates: results.AllNodes}: {}}},
	} {
		write(t, s, c.record, c.facts)
		got, found, err := s.Find(c.record.Key, identity)
		if err != nil || !found {
			t.Fatalf("%s: found %v, %v", c.record.Key, found, err)
		}
		facts, err := s.Facts(got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.facts, facts, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		if want := 2 * len(c.facts); len(got.Scores) != want {
			t.Errorf("%d scores, want %d", len(got.Scores), want)
		}
		want := c.record
		want.Format, want.Scores, want.Sidecar = results.Format, got.Scores, got.Sidecar
		numbers := cmp.Comparer(func(a, b results.Number) bool { return a == b || !a.Present() && !b.Present() })
		compact := cmp.Transformer("compact", func(m json.RawMessage) string {
			var b bytes.Buffer
			if err := json.Compact(&b, m); err != nil {
				t.Fatal(err)
			}
			return b.String()
		})
		if diff := cmp.Diff(want, got, numbers, cmpopts.IgnoreUnexported(results.Record{}), compact); diff != "" {
			t.Error(diff)
		}
	}
}

func TestScoresAreTheMetricsOfTheFacts(t *testing.T) {
	s := results.Store{Dir: t.TempDir()}
	write(t, s, record("nc", "", "dgs", 0), classified())
	r, _, err := s.Find(record("nc", "", "dgs", 0).Key, identity)
	if err != nil {
		t.Fatal(err)
	}
	auc, _ := metrics.Lookup("auc")
	want, _ := auc.Value(classified()[results.Part{Split: results.Test}])
	for _, score := range r.Scores {
		if score.Split == results.Test && score.Metric == "auc" && float64(score.Value) != want {
			t.Errorf("recorded %v, want %v", score.Value, want)
		}
	}
}

func TestPathFollowsFromKeyAndIdentity(t *testing.T) {
	key := record("lp", "T", "edgebank", 4).Key
	key.Variant = "tw"
	if got, want := key.Path(identity), "made-up/mooc/lp-T/edgebank+tw/seed-4-0123456789ab.json"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	key = record("nc", "", "dgs", 0).Key
	if got, want := key.Path(identity), "made-up/mooc/nc/dgs/seed-0-0123456789ab.json"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSameTrialSameBytes(t *testing.T) {
	a, b := results.Store{Dir: t.TempDir()}, results.Store{Dir: t.TempDir()}
	r := record("lp", "T", "dgs", 1)
	write(t, a, r, ranking())
	write(t, b, r, ranking())
	for _, ending := range []string{".json", ".npz"} {
		name := strings.TrimSuffix(r.Key.Path(identity), ".json") + ending
		x, err := os.ReadFile(filepath.Join(a.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs between two writes", name)
		}
	}
}

func TestFailedTrialHasNoSidecar(t *testing.T) {
	s := results.Store{Dir: t.TempDir()}
	r := record("nc", "", "dgs", 0)
	r.Error = "score of event 3 is NaN"
	write(t, s, r, nil)
	got, found, err := s.Find(r.Key, identity)
	if err != nil || !found || !got.Failed() || got.Sidecar != nil {
		t.Errorf("found %v, %v, record %+v", found, err, got)
	}
}

func TestResumeNeedsAWholeTrial(t *testing.T) {
	r := record("nc", "", "dgs", 0)
	sidecar := strings.TrimSuffix(r.Key.Path(identity), ".json") + ".npz"
	for name, c := range map[string]struct {
		damage func(dir string) error
		found  bool
	}{
		"untouched":       {func(string) error { return nil }, true},
		"no record":       {func(dir string) error { return os.Remove(filepath.Join(dir, r.Key.Path(identity))) }, false},
		"no sidecar":      {func(dir string) error { return os.Remove(filepath.Join(dir, sidecar)) }, false},
		"another sidecar": {func(dir string) error { return os.WriteFile(filepath.Join(dir, sidecar), []byte("PK"), 0o644) }, false},
		"temporary file": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, r.Key.Path(identity)+".tmp-17"), []byte("{"), 0o644)
		}, true},
	} {
		s := results.Store{Dir: t.TempDir()}
		write(t, s, r, classified())
		if err := c.damage(s.Dir); err != nil {
			t.Fatal(err)
		}
		_, found, err := s.Find(r.Key, identity)
		if err != nil || found != c.found {
			t.Errorf("%s: found %v, %v; want %v", name, found, err, c.found)
		}
		records, incomplete, err := s.Load("")
		if err != nil || (len(records) == 1) != c.found {
			t.Errorf("%s: loaded %d records, %v", name, len(records), err)
		}
		if missing := strings.Contains(name, "sidecar"); (len(incomplete) == 1) != missing {
			t.Errorf("%s: incomplete %v", name, incomplete)
		}
	}
}

func TestForeignFilesAreNamed(t *testing.T) {
	r := record("nc", "", "dgs", 0)
	other := record("nc", "", "raw", 0)
	for name, c := range map[string]struct {
		content func(dir string) ([]byte, error)
		want    string
	}{
		"damaged":       {func(string) ([]byte, error) { return []byte(`{"format": 1, "key"`), nil }, "is not a trial record"},
		"foreign":       {func(string) ([]byte, error) { return []byte(`{"accuracy": 1}`), nil }, "no format number"},
		"newer":         {func(string) ([]byte, error) { return []byte(`{"format": 99}`), nil }, "format 99, expected 1"},
		"unknown field": {func(string) ([]byte, error) { return []byte(`{"format": 1, "acuracy": 1}`), nil }, "acuracy"},
		"misplaced": {func(dir string) ([]byte, error) {
			return os.ReadFile(filepath.Join(dir, other.Key.Path(identity)))
		}, "belongs at"},
	} {
		s := results.Store{Dir: t.TempDir()}
		write(t, s, other, classified())
		data, err := c.content(s.Dir)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(s.Dir, r.Key.Path(identity))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{
			"Load": func() error { _, _, err := s.Load(""); return err }(),
			"Find": func() error { _, _, err := s.Find(r.Key, identity); return err }(),
		} {
			if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: got %v, want %q and the file's name", name, what, err, c.want)
			}
		}
	}
}

func TestLoadLeavesOtherFilesAlone(t *testing.T) {
	s := results.Store{Dir: t.TempDir()}
	write(t, s, record("nc", "", "dgs", 0), classified())
	for _, name := range []string{"rows.json", "made-up/tables.md", "made-up/mooc/nc/dgs/notes.txt"} {
		if err := os.WriteFile(filepath.Join(s.Dir, name), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if records, _, err := s.Load(""); err != nil || len(records) != 1 {
		t.Errorf("%d records, %v; want 1", len(records), err)
	}
	empty := results.Store{Dir: filepath.Join(s.Dir, "none")}
	if records, _, err := empty.Load(""); err != nil || len(records) != 0 {
		t.Errorf("a folder that does not exist: %d records, %v", len(records), err)
	}
}

func TestWriteRefusesWhatCannotBeRead(t *testing.T) {
	for name, change := range map[string]func(*results.Record, results.Observed){
		"suite \"../elsewhere\"": func(r *results.Record, _ results.Observed) { r.Key.Suite = "../elsewhere" },
		"setting \"T\"":          func(r *results.Record, _ results.Observed) { r.Key.Setting = "T" },
		"identity \"xyz\"":       func(r *results.Record, _ results.Observed) { r.Identity = "xyz" },
		"model_class \"big\"":    func(r *results.Record, _ results.Observed) { r.ModelClass = "big" },
		"label 5": func(_ *results.Record, o results.Observed) {
			o[results.Part{Split: results.Test}].Label[0] = 5
		},
	} {
		s := results.Store{Dir: t.TempDir()}
		r, o := record("nc", "", "dgs", 0), classified()
		change(&r, o)
		if _, err := s.Write(r, o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
		if left, _ := filepath.Glob(filepath.Join(s.Dir, "*")); len(left) > 0 {
			t.Errorf("%s: left %v behind", name, left)
		}
	}
}
