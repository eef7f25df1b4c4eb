package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
)

func TestRecordsComeBackAsWritten(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	daily, days := recordtest.Trial("nc", "", "daily", 3), recordtest.Classified()
	daily.LogOdds = true
	daily.Data = &record.Data{Events: 100, Parts: []record.DataPart{{Events: 84, Days: []int32{0, 7}}, {Events: 7, Days: []int32{0, 6}}, {Events: 9, Days: []int32{0, 0, 8}}}}
	for part, f := range days {
		f.LogOdds, f.Days = true, []int32{0, 6}
		if part.Split == protocol.Test {
			f.Days = []int32{0, 0, 8}
		}
		days[part] = f
	}
	for _, c := range []struct {
		record record.Record
		facts  record.Observed
	}{
		{recordtest.Trial("nc", "", "dgs", 3), recordtest.Classified()},
		{daily, days},
		{recordtest.Trial("lp", "I", "dgs", 3), recordtest.Ranking()},
		{recordtest.Trial("lp", "T", "dgs", 3), record.Observed{{Split: protocol.Test, Candidates: protocol.AllNodes}: {}}},
	} {
		recordtest.Write(t, s, c.record, c.facts)
		got, found, err := s.Find(c.record.Key, recordtest.Identity)
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
		if want := len(metrics.Of(got.Key.Task)) * len(c.facts); len(got.Scores) != want {
			t.Errorf("%d scores, want %d", len(got.Scores), want)
		}
		want := c.record
		want.Format, want.Scores, want.Sidecar = record.Format, got.Scores, got.Sidecar
		numbers := cmp.Comparer(func(a, b optional.Number) bool { return a == b || !a.Present() && !b.Present() })
		compact := cmp.Transformer("compact", func(m json.RawMessage) string {
			var b bytes.Buffer
			if err := json.Compact(&b, m); err != nil {
				t.Fatal(err)
			}
			return b.String()
		})
		if diff := cmp.Diff(want, got, numbers, cmpopts.IgnoreUnexported(record.Record{}), compact); diff != "" {
			t.Error(diff)
		}
	}
}

func TestScoresAreTheMetricsOfTheFacts(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	recordtest.Write(t, s, recordtest.Trial("nc", "", "dgs", 0), recordtest.Classified())
	r, _, err := s.Find(recordtest.Trial("nc", "", "dgs", 0).Key, recordtest.Identity)
	if err != nil {
		t.Fatal(err)
	}
	auc, _ := metrics.Lookup("auc")
	want, _ := auc.Value(recordtest.Classified()[record.Part{Split: protocol.Test}])
	for _, score := range r.Scores {
		if score.Split == protocol.Test && score.Metric == "auc" && float64(score.Value) != want {
			t.Errorf("recorded %v, want %v", score.Value, want)
		}
	}
}

