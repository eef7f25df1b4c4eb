package tune

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	_ "dgsbench/datasets/sim"
	_ "dgsbench/models/standard"
	"dgsbench/protocol"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

// recorded is where the tuned values of the project are.
var recorded = filepath.Join("..", "..", "results", "recorded", folder)

// recordedSearches are the histories of every learned model wherever the suite quick scores it,
// and of those on real streams, in order.
func recordedSearches(t *testing.T) (files []string) {
	t.Helper()
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite("quick")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	scored := specs.Scored(trials)
	for _, trial := range scored {
		if trial.Kind.Class == protocol.Learned {
			s := Study{Model: specs.Model{ID: trial.ModelID}, At: specs.Place{Dataset: trial.Dataset, Task: trial.Task, Setting: trial.Setting}}
			files = append(files, filepath.Join(recorded, "..", filepath.FromSlash(s.HistoryFile())))
		}
	}
	for _, model := range []string{"raw", "graph-sprints", "dgs", "dgs-s", "dgs-v", "dgs-bp", "tgn-id", "jodie", "tgn-attn"} {
		files = append(files, filepath.Join(recorded, "amlsim-20k-nc", model+".jsonl"))
	}
	for _, model := range []string{"graph-sprints", "dgs", "dgs-s", "dgs-v", "tgn-id", "jodie", "tgn-attn"} {
		files = append(files, filepath.Join(recorded, "wikipedia-nofeat-lp-T", model+".jsonl"))
	}
	slices.Sort(files)
	return slices.Compact(files) // variants have their model's
}

// The recorded specs have the options of the best trials of the recorded
// histories, which are of all searches that the document names; no model has more trials than another, and all of it is small.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recorded, "*", "*.jsonl"))
	if want := recordedSearches(t); err != nil || !slices.Equal(slices.Sorted(slices.Values(files)), want) {
		t.Fatalf("%v; histories that are not those of the searches (-searched +there):\n%s", err, cmp.Diff(want, files))
	}
	lib, err := specs.NewLibrary(filepath.Join(recorded, "specs"))
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int]bool{}
	size := int64(0)
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
		lines[checkRecorded(t, lib, file)] = true
	}
	if len(lines) != 1 || size > 1e6 {
		t.Errorf("numbers of trials %v, expected one; %d bytes, expected 1 MB at most", lines, size)
	}
}

// checkRecorded compares a history with the spec and counts its trials.
func checkRecorded(t *testing.T, lib *specs.Library, file string) int {
	t.Helper()
	f, err := readHistory("", file)
	if err != nil {
		t.Fatal(err)
	}
	h := f.header
	m, err := lib.LoadModel(h.Study.Model)
	if err != nil {
		t.Fatal(err)
	}
	history := &History{Study: Study{Model: m, At: h.Study.Place, params: m.SearchFor(h.Study.Task)}}
	for _, l := range f.Lines {
		history.put(l)
	}
	best := history.Best()
	if best.Failed() {
		return len(history.Lines) // all failed: nothing is tuned
	}
	want, err := history.options(best.Values)
	if err != nil {
		t.Fatal(err)
	}
	got, err := history.options(nil) // the tuned spec's own
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s and the spec of %s (-best trial +spec):\n%s", file, m.ID, diff)
	}
	return len(history.Lines)
}
