package tune

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"dgsbench/harness"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/results/page"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// SpecsDir is the folder of the tuned specs below the results, for --specs.
var SpecsDir = filepath.Join(folder, "specs")

// write puts figures, specs and the table of the histories below the results.
// A spec has what was found for its model by the studies that are over; where
// none of them is, it is not written.
func (t *Tuner) write(histories []*History) error {
	files := map[string][]byte{}
	var over []*History
	for _, h := range histories {
		figures, err := h.Draw()
		if err != nil {
			return err
		}
		for suffix, data := range figures {
			files[h.Study.file(suffix)] = data
		}
		if h.left() == 0 {
			over = append(over, h)
		}
	}
	for _, h := range over {
		text, err := t.tunedSpec(h.Study.Model, over)
		if err != nil {
			return err
		}
		if text != nil {
			files[filepath.Join(SpecsDir, h.Study.Model.ID+".yaml")] = text
		}
	}
	if len(over) > 0 {
		var changes bytes.Buffer
		if err := WriteChanges(&changes, over); err != nil {
			return err
		}
		files[filepath.Join(folder, "changes.md")] = changes.Bytes()
	}
	for name, data := range files {
		if err := atomicfile.Root(t.Out).Write(filepath.Join(t.Out, name), data); err != nil {
			return &harness.StoreError{Err: err}
		}
	}
	return nil
}

// tunedSpec returns the model's spec with its best trials, and what the file of
// an earlier search has of other places; nil where all trials failed.
func (t *Tuner) tunedSpec(m specs.Model, histories []*History) ([]byte, error) {
	var found []specs.Found
	for _, h := range histories {
		if best := h.Best(); !best.Failed() && h.Study.Model.ID == m.ID {
			record := fmt.Sprintf("best of %d trials, %s", len(h.trials()), h.Study.HistoryFile())
			found = append(found, specs.Found{At: h.Study.At, Values: best.Values, Record: record})
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	var old specs.Model
	dir := filepath.Join(t.Out, SpecsDir)
	if _, err := os.Stat(filepath.Join(dir, m.ID+".yaml")); err == nil {
		lib, err := specs.NewLibrary(dir)
		if err != nil {
			return nil, err
		}
		if old, err = lib.LoadModel(m.ID); err != nil {
			return nil, err
		}
	}
	return m.Tuned(found, old, "Written by bench tune: "+m.File+", and over its options those of the best\n"+
		"trials. The histories of the searches stand under records.")
}

// Result is what came of a study, for machines. Values are fractions.
type Result struct {
	Model string `json:"model"`
	specs.Place
	Metric  string         `json:"metric"` // of the validation part
	Own     *float64       `json:"own"`    // with the model's own options; null where it failed
	Best    *float64       `json:"best"`   // null where all trials failed
	Trial   int            `json:"trial"`  // of Best
	Values  map[string]any `json:"values,omitempty"`
	Trials  int            `json:"trials"`
	Failed  int            `json:"failed"`
	History string         `json:"history"` // file below the results
}

// Results returns those of the histories, in their order.
func Results(histories []*History) []Result {
	out := []Result{}
	for _, h := range histories {
		best := h.Best()
		out = append(out, Result{
			Model: h.Study.Model.ID, Place: h.Study.At, Metric: h.Study.Metric(),
			Own: h.own().Value, Best: best.Value, Trial: best.Trial, Values: best.Values,
			Trials: len(h.trials()), Failed: failed(h.trials()), History: h.Study.HistoryFile(),
		})
	}
	return out
}

// PastDir returns where a folder of results has the histories of its searches.
func PastDir(out string) string { return filepath.Join(out, folder) }

// Past reads all histories of a folder that bench tune has left, whatever specs
// say by now; none if there is no folder. Records beside it must say the same.
func Past(dir string) ([]page.Search, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl")) // in order
	if err != nil {
		return nil, err
	}
	var out []page.Search
	for _, file := range files {
		h, err := readHistory(filepath.Dir(filepath.Clean(dir)), file)
		if err == nil {
			err = h.checkRecords()
		}
		if err != nil {
			return nil, err
		}
		s, err := h.search()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// search returns the history as a page has it.
func (h *History) search() (page.Search, error) {
	study := h.header.Study
	if len(metrics.Of(study.Task)) == 0 {
		return page.Search{}, fmt.Errorf("%s:1: unknown task %q; %s", h.file, study.Task, remedy)
	}
	own := record.Record{Key: record.Key{CellKey: record.CellKey{Task: study.Task}}, Spec: study.Own}
	s := page.Search{
		Model: study.Model, Dataset: study.Dataset, Task: study.Task, Setting: study.Setting,
		Metric: own.SelectedBy(), Seed: study.Seed, Own: optional.Absent(),
	}
	for _, l := range h.Lines {
		t := page.Tried{
			Number: l.Trial, Phase: string(l.Phase), Options: map[string]string{},
			Value: optional.Absent(), Error: l.Error, Epochs: l.Epochs, Seconds: l.Seconds,
		}
		if l.Value != nil {
			t.Value = optional.Number(*l.Value)
		}
		for name, v := range l.Values {
			t.Options[name] = short(v)
		}
		if l.Trial < 0 {
			s.Own = t.Value
		} else {
			s.Trials = append(s.Trials, t)
		}
	}
	return s, nil
}