func TestPathFollowsFromKeyAndIdentity(t *testing.T) {
	key := recordtest.Trial("lp", "T", "edgebank", 4).Key
	key.Variant = "tw"
	if got, want := key.Path(recordtest.Identity), "made-up/mooc/lp-T/edgebank+tw/seed-4-0123456789ab.json"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	key = recordtest.Trial("nc", "", "dgs", 0).Key
	if got, want := key.Path(recordtest.Identity), "made-up/mooc/nc/dgs/seed-0-0123456789ab.json"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// sidecarOf is where the facts of a trial lie below the store's folder.
func sidecarOf(t *testing.T, s record.Store, r record.Record) string {
	t.Helper()
	found, _, err := s.Find(r.Key, r.Identity)
	if err != nil || found.Sidecar == nil {
		t.Fatalf("no record with facts: %v", err)
	}
	return filepath.Join(filepath.FromSlash(r.Key.Folder()), found.Sidecar.File)
}

func TestSameTrialSameBytes(t *testing.T) {
	a, b := record.Store{Dir: t.TempDir()}, record.Store{Dir: t.TempDir()}
	r := recordtest.Trial("lp", "T", "dgs", 1)
	recordtest.Write(t, a, r, recordtest.Ranking())
	recordtest.Write(t, b, r, recordtest.Ranking())
	for _, name := range []string{r.Key.Path(recordtest.Identity), sidecarOf(t, a, r)} {
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
	s := record.Store{Dir: t.TempDir()}
	r := recordtest.Trial("nc", "", "dgs", 0)
	r.Error = "score of event 3 is NaN"
	recordtest.Write(t, s, r, nil)
	got, found, err := s.Find(r.Key, recordtest.Identity)
	if err != nil || !found || !got.Failed() || got.Sidecar != nil {
		t.Errorf("found %v, %v, record %+v", found, err, got)
	}
}

// TestWrittenAgain: a trial that is measured again has its new facts beside its
// record and no others, also if they are the same.
func TestWrittenAgain(t *testing.T) {
	r := recordtest.Trial("nc", "", "dgs", 0)
	other := recordtest.Classified()
	other[record.Part{Split: protocol.Test}].Score[0]++
	for name, facts := range map[string]record.Observed{"the same": recordtest.Classified(), "others": other} {
		s := record.Store{Dir: t.TempDir()}
		recordtest.Write(t, s, r, recordtest.Classified())
		recordtest.Write(t, s, r, facts)
		got, found, err := s.Find(r.Key, recordtest.Identity)
		if err != nil || !found {
			t.Fatalf("%s: found %v, %v", name, found, err)
		}
		observed, err := s.Facts(got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(facts, observed, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		files, err := os.ReadDir(filepath.Join(s.Dir, filepath.FromSlash(r.Key.Folder())))
		if err != nil || len(files) != 2 {
			t.Errorf("%s: %d files, %v", name, len(files), err)
		}
	}
}

func TestResumeNeedsAWholeTrial(t *testing.T) {
	r := recordtest.Trial("nc", "", "dgs", 0)
	made := record.Store{Dir: t.TempDir()}
	recordtest.Write(t, made, r, recordtest.Classified())
	sidecar := sidecarOf(t, made, r)
	for name, c := range map[string]struct {
		damage func(dir string) error
		found  bool
	}{
		"untouched":       {func(string) error { return nil }, true},
		"no record":       {func(dir string) error { return os.Remove(filepath.Join(dir, r.Key.Path(recordtest.Identity))) }, false},
		"no sidecar":      {func(dir string) error { return os.Remove(filepath.Join(dir, sidecar)) }, false},
		"another sidecar": {func(dir string) error { return os.WriteFile(filepath.Join(dir, sidecar), []byte("PK"), 0o644) }, false},
		"temporary file": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, r.Key.Path(recordtest.Identity)+".tmp-17"), []byte("{"), 0o644)
		}, true},
	} {
		s := record.Store{Dir: t.TempDir()}
		recordtest.Write(t, s, r, recordtest.Classified())
		if err := c.damage(s.Dir); err != nil {
			t.Fatal(err)
		}
		_, found, err := s.Find(r.Key, recordtest.Identity)
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
	r := recordtest.Trial("nc", "", "dgs", 0)
	other := recordtest.Trial("nc", "", "raw", 0)
	for name, c := range map[string]struct {
		content func(dir string) ([]byte, error)
		want    string
	}{
		"damaged":       {func(string) ([]byte, error) { return []byte(`{"format": 1, "key"`), nil }, "is not a trial record"},
		"foreign":       {func(string) ([]byte, error) { return []byte(`{"accuracy": 1}`), nil }, "no format number"},
		"newer":         {func(string) ([]byte, error) { return []byte(`{"format": 99}`), nil }, "format 99, expected 1"},
		"unknown field": {func(string) ([]byte, error) { return []byte(`{"format": 1, "acuracy": 1}`), nil }, "acuracy"},
		"misplaced": {func(dir string) ([]byte, error) {
			return os.ReadFile(filepath.Join(dir, other.Key.Path(recordtest.Identity)))
		}, "belongs at"},
	} {
		s := record.Store{Dir: t.TempDir()}
		recordtest.Write(t, s, other, recordtest.Classified())
		data, err := c.content(s.Dir)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(s.Dir, r.Key.Path(recordtest.Identity))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{
			"Load": func() error { _, _, err := s.Load(""); return err }(),
			"Find": func() error { _, _, err := s.Find(r.Key, recordtest.Identity); return err }(),
		} {
			if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: got %v, want %q and the file's name", name, what, err, c.want)
			}
		}
	}
}

