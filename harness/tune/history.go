package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"dgsbench/harness"
	"dgsbench/harness/tune/tpe"
	"dgsbench/internal/atomicfile"
	"dgsbench/kernels/devices"
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
	// failed, and Error says why.
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
	Study struct {
		Model    string          `json:"model"`
		Dataset  string          `json:"dataset"`
		Task     string          `json:"task"`
		Setting  string          `json:"setting,omitempty"`
		Seed     uint64          `json:"seed"`
		Random   int             `json:"random"`
		Own      json.RawMessage `json:"own"` // the trial with the model's own options
		Space    []searched      `json:"space"`
		Data     string          `json:"data_sha256"`
		Numerics int             `json:"numerics"`
		Device   string          `json:"device,omitempty"` // unless it is the processor
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

// header describes the study on data with this checksum and a device.
func (s Study) header(dataSHA256, device string) (h header, err error) {
	own, err := s.own()
	if err != nil {
		return h, err
	}
	f := &h.Study
	f.Model, f.Dataset, f.Task, f.Setting = s.Model.ID, s.At.Dataset, string(s.At.Task), string(s.At.Setting)
	f.Seed, f.Random, f.Own, f.Data, f.Numerics = s.Seed, s.Random, own.JSON(), dataSHA256, harness.Numerics
	if device != devices.CPU {
		f.Device = device
	}
	for _, p := range s.params {
		f.Space = append(f.Space, searched{p.Name(), p.Low, p.High, string(p.Scale), p.Step, p.Choices})
	}
	return h, nil
}

// History are the trials of a study that are over, by number.
type History struct {
	Study Study
	Lines []Line // the model's own options first

	file string
	head []byte // the first line
}

// openHistory reads the file, if it is there. It must be of the same study.
func openHistory(s Study, file, dataSHA256, device string) (*History, error) {
	h, err := s.header(dataSHA256, device)
	if err != nil {
		return nil, err
	}
	out := &History{Study: s, file: file}
	if out.head, err = json.Marshal(h); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	return out, out.parse(data)
}

func (h *History) parse(data []byte) error {
	head, rest, _ := bytes.Cut(data, []byte("\n"))
	if !bytes.Equal(head, h.head) {
		return fmt.Errorf("%s is of a study with another %s; choose another --out, or remove the file",
			h.file, strings.Join(differences(head, h.head), ", "))
	}
	for i, text := range slices.Collect(bytes.Lines(rest)) {
		var l Line
		err := json.Unmarshal(text, &l)
		if err == nil && l.Trial >= 0 {
			_, err = h.Study.point(l.Values)
		}
		if err == nil && (l.Trial < -1 || l.Failed() == (l.Error == "")) {
			err = fmt.Errorf("trial %d: expected a number from -1 on, and a value or an error", l.Trial)
		}
		if err == nil && h.has(l.Trial) {
			err = fmt.Errorf("trial %d is there twice", l.Trial)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w; remove the file to begin anew", h.file, i+2, err)
		}
		h.put(l)
	}
	return nil
}

// differences names what two headers differ in.
func differences(a, b []byte) []string {
	var x, y struct{ Study map[string]any }
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return []string{"layout"}
	}
	var out []string
	for key, v := range y.Study {
		if p, _ := json.Marshal(x.Study[key]); !slices.Equal(p, must(json.Marshal(v))) {
			out = append(out, key)
		}
	}
	for key := range x.Study {
		if _, ok := y.Study[key]; !ok {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err) // it has just been read
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
	return atomicfile.Write(h.file, text)
}

// encode is the file's text.
func (h *History) encode() ([]byte, error) {
	out := append(slices.Clone(h.head), '\n')
	for _, l := range h.Lines {
		text, err := json.Marshal(l)
		if err != nil {
			return nil, err
		}
		out = append(append(out, text...), '\n')
	}
	return out, nil
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

// lineOf is what a history keeps of a record.
func lineOf(trial int, phase Phase, values map[string]any, r record.Record) Line {
	l := Line{
		Trial: trial, Phase: phase, Values: values, Error: r.Error, Epochs: len(r.Epochs), Params: r.NumParams,
		Seconds: r.Durations.Total, Identity: r.Identity,
	}
	if !r.Failed() {
		value := float64(r.Epochs[r.BestEpoch].Validation)
		l.Value, l.BestEpoch = &value, r.BestEpoch+1
	}
	return l
}
