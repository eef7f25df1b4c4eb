package tune

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"dgsbench/protocol"
	"dgsbench/specs"
)

// Result is what came of a study, for machines. Values are fractions.
type Result struct {
	Model   string           `json:"model"`
	Dataset string           `json:"dataset"`
	Task    protocol.Task    `json:"task"`
	Setting protocol.Setting `json:"setting,omitempty"`
	Metric  string           `json:"metric"` // of the validation part
	Own     *float64         `json:"own"`    // with the model's own options; null where it failed
	Best    *float64         `json:"best"`   // null where all trials failed
	Trial   int              `json:"trial"`  // of Best
	Values  map[string]any   `json:"values,omitempty"`
	Trials  int              `json:"trials"`
	Failed  int              `json:"failed"`
	History string           `json:"history"` // file below the results
}

// Results are those of the histories, in their order.
func Results(histories []*History) []Result {
	out := []Result{}
	for _, h := range histories {
		own, _ := h.Default()
		best, _ := h.Best()
		out = append(out, Result{
			Model: h.Study.Model.ID, Dataset: h.Study.At.Dataset, Task: h.Study.At.Task, Setting: h.Study.At.Setting,
			Metric: h.Study.Metric(), Own: own.Value, Best: best.Value, Trial: best.Trial, Values: best.Values,
			Trials: len(h.trials()), Failed: h.failed(), History: h.Study.HistoryFile(),
		})
	}
	return out
}

// failed is the number of trials of the search without a value.
func (h *History) failed() int {
	n := 0
	for _, l := range h.trials() {
		if l.Failed() {
			n++
		}
	}
	return n
}

// Searched are the parameters of the study.
func (s Study) Searched() []specs.Parameter { return slices.Clone(s.params) }

// Past are the trials that are over by the study's history below the results,
// under whatever protocol.
func (s Study) Past(out string) ([]Line, error) {
	f, err := readHistory(filepath.Join(out, filepath.FromSlash(s.HistoryFile())))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f.lines, err
}
