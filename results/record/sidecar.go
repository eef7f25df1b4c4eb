package record

import (
	"bytes"
	"fmt"
	"slices"

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

// array is the name of a column's entry in the archive. numpy.load leaves
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

// encode is the archive of what was observed in the trial: the same bytes for
// the same facts.
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
