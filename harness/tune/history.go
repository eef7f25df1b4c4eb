package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"dgsbench/harness"
	"dgsbench/harness/tune/tpe"
	"dgsbench/internal/atomicfile"
	"dgsbench/protocol"
	"dgsbench/results/record"
)

// Phase says how a trial's options were chosen.
type Phase string

// The phases of a study.
const (
	Own    Phase = "default" // the model's own options, beside the search
	Random Phase = "random"
	TPE    Phase = "tpe"
)

// Line is what a history keeps of a trial.
type Line struct {
	Trial  int            `json:"trial"` // from 0; -1 for the model's own options
	Phase  Phase          `json:"phase"`
	Values map[string]any `json:"values,omitempty"` // by name of the parameter
	// Value is the validation metric of the best epoch; nil where the trial
	// failed or its validation says nothing, and Error says why.
	Value     *float64 `json:"value,omitempty"`
	Error     string   `json:"error,omitempty"`
	BestEpoch int      `json:"best_epoch"` // from 1; 0 where it failed
	Epochs    int      `json:"epochs"`
	Params    int      `json:"learned_parameters"`
	Seconds   float64  `json:"seconds"`
	Identity  string   `json:"identity"` // of its record
}

// Failed reports whether the trial has no value.
func (l Line) Failed() bool { return l.Value == nil }

// header is the first line: whatever decides the trials, but their number.
type header struct {
	// Sealed is whether the last line is a seal.
	Sealed bool `json:"sealed,omitempty"`
	Study  struct {
		Model    string           `json:"model"`
		Dataset  string           `json:"dataset"`
		Task     protocol.Task    `json:"task"`
		Setting  protocol.Setting `json:"setting,omitempty"`
		Seed     uint64           `json:"seed"`
		Random   int              `json:"random"`
		Own      json.RawMessage  `json:"own"` // the trial with the model's own options
		Space    []searched       `json:"space"`
		Data     string           `json:"data_sha256"`
		Numerics int              `json:"numerics"`
		Device   string           `json:"device,omitempty"` // class of the kernels; absent in those of before there were classes
	} `json:"study"`
}

// searched is a parameter in the header.
type searched struct {
	Name    string  `json:"name"`
	Low     float64 `json:"low,omitempty"`
	High    float64 `json:"high,omitempty"`
	Scale   string  `json:"scale,omitempty"`
	Step    int     `json:"step,omitempty"`
	Choices []any   `json:"choices,omitempty"`
}

// header describes the study on data with this checksum and a class of kernels.
func (s Study) header(dataSHA256, device string) (h header, err error) {
	own, err := s.own()
	if err != nil {
		return h, err
	}
	h.Sealed = true
	f := &h.Study
	f.Model, f.Dataset, f.Task, f.Setting = s.Model.ID, s.At.Dataset, s.At.Task, s.At.Setting
	f.Seed, f.Random, f.Own, f.Data, f.Numerics, f.Device = s.Seed, s.Random, own.JSON(), dataSHA256, harness.Numerics, device
	for _, p := range s.params {
		f.Space = append(f.Space, searched{p.Name(), p.Low, p.High, string(p.Scale), p.Step, p.Choices})
	}
	return h, nil
}

// History are the trials of a study that are over, by number.
type History struct {
	Study Study
	Lines []Line // the model's own options first

	file         string
	root         atomicfile.Root
	header       header
	data, device string // of the study
}

// openHistory reads the file below the results, if it is there. It must be of
// the same study, and what it says of trials must be what their records say.
func openHistory(s Study, out, dataSHA256, device string) (*History, error) {
	head, err := s.header(dataSHA256, device)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(out, filepath.FromSlash(s.HistoryFile()))
	h := &History{Study: s, file: file, root: atomicfile.Root(out), header: head, data: dataSHA256, device: device}
	f, err := readHistory(h.file)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err == nil {
		err = h.take(f)
	}
	if err == nil {
		err = f.compare(record.Store{Dir: out})
	}
	return h, err
}

