package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/results/page"
)

// PastDir is where a folder of results has the histories of its searches.
func PastDir(out string) string { return filepath.Join(out, folder) }

// Past reads all histories of a folder that bench tune has left, to be shown:
// what specs say by now does not matter. A folder that is not there has none.
func Past(dir string) ([]page.Search, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl")) // in order
	if err != nil {
		return nil, err
	}
	var out []page.Search
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		s, err := past(data)
		if err != nil {
			return nil, fmt.Errorf("%s:%w; remove the file, or search anew with bench tune", file, err)
		}
		out = append(out, s)
	}
	return out, nil
}

// past reads a history. Errors begin with the line.
func past(data []byte) (page.Search, error) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	var h header
	if err := json.Unmarshal(first, &h); err != nil || h.Study.Model == "" {
		return page.Search{}, fmt.Errorf("1: no study of bench tune: %v", err)
	}
	known := metrics.Of(h.Study.Task)
	if len(known) == 0 {
		return page.Search{}, fmt.Errorf("1: unknown task %q", h.Study.Task)
	}
	s := page.Search{
		Model: h.Study.Model, Dataset: h.Study.Dataset, Task: h.Study.Task, Setting: h.Study.Setting,
		Metric: known[0].Title, Seed: h.Study.Seed, Own: optional.Absent(),
	}
	number := 1
	for text := range bytes.Lines(rest) {
		number++
		var l Line
		if err := json.Unmarshal(text, &l); err != nil {
			return s, fmt.Errorf("%d: %w", number, err)
		}
		if t := l.tried(); l.Trial < 0 {
			s.Own = t.Value
		} else {
			s.Trials = append(s.Trials, t)
		}
	}
	return s, nil
}

// tried is the trial as a page shows it.
func (l Line) tried() page.Tried {
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
	return t
}