func TestLoadLeavesOtherFilesAlone(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	recordtest.Write(t, s, recordtest.Trial("nc", "", "dgs", 0), recordtest.Classified())
	for _, name := range []string{"rows.json", "made-up/tables.md", "made-up/mooc/nc/dgs/notes.txt"} {
		if err := os.WriteFile(filepath.Join(s.Dir, name), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if records, _, err := s.Load(""); err != nil || len(records) != 1 {
		t.Errorf("%d records, %v; want 1", len(records), err)
	}
	empty := record.Store{Dir: filepath.Join(s.Dir, "none")}
	if records, _, err := empty.Load(""); err != nil || len(records) != 0 {
		t.Errorf("a folder that does not exist: %d records, %v", len(records), err)
	}
}

func TestWriteRefusesWhatCannotBeRead(t *testing.T) {
	for name, change := range map[string]func(*record.Record, record.Observed){
		"suite \"../elsewhere\"": func(r *record.Record, _ record.Observed) { r.Key.Suite = "../elsewhere" },
		"setting \"T\"":          func(r *record.Record, _ record.Observed) { r.Key.Setting = "T" },
		"identity \"xyz\"":       func(r *record.Record, _ record.Observed) { r.Identity = "xyz" },
		"model_class \"big\"":    func(r *record.Record, _ record.Observed) { r.ModelClass = "big" },
		"label 5": func(_ *record.Record, o record.Observed) {
			o[record.Part{Split: protocol.Test}].Label[0] = 5
		},
	} {
		s := record.Store{Dir: t.TempDir()}
		r, o := recordtest.Trial("nc", "", "dgs", 0), recordtest.Classified()
		change(&r, o)
		if _, err := s.Write(r, o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
		if left, _ := filepath.Glob(filepath.Join(s.Dir, "*")); len(left) > 0 {
			t.Errorf("%s: left %v behind", name, left)
		}
	}
}

// TestReadWhileReplaced: whoever reads a record that another run replaces over
// and over finds one of them with its own facts, or is told that it was
// replaced: never damage, never a trial that is not there.
func TestReadWhileReplaced(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	write := func(run int) {
		r, times := recordtest.Latency("dgs", strconv.Itoa(run))
		times["batch_1"][0] = int64(run)
		if _, err := s.Write(r, times); err != nil {
			t.Error(err)
		}
	}
	const runs = 40
	write(0)
	done := make(chan bool)
	go func() {
		defer close(done)
		for run := 1; run < runs; run++ {
			write(run)
		}
	}()
	read, replaced := 0, 0
	for more := true; more; {
		select {
		case <-done:
			more = false
		default:
		}
		all, incomplete, err := s.Load("latency")
		if err != nil || len(all) != 1 || len(incomplete) != 0 {
			t.Fatalf("%d records, incomplete %v, %v", len(all), incomplete, err)
		}
		times, err := s.Times(all[0])
		switch {
		case errors.Is(err, record.ErrReplaced):
			replaced++
		case err != nil:
			t.Fatal(err)
		case strconv.FormatInt(times["batch_1"][0], 10) != all[0].Latency.Run:
			t.Fatalf("run %s has the facts of run %d", all[0].Latency.Run, times["batch_1"][0])
		default:
			read++
		}
	}
	t.Logf("read %d times, replaced %d times", read, replaced)
	files, err := filepath.Glob(filepath.Join(s.Dir, "latency", "*", "*", "*", "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("files %v, %v, expected a record and its facts", files, err)
	}
	before, _, err := s.Load("latency")
	if err != nil {
		t.Fatal(err)
	}
	write(runs)
	if _, err := s.Times(before[0]); !errors.Is(err, record.ErrReplaced) {
		t.Errorf("the facts of a replaced record: %v", err)
	}
}

// TestSidecarsOfBefore: a record whose facts lie under the name that they had
// before can be read, and one that leads elsewhere cannot.
func TestSidecarsOfBefore(t *testing.T) {
	r := recordtest.Trial("nc", "", "dgs", 0)
	for want, rename := range map[string]func(record.Record) (file, sum string){
		"": func(w record.Record) (string, string) {
			return strings.TrimSuffix(path.Base(r.Key.Path(r.Identity)), ".json") + ".npz", w.Sidecar.SHA256
		},
		"expected hex digits":    func(w record.Record) (string, string) { return "seed-0-0123456789ab-../../../x.npz", "../../../x" },
		"sidecar \"../x.npz\": ": func(w record.Record) (string, string) { return "../x.npz", w.Sidecar.SHA256 },
	} {
		s := record.Store{Dir: t.TempDir()}
		recordtest.Write(t, s, r, recordtest.Classified())
		w, _, err := s.Find(r.Key, r.Identity)
		if err != nil {
			t.Fatal(err)
		}
		old := filepath.Join(s.Dir, sidecarOf(t, s, r))
		file, sum := rename(w)
		w.Sidecar.File, w.Sidecar.SHA256 = file, sum
		data, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(filepath.Join(s.Dir, r.Key.Path(r.Identity)), data, 0o644), os.Rename(old, filepath.Join(filepath.Dir(old), path.Base(file)))); err != nil {
			t.Fatal(err)
		}
		_, found, err := s.Find(r.Key, r.Identity)
		if want == "" && (err != nil || !found) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("found %v, %v, expected %q", found, err, want)
		}
	}
}

// TestScoresOfASelection: the metric that epochs are selected by comes first, and
// none twice.
func TestScoresOfASelection(t *testing.T) {
	for by, want := range map[string]string{"": "auc ap", "auc": "auc ap", "ap": "ap auc", "recall@1%fpr": "recall@1%fpr auc ap", "mrr": "auc ap", "tea": "auc ap"} {
		r := recordtest.Trial("nc", "", "dgs", 3)
		r.Spec = json.RawMessage(`{"protocol": {"select_by": ` + strconv.Quote(by) + `}, "seed": 3}`)
		var names []string
		for _, score := range recordtest.Write(t, record.Store{Dir: t.TempDir()}, r, recordtest.Classified()).Scores {
			if score.Split == protocol.Test {
				names = append(names, score.Metric)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("select_by %q: scores %s, expected %s", by, got, want)
		}
	}
}

// TestDaysOfAnotherPart: days that the part cannot have are not used.
func TestDaysOfAnotherPart(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	r := recordtest.Trial("nc", "", "dgs", 3)
	r.Data = &record.Data{Events: 100, Parts: []record.DataPart{{}, {}, {Events: 9, Days: []int32{0, 9}}}}
	r = recordtest.Write(t, s, r, recordtest.Classified())
	if _, err := s.Facts(r); err == nil || !strings.Contains(err.Error(), "day 1 begins at event 9 of 9") {
		t.Error(err)
	}
}
