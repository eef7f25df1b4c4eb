package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"

	"github.com/sbinet/npyio/npz"

	"dgsbench/metrics"
	"dgsbench/protocol"
)

// The columns of metrics.Facts in a sidecar. Arrays are called
// SPLIT[.CANDIDATES][.EVALUATION].COLUMN, as in test.all_nodes.greater and
// test.all_nodes.replay.greater.
const (
	columnGreater = "greater"
	columnEqual   = "equal"
	columnAgainst = "against" // absent where it was not counted
	columnScore   = "score"
	columnLabel   = "label"
)

// array returns the name of a column's entry in the archive. numpy.load leaves
// the .npy out.
func (p Part) array(column string) string {
	name := string(p.Split) + "."
	for _, word := range []string{string(p.Candidates), p.Evaluation} {
		if word != "" {
			name += word + "."
		}
	}
	return name + column + ".npy"
}

// encode returns the archive of what was observed in the trial: the same bytes
// for the same facts.
func (o Observed) encode(r Record) ([]byte, error) {
	var buf bytes.Buffer
	w := npz.NewWriter(&buf)
	for _, part := range r.Parts() {
		facts, ok := o[part]
		if !ok {
			continue
		}
		if err := facts.Check(); err != nil {
			return nil, fmt.Errorf("%s %s: %w", part.Split, part.Candidates, err)
		}
		if err := writeFacts(w, r.Key.Task, part, facts); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func writeFacts(w *npz.Writer, task protocol.Task, p Part, f metrics.Facts) error {
	if task == protocol.LinkPrediction {
		if err := w.Write(p.array(columnGreater), f.Greater); err != nil {
			return err
		}
		if err := w.Write(p.array(columnEqual), f.Equal); err != nil || f.Against == nil {
			return err
		}
		return w.Write(p.array(columnAgainst), f.Against)
	}
	if err := w.Write(p.array(columnScore), f.Score); err != nil {
		return err
	}
	return w.Write(p.array(columnLabel), f.Label)
}

// decodeSidecar reads what encode wrote. No array may be longer than the stream.
func decodeSidecar(r Record, data []byte) (Observed, error) {
	file, err := npz.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	out := Observed{}
	for _, part := range r.Parts() {
		f, found, err := readFacts(file, r.Key.Task, part, r.events())
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		if err := f.Check(); err != nil {
			return nil, fmt.Errorf("%s %s: %w", part.Split, part.Candidates, err)
		}
		out[part] = f
	}
	return out, nil
}

// readFacts reads the columns of a part; found is false where there are none.
func readFacts(r *npz.Reader, task protocol.Task, p Part, events int) (f metrics.Facts, found bool, err error) {
	columns := map[string]func(name string) error{
		columnScore: func(name string) error { return readArray(r, name, &f.Score, events) },
		columnLabel: func(name string) error { return readArray(r, name, &f.Label, events) },
	}
	if task == protocol.LinkPrediction {
		columns = map[string]func(name string) error{
			columnGreater: func(name string) error { return readArray(r, name, &f.Greater, events) },
			columnEqual:   func(name string) error { return readArray(r, name, &f.Equal, events) },
			columnAgainst: func(name string) error { return readArray(r, name, &f.Against, events) },
		}
	}
	for column, read := range columns {
		if name := p.array(column); slices.Contains(r.Keys(), name) {
			found = true
			if err := read(name); err != nil {
				return f, true, err
			}
		}
	}
	return f, found, nil
}

// TestDigest returns a SHA-256 of what was observed on the test part in one
// evaluation: the same for the same scores or counts, bit for bit.
func (o Observed) TestDigest(evaluation string) [sha256.Size]byte {
	h := sha256.New()
	for _, candidates := range []protocol.CandidateSet{"", protocol.AllNodes, protocol.Destinations} {
		f := o[Part{Split: protocol.Test, Candidates: candidates, Evaluation: evaluation}]
		for _, column := range []any{uint64(f.Len()), f.Greater, f.Equal, f.Score} {
			if err := binary.Write(h, binary.LittleEndian, column); err != nil {
				panic(fmt.Sprintf("record: %v", err)) // columns have a fixed size
			}
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// description is how a NumPy file (.npy) with one dimension describes itself,
// behind a magic string, two bytes of version and four of the description's
// length.
var description = regexp.MustCompile(`^\{'descr': '([^']*)', 'fortran_order': False, 'shape': \((\d+),\), \} *\n`)

const (
	magic      = "\x93NUMPY\x02\x00"
	beforeText = len(magic) + 4
)

// mostHeader is more bytes than a header has.
const mostHeader = 1 << 10

// readArray reads an array of at most most values from an archive. Package npy
// does not serve: it panics at some damaged headers, takes the length on
// trust, and fills up what is too short with zeros.
func readArray[T int8 | int32 | int64 | float32](r *npz.Reader, name string, into *[]T, most int) error {
	entry, err := r.Open(name)
	if err != nil {
		return err
	}
	defer entry.Close()
	var value T
	limit := int64(most)*int64(binary.Size(value)) + mostHeader
	data, err := io.ReadAll(io.LimitReader(entry, limit+1))
	switch {
	case err != nil:
	case int64(len(data)) > limit:
		err = fmt.Errorf("expected %d values at most", most)
	default:
		*into, err = decodeArray[T](data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// decodeArray returns the content of a NumPy file.
func decodeArray[T int8 | int32 | int64 | float32](data []byte) ([]T, error) {
	var value T
	if len(data) < beforeText || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("expected an array of NumPy, version 2")
	}
	data = data[beforeText:]
	m := description.FindSubmatch(data)
	if m == nil {
		return nil, fmt.Errorf("expected an array of one dimension")
	}
	if got, want := string(m[1]), types[fmt.Sprintf("%T", value)]; got != want {
		return nil, fmt.Errorf("values of type %s, expected %s", got, want)
	}
	values := data[len(m[0]):]
	n, err := strconv.Atoi(string(m[2]))
	if size := binary.Size(value); err != nil || len(values)%size != 0 || n != len(values)/size {
		return nil, fmt.Errorf("%d bytes of values, expected %s values", len(values), m[2])
	}
	out := make([]T, n)
	_, err = binary.Decode(values, binary.LittleEndian, out)
	return out, err
}

// types are NumPy's names of ours.
var types = map[string]string{"int8": "|i1", "int32": "<i4", "int64": "<i8", "float32": "<f4"}