// take makes the history of its file.
func (h *History) take(f historyFile) error {
	got, want := must(json.Marshal(f.header.Study)), must(json.Marshal(h.header.Study))
	if what := differences(got, want); len(what) > 0 {
		return fmt.Errorf("%s is of a study with another %s; choose another --out, or remove the file", f.path, strings.Join(what, ", "))
	}
	for i, l := range f.lines {
		if err := h.check(l); err != nil {
			return fmt.Errorf("%s:%d: trial %d: %w; %s", f.path, i+2, l.Trial, err, remedy)
		}
		h.put(l)
	}
	return nil
}

// check reports why a line cannot be of a trial of the study.
func (h *History) check(l Line) error {
	if l.Trial >= 0 {
		if _, err := h.Study.point(l.Values); err != nil {
			return err
		}
	}
	if l.Identity == "" {
		return nil // the model refused the options
	}
	options, err := h.Study.resolve(l.Values)
	if err == nil && h.Study.trial(options).Identity(h.data, h.header.Study.Numerics, h.device) != l.Identity {
		err = errors.New("its values are not those of its record")
	}
	return err
}

// readBack reports whether the file is not what was written.
func (h *History) readBack(out string) error {
	again, err := openHistory(h.Study, out, h.data, h.device)
	if err == nil && !bytes.Equal(must(json.Marshal(again.Lines)), must(json.Marshal(h.Lines))) {
		err = fmt.Errorf("%s is not what was written: another program has changed it", h.file)
	}
	return err
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err) // it was read from JSON, or has been written to it
	}
	return data
}

func (h *History) has(trial int) bool {
	return slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Trial == trial })
}

// put keeps the lines in the order of the trials.
func (h *History) put(l Line) {
	i := slices.IndexFunc(h.Lines, func(x Line) bool { return x.Trial > l.Trial })
	if i < 0 {
		i = len(h.Lines)
	}
	h.Lines = slices.Insert(h.Lines, i, l)
}

// add takes a trial in and writes the file.
func (h *History) add(l Line) error {
	h.put(l)
	text, err := h.encode()
	if err != nil {
		return err
	}
	return h.root.Write(h.file, text)
}

// encode is the file's text.
func (h *History) encode() ([]byte, error) {
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	err := lines.Encode(h.header)
	for _, l := range h.Lines {
		err = errors.Join(err, lines.Encode(l))
	}
	return record.Lines.Add(out.Bytes()), err
}

// trials are the lines of the search, without the model's own options.
func (h *History) trials() []Line {
	return slices.DeleteFunc(slices.Clone(h.Lines), func(l Line) bool { return l.Trial < 0 })
}

// Best is the trial of the search with the highest value, the first of level
// ones; false when none has succeeded.
func (h *History) Best() (Line, bool) {
	best, found := Line{}, false
	for _, l := range h.trials() {
		if !l.Failed() && (!found || *l.Value > *best.Value) {
			best, found = l, true
		}
	}
	return best, found
}

// Default is the trial with the model's own options.
func (h *History) Default() (Line, bool) {
	if len(h.Lines) > 0 && h.Lines[0].Trial < 0 {
		return h.Lines[0], true
	}
	return Line{}, false
}

// Whole reports whether all trials of the study are over.
func (h *History) Whole() bool { return h.left() == 0 }

// left is the number of trials that are not.
func (h *History) left() int { return max(0, h.Study.Trials+1-len(h.Lines)) }

// told is the line as the sampler takes it.
func (h *History) told(l Line) (tpe.Trial, error) {
	point, err := h.Study.point(l.Values)
	t := tpe.Trial{Number: l.Trial, Point: point, Value: nan}
	if !l.Failed() {
		t.Value = *l.Value
	}
	return t, err
}

// lineOf is what a history keeps of a record. A trial whose best epoch has a
// validation that tells nothing of the model failed: it is not to be compared.
func lineOf(trial int, phase Phase, values map[string]any, r record.Record) Line {
	l := Line{
		Trial: trial, Phase: phase, Values: values, Error: r.Error, Epochs: len(r.Epochs), Params: r.NumParams,
		Seconds: r.Durations.Total, Identity: r.Identity,
	}
	if r.Failed() || len(r.Epochs) == 0 || r.BestEpoch < 0 {
		return l
	}
	best := r.Epochs[r.BestEpoch]
	if best.Degenerate != "" {
		l.Error = "the validation says nothing of the model: " + string(best.Degenerate)
		return l
	}
	value := float64(best.Validation)
	l.Value, l.BestEpoch = &value, r.BestEpoch+1
	return l
}
