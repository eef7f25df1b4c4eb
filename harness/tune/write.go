package tune

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"dgsbench/harness"
	"dgsbench/internal/atomicfile"
	"dgsbench/specs"
)

// SpecsDir is where the tuned specs are, below the results: a folder for
// --specs.
var SpecsDir = filepath.Join(folder, "specs")

// ChangesFile is where the table of what tuning changed is.
var ChangesFile = filepath.Join(folder, "changes.md")

// Write puts figures, specs and the table of the histories below the results.
// A spec has what was found for its model by the studies that are over; where
// none of them is, it is not written.
func (t *Tuner) Write(histories []*History) error {
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
		if h.Whole() {
			over = append(over, h)
		}
	}
	for _, m := range modelsOf(over) {
		text, err := t.tunedSpec(m, over)
		if err != nil {
			return err
		}
		if text != nil {
			files[filepath.Join(SpecsDir, m.ID+".yaml")] = text
		}
	}
	if len(over) > 0 {
		files[ChangesFile] = Changes(over)
	}
	for name, data := range files {
		if err := atomicfile.Root(t.Out).Write(filepath.Join(t.Out, name), data); err != nil {
			return &harness.StoreError{Err: err}
		}
	}
	return nil
}

func modelsOf(histories []*History) (out []specs.Model) {
	for _, h := range histories {
		if m := h.Study.Model; !slices.ContainsFunc(out, func(x specs.Model) bool { return x.ID == m.ID }) {
			out = append(out, m)
		}
	}
	return out
}

// tunedSpec is the model's spec with its best trials, and what the file of an
// earlier search has of other places; nil where all trials failed.
func (t *Tuner) tunedSpec(m specs.Model, histories []*History) ([]byte, error) {
	var found []specs.Found
	for _, h := range histories {
		if best, ok := h.Best(); ok && h.Study.Model.ID == m.ID {
			record := fmt.Sprintf("best of %d trials, %s", len(h.trials()), h.Study.HistoryFile())
			found = append(found, specs.Found{At: h.Study.At, Values: best.Values, Record: record})
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	old, err := t.earlier(m.ID)
	if err != nil {
		return nil, err
	}
	return m.Tuned(found, old, "Written by bench tune: "+m.File+", and over its options those of the best\n"+
		"trials. The histories of the searches stand under records.")
}

// earlier is the tuned spec that is there already, or the zero Model.
func (t *Tuner) earlier(id string) (specs.Model, error) {
	dir := filepath.Join(t.Out, SpecsDir)
	if _, err := os.Stat(filepath.Join(dir, id+".yaml")); err != nil {
		return specs.Model{}, nil
	}
	lib, err := specs.NewLibrary(dir)
	if err != nil {
		return specs.Model{}, err
	}
	return lib.LoadModel(id)
}
