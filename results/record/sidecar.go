package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/sbinet/npyio/npz"

	"dgsbench/metrics"
	"dgsbench/protocol"
)

// pack returns the archive of what was observed in the trial: the same bytes
// for the same content.
func pack(r Record, c Contents) ([]byte, error) {
	var buf bytes.Buffer
	w := npz.NewWriter(&buf)
	err := c.encode(r, w)
	if err == nil {
		err = w.Close()
	}
	return buf.Bytes(), err
}

// unpack reads what pack wrote.
func unpack(r Record, data []byte, into Contents) error {
	archive, err := npz.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	return into.decode(r, archive)
}

// column is a field of metrics.Facts in a sidecar.
type column struct {
	name   string
	values any // a pointer to a slice
}

const columnAgainst = "against" // absent where it was not counted

func columnsOf(task protocol.Task, f *metrics.Facts) []column {
	if task == protocol.LinkPrediction {
		return []column{{"greater", &f.Greater}, {"equal", &f.Equal}, {columnAgainst, &f.Against}}
	}
	return []column{{"score", &f.Score}, {"label", &f.Label}}
}

// array returns the name of a column's entry in the archive,
// SPLIT[.CANDIDATES][.EVALUATION].COLUMN, as in test.all_nodes.greater and
// test.all_nodes.replay.greater. numpy.load leaves the .npy out.
func (p Part) array(column string) string {
	name := string(p.Split) + "."
	for _, word := range []string{string(p.Candidates), p.Evaluation} {
		if word != "" {
			name += word + "."
		}
	}
	return name + column + ".npy"
}

func (o Observed) encode(r Record, w *npz.Writer) error {
	for _, part := range r.Parts() {
		facts, ok := o[part]
		if !ok {
			continue
		}
		if err := facts.Check(); err != nil {
			return fmt.Errorf("%s %s: %w", part.Split, part.Candidates, err)
		}
		for _, c := range columnsOf(r.Key.Task, &facts) {
			if c.name == columnAgainst && facts.Against == nil {
				continue
			}
			if err := w.Write(part.array(c.name), c.values); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxEvents fit a stream, whose nodes and events are int32.
const maxEvents = 1 << 30

// decode reads the parts that the archive has. No array may be longer than the
// stream.
func (o Observed) decode(r Record, archive *npz.Reader) error {
	limit := maxEvents
	if r.Data != nil && r.Live == nil { // which repeats events
		limit = min(limit, r.Data.Events)
	}
	for _, part := range r.Parts() {
		var facts metrics.Facts
		found := false
		for _, c := range columnsOf(r.Key.Task, &facts) {
			if name := part.array(c.name); slices.Contains(archive.Keys(), name) {
				found = true
				if err := readArray(archive, name, c.values, limit); err != nil {
					return err
				}
			}
		}
		if !found {
			continue
		}
		if r.Key.Task == protocol.NodeClassification {
			facts.LogOdds = r.LogOdds
			if r.Live == nil {
				facts.Days = r.days(part.Split)
			}
		}
		if err := facts.Check(); err != nil {
			return fmt.Errorf("%s %s: %w", part.Split, part.Candidates, err)
		}
		o[part] = facts
	}
	return nil
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

// maxHeader is more bytes than a header has.
const maxHeader = 1 << 10

// readArray reads an array of at most limit values from an archive into a
// slice. Package npy does not serve: it panics at some damaged headers, takes
// the length on trust, and fills up what is too short with zeros.
func readArray(archive *npz.Reader, name string, slice any, limit int) error {
	entry, err := archive.Open(name)
	if err != nil {
		return err
	}
	defer entry.Close()
	values := reflect.ValueOf(slice).Elem()
	maxBytes := int64(limit)*int64(values.Type().Elem().Size()) + maxHeader
	data, err := io.ReadAll(io.LimitReader(entry, maxBytes+1))
	switch {
	case err != nil:
	case int64(len(data)) > maxBytes:
		err = fmt.Errorf("expected %d values at most", limit)
	default:
		err = decodeArray(data, values)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// decodeArray sets a slice to the content of a NumPy file.
func decodeArray(data []byte, slice reflect.Value) error {
	if len(data) < beforeText || string(data[:len(magic)]) != magic {
		return fmt.Errorf("expected an array of NumPy, version 2")
	}
	data = data[beforeText:]
	m := description.FindSubmatch(data)
	if m == nil {
		return fmt.Errorf("expected an array of one dimension")
	}
	element := slice.Type().Elem()
	if got, want := string(m[1]), types[element.Kind()]; got != want {
		return fmt.Errorf("values of type %s, expected %s", got, want)
	}
	values, size := data[len(m[0]):], int(element.Size())
	n, err := strconv.Atoi(string(m[2]))
	if err != nil || len(values)%size != 0 || n != len(values)/size {
		return fmt.Errorf("%d bytes of values, expected %s values", len(values), m[2])
	}
	slice.Set(reflect.MakeSlice(slice.Type(), n, n))
	_, err = binary.Decode(values, binary.LittleEndian, slice.Interface())
	return err
}

// types are NumPy's names of ours.
var types = map[reflect.Kind]string{reflect.Int8: "|i1", reflect.Int32: "<i4", reflect.Int64: "<i8", reflect.Float32: "<f4"}
