// Package tune searches the options of models as the paper did: random
// trials, then tree-structured Parzen estimators (package tpe), each trial
// trained with early stopping and valued by its validation part. The test part
// is not there.
//
// A study is one model at one place: a dataset, a task, a setting. Its history
// is a file with a line for each trial, written anew after every one of them, so
// that a killed search continues where it stopped. Trials also leave records. The result
// is a spec for each model, with the options of its best trials, and figures.
package tune

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"dgsbench/harness/tune/tpe"
	"dgsbench/internal/lists"
	"dgsbench/metrics"
	"dgsbench/specs"
)

// suiteName is what the records of trials are filed under.
const suiteName = "tune"

// folder is where histories, figures and specs are, below the results.
const folder = "tuned"

// Study is the search for the options of a model at one place. Its trials
// differ in options alone: the model's seed is that of the search.
type Study struct {
	Model    specs.Model
	At       specs.Place
	Protocol specs.Protocol
	Trials   int // in all, without the one with the model's own options
	Random   int // of them, the first
	Seed     uint64

	params []specs.Parameter
}

// MostTrials are what a study has at most.
const MostTrials = 10_000

// NewStudy returns a study of the headline's candidates alone.
func NewStudy(m specs.Model, at specs.Place, p specs.Protocol, trials, random int, seed uint64) (Study, error) {
	s := Study{Model: m, At: at, Protocol: p, Trials: trials, Random: random, Seed: seed, params: m.SearchFor(at.Task)}
	switch {
	case !m.Kind.Supports(at.Task):
		return s, fmt.Errorf("model %q cannot do the task %q", m.ID, at.Task)
	case !m.Kind.Trainable():
		return s, fmt.Errorf("model %q has nothing to learn, so nothing to tune", m.ID)
	case len(s.params) == 0:
		return s, fmt.Errorf("%s: model %q has no ranges to search for the task %q; add them under `search:`, as in `bench spec show dgs`", m.File, m.ID, at.Task)
	case trials < 1 || trials > MostTrials || random < 0 || random > trials:
		return s, fmt.Errorf("%d trials with %d random ones: expected 1 to %d trials, and no more random ones", trials, random, MostTrials)
	case p.Latency != nil || p.Select != specs.SelectBest:
		return s, fmt.Errorf("tuning needs a protocol that selects the best epoch (select: %s)", specs.SelectBest)
	}
	s.Protocol.Candidates = p.Candidates[:1]
	return s, nil
}

// String names model and place: "dgs on shop-sim-lp-T".
func (s Study) String() string { return fmt.Sprintf("%s on %s", s.Model.ID, s.where()) }

// where names the place as a part of a path: "shop-sim-lp-T".
func (s Study) where() string {
	text := s.At.Dataset + "-" + string(s.At.Task)
	if s.At.Setting != "" {
		text += "-" + string(s.At.Setting)
	}
	return text
}

// Metric returns the title of the validation metric that the study improves.
func (s Study) Metric() string { return s.metric().Title }

func (s Study) metric() metrics.Metric { return s.Protocol.SelectedBy(s.At.Task) }

// file returns the path of a file of the study below the results.
func (s Study) file(suffix string) string { return path.Join(folder, s.where(), s.Model.ID+suffix) }

// HistoryFile returns the path of the study's history below the results.
func (s Study) HistoryFile() string { return s.file(".jsonl") }

// Past returns the trials of the study's history, under whatever protocol.
func (s Study) Past(out string) ([]Line, error) {
	h, err := readHistory(out, filepath.Join(out, filepath.FromSlash(s.HistoryFile())))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return h.Lines, nil
}

// space returns what the sampler draws from.
func (s Study) space() []tpe.Param {
	return lists.Map(s.params, func(p specs.Parameter) tpe.Param {
		return tpe.Param{Low: p.Low, High: p.High, Log: p.Scale == specs.Log, Step: float64(p.Step), Choices: len(p.Choices)}
	})
}

// values returns those of a point, by the names of the parameters.
func (s Study) values(point tpe.Point) map[string]any {
	out := map[string]any{}
	for i, p := range s.params {
		if len(p.Choices) > 0 {
			out[p.Name()] = p.Choices[int(point[i])]
		} else {
			// A search cannot tell more than four significant digits.
			out[p.Name()], _ = strconv.ParseFloat(strconv.FormatFloat(point[i], 'g', 4, 64), 64)
		}
	}
	return out
}

// point is the inverse of values, for values read from a history.
func (s Study) point(values map[string]any) (tpe.Point, error) {
	if len(values) != len(s.params) {
		return nil, fmt.Errorf("%d values, expected %d, one for each parameter", len(values), len(s.params))
	}
	out := make(tpe.Point, len(s.params))
	for i, p := range s.params {
		v := values[p.Name()]
		if len(p.Choices) > 0 {
			// A choice of 100 comes back from JSON as another type.
			same := func(choice any) bool { return fmt.Sprint(choice) == fmt.Sprint(v) }
			out[i] = float64(slices.IndexFunc(p.Choices, same))
			if out[i] < 0 {
				return nil, fmt.Errorf("%s is %v, which is none of its choices", p.Name(), v)
			}
			continue
		}
		x, ok := v.(float64)
		if !ok || x < p.Low || x > p.High {
			return nil, fmt.Errorf("%s is %v, expected a number of %s", p.Name(), v, p.Range())
		}
		out[i] = x
	}
	return out, nil
}

// trial returns what is measured with these values, or with the model's own
// options if values is nil. It is an error if the model rejects the options.
func (s Study) trial(values map[string]any) (specs.Trial, error) {
	var r specs.Resolved
	var err error
	if values == nil {
		r, err = s.Model.Resolve(s.At, "")
	} else {
		r, err = s.Model.ResolveSearched(s.At, values, s.HistoryFile())
	}
	return specs.Trial{
		Suite: suiteName, Dataset: s.At.Dataset, Task: s.At.Task, Setting: s.At.Setting,
		ModelID: s.Model.ID, Kind: s.Model.Kind, Title: s.Model.Title,
		Options: r.Options, Origins: r.Origins, Protocol: s.Protocol, Seed: s.Seed,
	}, err
}

// RandomTrial draws the trial of a number, from 0, or returns why the model rejects it.
func (s Study) RandomTrial(number int) (specs.Trial, error) {
	return s.trial(s.values(tpe.New(s.space(), s.Seed, s.Trials).Ask(number)))
}
