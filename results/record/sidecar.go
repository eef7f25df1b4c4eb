package record

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"

	"dgsbench/metrics"
)

// The columns of metrics.Facts in a sidecar. Arrays are called
// SPLIT[.CANDIDATES].COLUMN, as in test.all_nodes.greater.
const (
	columnGreater = "greater"
	columnEqual   = "equal"
	columnScore   = "score"
	columnLabel   = "label"
)

// array is the name of a column's entry in the archive. numpy.load leaves
// the .npy out.
func (p Part) array(column string) string {
	name := p.Split + "."
	if p.Candidates != "" {
		name += p.Candidates + "."
	}
	return name + column + ".npy"
}

// encode is the archive of what was observed: the same bytes for the same
// facts.
func (o Observed) encode(task string) ([]byte, error) {
	var buf bytes.Buffer
	w := npz.NewWriter(&buf)
	for _, part := range Parts(task) {
		facts, ok := o[part]
		if !ok {
			continue
		}
		if err := facts.Check(); err != nil {
			return nil, fmt.Errorf("%s %s: %w", part.Split, part.Candidates, err)
		}
		if err := writeFacts(w, task, part, facts); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func writeFacts(w *npz.Writer, task string, p Part, f metrics.Facts) error {
	if task == metrics.LinkPrediction {
		if err := w.Write(p.array(columnGreater), f.Greater); err != nil {
			return err
		}
		return w.Write(p.array(columnEqual), f.Equal)
	}
	if err := w.Write(p.array(columnScore), f.Score); err != nil {
		return err
	}
	return w.Write(p.array(columnLabel), f.Label)
}

// decodeSidecar reads what encode wrote.
func decodeSidecar(task string, data []byte) (Observed, error) {
	r, err := npz.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	names := r.Keys()
	out := Observed{}
	for _, part := range Parts(task) {
		var f metrics.Facts
		columns := map[string]any{columnScore: &f.Score, columnLabel: &f.Label}
		if task == metrics.LinkPrediction {
			columns = map[string]any{columnGreater: &f.Greater, columnEqual: &f.Equal}
		}
		found := false
		for column, into := range columns {
			if name := part.array(column); slices.Contains(names, name) {
				found = true
				if err := readArray(r, name, into); err != nil {
					return nil, err
				}
			}
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

// readArray unpacks an array whole before it is parsed: npyio takes a short
// read, which a decompressor may give at any point, for a full one and
// returns wrong numbers without an error.
func readArray(r *npz.Reader, name string, into any) error {
	entry, err := r.Open(name)
	if err != nil {
		return err
	}
	defer entry.Close()
	data, err := io.ReadAll(entry)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return npy.Read(bytes.NewReader(data), into)
}
