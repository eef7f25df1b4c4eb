package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dgsbench/internal/regular"
	"dgsbench/results/record"
)

// mostHistory is more bytes than a history has.
const mostHistory = 256 << 20

// remedy is what to do about a history that cannot be used.
const remedy = "remove the file: the same bench tune makes it again from the records of its trials"

// historyFile is a history as it was written.
type historyFile struct {
	path   string
	header header
	lines  []Line
}

// readHistory reads a history whose seal is whole. Those that were written
// before there were seals say so in their first line.
func readHistory(path string) (f historyFile, err error) {
	f.path = path
	data, err := regular.Read(path, mostHistory)
	if err != nil {
		return f, err
	}
	text, sealed, err := record.Lines.Remove(data)
	if err != nil {
		return f, fmt.Errorf("%s: %w; %s", path, err, remedy)
	}
	first, text, _ := bytes.Cut(text, []byte("\n"))
	if err := strict(first, &f.header); err != nil || f.header.Study.Model == "" {
		return f, fmt.Errorf("%s:1: no study of bench tune (%v); %s", path, err, remedy)
	}
	if f.header.Sealed && !sealed {
		return f, fmt.Errorf("%s: %w: its last line is gone; %s", path, record.ErrEdited, remedy)
	}
	for line := range bytes.Lines(text) {
		if err := f.add(line); err != nil {
			return f, fmt.Errorf("%s:%d: %w; %s", path, len(f.lines)+2, err, remedy)
		}
	}
	return f, nil
}

// strict reads a line without keys that nobody knows.
func strict(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

var identity = regexp.MustCompile(`^([0-9a-f]{64})?$`)

// add takes a line in.
func (f *historyFile) add(text []byte) error {
	var l Line
	if err := strict(text, &l); err != nil {
		return err
	}
	switch {
	case l.Trial < -1 || l.Failed() == (l.Error == ""):
		return fmt.Errorf("trial %d: expected a number from -1 on, and a value or an error", l.Trial)
	case !identity.MatchString(l.Identity):
		return fmt.Errorf("trial %d: identity %q, expected 64 hexadecimal digits or none", l.Trial, l.Identity)
	case slices.ContainsFunc(f.lines, func(other Line) bool { return other.Trial == l.Trial }):
		return fmt.Errorf("trial %d is there twice", l.Trial)
	}
	f.lines = append(f.lines, l)
	return nil
}

// compare holds the lines against those of the records of their trials that
// are in the store: a history may be kept without them.
func (f historyFile) compare(s record.Store) error {
	for i, l := range f.lines {
		if l.Identity == "" {
			continue // options that the model refuses leave no record
		}
		study := f.header.Study
		key := record.Key{Seed: study.Seed, CellKey: record.CellKey{
			Suite: suiteName, Dataset: study.Dataset, Task: study.Task, Setting: study.Setting, Model: study.Model,
		}}
		r, found, err := s.Find(key, l.Identity)
		if err != nil {
			return fmt.Errorf("%s:%d: trial %d: %w", f.path, i+2, l.Trial, err)
		}
		if !found {
			continue
		}
		if what := fieldsThatDiffer(l, lineOf(l.Trial, l.Phase, l.Values, r)); len(what) > 0 {
			return fmt.Errorf("%s:%d: trial %d: not what its record %s says of its %s: one of them was changed after it was written; %s",
				f.path, i+2, l.Trial, s.Path(key, l.Identity), strings.Join(what, ", "), remedy)
		}
	}
	return nil
}

// fieldsThatDiffer names the fields of two lines that are written otherwise.
func fieldsThatDiffer(a, b Line) []string {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	if err := errors.Join(errX, errY); err != nil {
		return []string{"numbers"} // which are not finite
	}
	return differences(x, y)
}

// differences names the keys in which two JSON objects differ, in order.
func differences(a, b []byte) []string {
	var x, y map[string]json.RawMessage
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return []string{"layout"}
	}
	var out []string
	for key := range y {
		if !bytes.Equal(x[key], y[key]) {
			out = append(out, key)
		}
	}
	for key := range x {
		if _, ok := y[key]; !ok {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}
