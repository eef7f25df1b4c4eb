package tune

import (
	"fmt"
	"path/filepath"

	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/results/page"
	"dgsbench/results/record"
)

// PastDir is where a folder of results has the histories of its searches.
func PastDir(out string) string { return filepath.Join(out, folder) }

// Past reads all histories of a folder that bench tune has left, to be shown:
// what specs say by now does not matter. A folder that is not there has none.
// Records that are beside the folder must say what the histories do.
func Past(dir string) ([]page.Search, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl")) // in order
	if err != nil {
		return nil, err
	}
	var out []page.Search
	for _, file := range files {
		f, err := readHistory(file)
		if err == nil {
			err = f.compare(record.Store{Dir: filepath.Dir(filepath.Clean(dir))})
		}
		if err != nil {
			return nil, err
		}
		s, err := f.past()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// past is the search as a page shows it.
func (f historyFile) past() (page.Search, error) {
	study := f.header.Study
	known := metrics.Of(study.Task)
	if len(known) == 0 {
		return page.Search{}, fmt.Errorf("%s:1: unknown task %q; %s", f.path, study.Task, remedy)
	}
	s := page.Search{
		Model: study.Model, Dataset: study.Dataset, Task: study.Task, Setting: study.Setting,
		Metric: known[0].Title, Seed: study.Seed, Own: optional.Absent(),
	}
	for _, l := range f.lines {
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
