package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"dgsbench/protocol"
)

// Parse reads a record. file names it in errors, which explain what is wrong
// and how to repair it.
func Parse(file string, data []byte) (Record, error) {
	var r Record
	if err := r.parse(data); err != nil {
		return Record{}, fmt.Errorf("%s is not a trial record (%w); move it elsewhere, or remove it to have the trial run again", file, err)
	}
	return r, nil
}

func (r *Record) parse(data []byte) error {
	var version struct{ Format *int }
	if err := json.Unmarshal(data, &version); err != nil {
		return err
	}
	switch {
	case version.Format == nil:
		return fmt.Errorf("it has no format number")
	case *version.Format != Format:
		return fmt.Errorf("it has format %d, expected %d", *version.Format, Format)
	}
	data, _, err := Object.Remove(data)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(r); err != nil {
		return err
	}
	return r.check()
}

// check reports the first field without which a record is of no use.
func (r *Record) check() error {
	if err := r.checkPlace(); err != nil {
		return err
	}
	const none = -1
	switch want := r.sidecarName(); {
	case !slices.Contains(protocol.Classes, r.ModelClass):
		return fmt.Errorf("model_class %q: expected one of %v", r.ModelClass, protocol.Classes)
	case r.BestEpoch < none || r.BestEpoch >= max(1, len(r.Epochs)):
		return fmt.Errorf("best_epoch %d: expected one of %d epochs, or %d for none", r.BestEpoch, len(r.Epochs), none)
	case r.Latency != nil && !r.Failed() && len(r.Latency.Timings) == 0:
		return fmt.Errorf("a latency test without timings")
	case r.Live != nil && !r.Failed() && (len(r.Live.Points) == 0 || len(r.Live.Service) == 0):
		return fmt.Errorf("a live test without points or service times")
	case r.Failed() != (r.Sidecar == nil):
		return fmt.Errorf("expected a sidecar or an error, and not both")
	case r.Sidecar != nil && !identityText.MatchString(r.Sidecar.SHA256):
		return fmt.Errorf("checksum %q of the sidecar: expected hex digits", r.Sidecar.SHA256)
	case r.Sidecar != nil && r.Sidecar.File != want && r.Sidecar.File != r.stem()+sidecarEnding:
		return fmt.Errorf("sidecar %q: expected %q", r.Sidecar.File, want)
	}
	for i, e := range r.Evaluated() {
		if !caseName.MatchString(e) && (i > 0 || e != "") || slices.Contains(r.Evaluated()[:i], e) {
			return fmt.Errorf("evaluation %q: expected small letters, digits and single dashes, and no name twice", e)
		}
	}
	for _, s := range r.Scores {
		if !slices.Contains(r.Parts(), s.Part) {
			return fmt.Errorf("score of split %q, candidates %q, evaluation %q in the task %s", s.Split, s.Candidates, s.Evaluation, r.Key.Task)
		}
	}
	return nil
}

// checkPlace reports why the record can have no path.
func (r *Record) checkPlace() error {
	if err := r.Key.check(); err != nil {
		return err
	}
	if !identityText.MatchString(r.Identity) {
		return fmt.Errorf("identity %q: expected at least %d hex digits", r.Identity, identityDigits)
	}
	return nil
}

const sidecarEnding = ".npz"

// sidecarName returns the record's file name with the sidecar's checksum and
// another ending: a record and the one that replaces it have files of their
// own, so that the record alone identifies the facts of the trial. The checksum
// is missing in older records.
func (r *Record) sidecarName() string {
	if r.Sidecar == nil {
		return ""
	}
	return fmt.Sprintf("%s-%.*s%s", r.stem(), identityDigits, r.Sidecar.SHA256, sidecarEnding)
}

// stem returns the record's file name without its ending.
func (r *Record) stem() string { return strings.TrimSuffix(path.Base(r.Key.Path(r.Identity)), ".json") }

// encode returns the record's file: indented, fields in a fixed order, sealed.
func (r Record) encode() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("record of %s: %w", r.Key, err)
	}
	return Object.Add(append(data, '\n')), nil
}

// SameSpec reports whether two records are of the same specification, but for
// the seed.
func (r Record) SameSpec(other Record) bool { return r.SpecBut("seed") == other.SpecBut("seed") }

// SpecBut returns the specification without some of its top-level keys, in one
// fixed form.
func (r Record) SpecBut(keys ...string) string {
	var spec map[string]any
	if json.Unmarshal(r.Spec, &spec) != nil {
		return string(r.Spec) // not an object: nothing to leave out
	}
	for _, key := range keys {
		delete(spec, key)
	}
	data, _ := json.Marshal(spec) // keys are sorted; what was JSON stays JSON
	return string(data)
}

// ErrEdited is about a file that is not as it was written.
var ErrEdited = errors.New("it was changed after it was written, by hand or by a damaged disk")

// Seal is a way to add the checksum of a file to it as its last line.
type Seal struct {
	tail          string // of the file, which comes after the seal
	before, after string // of the checksum
}

var (
	// Object seals a file with one indented JSON object.
	Object = Seal{"\n}\n", ",\n  \"seal\": \"", "\"\n}\n"}
	// Lines seals a file with a JSON object a line.
	Lines = Seal{"", `{"seal":"`, "\"}\n"}
)

var digits = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Add returns data with its seal.
func (s Seal) Add(data []byte) []byte {
	body := bytes.TrimSuffix(data, []byte(s.tail))
	return append(bytes.Clone(body), s.before+checksum(data)+s.after...)
}

// Remove returns the file without its seal, which it may lack: files were not
// always sealed. One that is not what was sealed is ErrEdited.
func (s Seal) Remove(data []byte) (body []byte, sealed bool, err error) {
	rest, ends := bytes.CutSuffix(data, []byte(s.after))
	at := len(rest) - 64
	if ends && at >= 0 && digits.Match(rest[at:]) {
		if body, sealed = bytes.CutSuffix(rest[:at], []byte(s.before)); sealed {
			body = append(bytes.Clone(body), s.tail...)
			if checksum(body) != string(rest[at:]) {
				err = ErrEdited
			}
			return body, true, err
		}
	}
	for values := json.NewDecoder(bytes.NewReader(data)); ; {
		var has struct{ Seal *string }
		if values.Decode(&has) != nil {
			return data, false, nil
		}
		if has.Seal != nil {
			return data, false, ErrEdited
		}
	}
}
