package tune

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"dgsbench/harness"
	"dgsbench/harness/tune/tpe"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/regular"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Phase says how a trial's options were chosen.
type Phase string

// The phases of a study.
const (
	Own    Phase = "default" // the model's own options, beside the search
	Random Phase = "random"
	TPE    Phase = "tpe"
)

// Line is what a history says of a trial.
type Line struct {
	Trial  int            `json:"trial"` // from 0; -1 for the model's own options
	Phase  Phase          `json:"phase"`
	Values map[string]any `json:"values,omitempty"` // by name of the parameter
	// Value is the validation metric of the best epoch; nil where the trial
	// failed or its validation is uninformative, and Error says why.
	Value     *float64 `json:"value,omitempty"`
	Error     string   `json:"error,omitempty"`
	BestEpoch int      `json:"best_epoch"` // from 1; 0 where it failed
	Epochs    int      `json:"epochs"`
	Params    int      `json:"learned_parameters"`
	Seconds   float64  `json:"seconds"`
	Identity  string   `json:"identity"` // of its record
}

// Failed reports whether the trial has no Value.
func (l Line) Failed() bool { return l.Value == nil }

// lineOf returns what a history says of a record. A trial whose best epoch has
// an uninformative validation failed: it is not to be compared.
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

// header is the first line of a history: all that decides the trials but their number.
type header struct {
	// Sealed is whether the last line is a seal.
	Sealed bool `json:"sealed,omitempty"`
	Study  struct {
		Model string `json:"model"`
		specs.Place
		Seed     uint64          `json:"seed"`
		Random   int             `json:"random"`
		Own      json.RawMessage `json:"own"` // the trial with the model's own options
		Space    []searched      `json:"space"`
		Data     string          `json:"data_sha256"`
		Numerics int             `json:"numerics"`
		Device   string          `json:"device,omitempty"` // class of the kernels; absent in those of before there were classes
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
	own, err := s.trial(nil)
	if err != nil {
		return h, err
	}
	h.Sealed = true
	f := &h.Study
	f.Model, f.Place, f.Seed, f.Random, f.Own, f.Data, f.Numerics, f.Device = s.Model.ID, s.At, s.Seed, s.Random, own.JSON(), dataSHA256, harness.Numerics, device
	for _, p := range s.params {
		f.Space = append(f.Space, searched{p.Name(), p.Low, p.High, string(p.Scale), p.Step, p.Choices})
	}
	return h, nil
}

// History holds the trials of a study that are over.
type History struct {
	Study Study  // the zero Study if only the file was read
	Lines []Line // by number: the model's own options first

	out    string // folder of the results
	file   string
	header header
}

// maxHistory is more bytes than a history has.
const maxHistory = 256 << 20

// remedy is what to do about a history that cannot be used.
const remedy = "remove the file: the same bench tune makes it again from the records of its trials"

// readHistory reads a history whose seal is whole, its lines as in the file. Those
// from before there were seals say so in their first line.
func readHistory(out, file string) (*History, error) {
	h := &History{out: out, file: file}
	data, err := regular.Read(file, maxHistory)
	if err != nil {
		return nil, err
	}
	text, sealed, err := record.Lines.Remove(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; %s", file, err, remedy)
	}
	first, text, _ := bytes.Cut(text, []byte("\n"))
	if err := decodeStrictly(first, &h.header); err != nil || h.header.Study.Model == "" {
		return nil, fmt.Errorf("%s:1: no study of bench tune (%v); %s", file, err, remedy)
	}
	if h.header.Sealed && !sealed {
		return nil, fmt.Errorf("%s: %w: its last line is gone; %s", file, record.ErrEdited, remedy)
	}
	for text := range bytes.Lines(text) {
		var l Line
		if err := cmp.Or(decodeStrictly(text, &l), h.checkFormat(l)); err != nil {
			return nil, fmt.Errorf("%s:%d: %w; %s", file, len(h.Lines)+2, err, remedy)
		}
		h.Lines = append(h.Lines, l)
	}
	return h, nil
}

// decodeStrictly decodes a line of JSON. A key that v does not have is an error.
func decodeStrictly(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

var identity = regexp.MustCompile(`^([0-9a-f]{64})?$`)

// checkFormat returns an error if a line cannot be of any trial, or repeats one.
func (h *History) checkFormat(l Line) error {
	switch {
	case l.Trial < -1 || l.Failed() == (l.Error == ""):
		return fmt.Errorf("trial %d: expected a number from -1 on, and a value or an error", l.Trial)
	case !identity.MatchString(l.Identity):
		return fmt.Errorf("trial %d: identity %q, expected 64 hexadecimal digits or none", l.Trial, l.Identity)
	case h.has(l.Trial):
		return fmt.Errorf("trial %d is there twice", l.Trial)
	}
	return nil
}

// checkRecords compares the lines with those of the records of their trials, as
// far as these are in the store: a history may be kept without them.
func (h *History) checkRecords() error {
	store, study := record.Store{Dir: h.out}, h.header.Study
	key := record.Key{Seed: study.Seed, CellKey: record.CellKey{
		Suite: suiteName, Dataset: study.Dataset, Task: study.Task, Setting: study.Setting, Model: study.Model,
	}}
	for i, l := range h.Lines {
		if l.Identity == "" {
			continue // options that the model rejects leave no record
		}
		r, found, err := store.Find(key, l.Identity)
		if err != nil {
			return fmt.Errorf("%s:%d: trial %d: %w", h.file, i+2, l.Trial, err)
		}
		if !found {
			continue
		}
		if what := differences(l, lineOf(l.Trial, l.Phase, l.Values, r)); len(what) > 0 {
			return fmt.Errorf("%s:%d: trial %d: not what its record %s says of its %s: one of them was changed after it was written; %s",
				h.file, i+2, l.Trial, store.Path(key, l.Identity), strings.Join(what, ", "), remedy)
		}
	}
	return nil
}

// differences returns the keys, sorted, in which a and b differ as JSON.
func differences(a, b any) (keys []string) {
	x, errX := fieldsOf(a)
	y, errY := fieldsOf(b)
	if errX != nil || errY != nil {
		return []string{"numbers"} // that are not finite
	}
	all := maps.Clone(y)
	maps.Copy(all, x)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if !bytes.Equal(x[key], y[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}

func fieldsOf(v any) (fields map[string]json.RawMessage, err error) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	return fields, err
}

// openHistory reads the file of the study below the results, if it is there. It
// must be of the same study, and say of its trials what their records say.
func openHistory(s Study, out, dataSHA256, device string) (*History, error) {
	head, err := s.header(dataSHA256, device)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(out, filepath.FromSlash(s.HistoryFile()))
	h, err := readHistory(out, file)
	if errors.Is(err, fs.ErrNotExist) {
		return &History{Study: s, out: out, file: file, header: head}, nil
	}
	if err != nil {
		return nil, err
	}
	if what := differences(h.header.Study, head.Study); len(what) > 0 {
		return nil, fmt.Errorf("%s is of a study with another %s; choose another --out, or remove the file", file, strings.Join(what, ", "))
	}
	h.Study, h.header = s, head
	for i, l := range h.Lines {
		if err := h.check(l); err != nil {
			return nil, fmt.Errorf("%s:%d: trial %d: %w; %s", file, i+2, l.Trial, err, remedy)
		}
	}
	if err := h.checkRecords(); err != nil {
		return nil, err
	}
	slices.SortFunc(h.Lines, func(a, b Line) int { return cmp.Compare(a.Trial, b.Trial) })
	return h, nil
}

// check returns an error if a line cannot be of a trial of the study.
func (h *History) check(l Line) error {
	if l.Trial >= 0 || len(l.Values) > 0 {
		if _, err := h.Study.point(l.Values); err != nil {
			return err
		}
	}
	if l.Identity == "" {
		return nil // the model rejected the options
	}
	trial, err := h.Study.trial(l.Values)
	if f := h.header.Study; err == nil && trial.Identity(f.Data, f.Numerics, f.Device) != l.Identity {
		err = errors.New("its values are not those of its record")
	}
	return err
}

// readBack returns an error if the file is not what was written.
func (h *History) readBack() error {
	read, err := openHistory(h.Study, h.out, h.header.Study.Data, h.header.Study.Device)
	if err != nil {
		return err
	}
	written, errWritten := h.encode()
	found, errFound := read.encode()
	if errWritten != nil || errFound != nil || !bytes.Equal(found, written) {
		return fmt.Errorf("%s is not what was written: another program has changed it", h.file)
	}
	return nil
}

// put inserts a line in order.
func (h *History) put(l Line) {
	i, _ := slices.BinarySearchFunc(h.Lines, l.Trial, func(x Line, trial int) int { return cmp.Compare(x.Trial, trial) })
	h.Lines = slices.Insert(h.Lines, i, l)
}

// add puts a line and writes the file.
func (h *History) add(l Line) error {
	h.put(l)
	text, err := h.encode()
	if err != nil {
		return err
	}
	return atomicfile.Root(h.out).Write(h.file, text)
}

func (h *History) encode() ([]byte, error) {
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	err := lines.Encode(h.header)
	for _, l := range h.Lines {
		err = errors.Join(err, lines.Encode(l))
	}
	return record.Lines.Add(out.Bytes()), err
}

func (h *History) has(trial int) bool {
	return slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Trial == trial })
}

// trials returns the lines of the search, without the model's own options.
func (h *History) trials() []Line {
	return slices.DeleteFunc(slices.Clone(h.Lines), func(l Line) bool { return l.Trial < 0 })
}

// failed returns the number of lines of failed trials.
func failed(lines []Line) int {
	return len(slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return !l.Failed() }))
}

// Best returns the trial of the search with the best value, the first of
// equal ones, or the zero Line, which failed, if none has succeeded.
func (h *History) Best() (best Line) {
	for _, l := range h.trials() {
		if !l.Failed() && (best.Failed() || h.Study.metric().Better(*l.Value, *best.Value)) {
			best = l
		}
	}
	return best
}

// own returns the trial with the model's own options, or the zero Line.
func (h *History) own() (own Line) {
	if len(h.Lines) > 0 && h.Lines[0].Trial < 0 {
		own = h.Lines[0]
	}
	return own
}

// left returns the number of trials that are not over.
func (h *History) left() int { return max(0, h.Study.Trials+1-len(h.Lines)) }

// samplerTrial returns the line for the sampler.
func (h *History) samplerTrial(l Line) (tpe.Trial, error) {
	point, err := h.Study.point(l.Values)
	t := tpe.Trial{Number: l.Trial, Point: point, Value: math.NaN()}
	if !l.Failed() {
		if t.Value = *l.Value; !h.Study.metric().HigherIsBetter {
			t.Value = -t.Value
		}
	}
	return t, err
}
