package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// metadataName is the header's field that is no tensor.
const metadataName = "__metadata__"

// Encode returns the file that holds the tensors and the metadata; the same
// tensors give the same bytes. As in the format's own library the header is
// padded and wider types lie first, which aligns every number. The header
// keeps the tensors' order. A tensor whose shape does not fit its numbers,
// a name that occurs twice and text that is not UTF-8 are errors.
func Encode(tensors []Tensor, metadata map[string]string) ([]byte, error) {
	if err := check(tensors, metadata); err != nil {
		return nil, fmt.Errorf("cannot write as safetensors: %w", err)
	}
	places, size := layOut(tensors)
	header, err := encodeHeader(tensors, places, metadata)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 8, 8+len(header)+size)
	binary.LittleEndian.PutUint64(out, uint64(len(header)))
	out = append(out, header...)
	for _, dtype := range layout {
		for _, t := range tensors {
			if t.dtype() == dtype {
				out = t.append(out)
			}
		}
	}
	return out, nil
}

func check(tensors []Tensor, metadata map[string]string) error {
	names := map[string]bool{metadataName: true}
	for _, t := range tensors {
		if names[t.Name] || !utf8.ValidString(t.Name) {
			return fmt.Errorf("tensor name %q is taken or not UTF-8", t.Name)
		}
		names[t.Name] = true
		if t.F32 != nil && t.I64 != nil {
			return fmt.Errorf("tensor %q has numbers of two types", t.Name)
		}
		n, err := elements(t.Shape)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		if has := len(t.F32) + len(t.I64); has != n {
			return fmt.Errorf("tensor %q has %d numbers and shape %v", t.Name, has, t.Shape)
		}
	}
	for k, v := range metadata {
		if !utf8.ValidString(k) || !utf8.ValidString(v) {
			return fmt.Errorf("metadata %q is not UTF-8", k)
		}
	}
	return nil
}

// place is what the header says of one tensor.
type place struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"` // first byte and the one after the last
}

// layout is the order of the types in the data.
var layout = []string{"I64", "F32"}

// layOut gives every tensor its place, and the size of the data.
func layOut(tensors []Tensor) (places []place, size int) {
	places = make([]place, len(tensors))
	for _, dtype := range layout {
		for i, t := range tensors {
			if t.dtype() != dtype {
				continue
			}
			end := size + (len(t.F32)+len(t.I64))*width[dtype]
			// Without sizes the shape is [], not null.
			places[i] = place{dtype, append([]int{}, t.Shape...), [2]int{size, end}}
			size = end
		}
	}
	return places, size
}

// encodeHeader writes the fields in a fixed order, padded with spaces so
// that the data starts at a multiple of eight bytes.
func encodeHeader(tensors []Tensor, places []place, metadata map[string]string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	if len(metadata) > 0 {
		if err := encodeField(&b, metadataName, metadata); err != nil {
			return nil, err
		}
	}
	for i, t := range tensors {
		if err := encodeField(&b, t.Name, places[i]); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	return b.Bytes(), nil
}

func encodeField(b *bytes.Buffer, name string, value any) error {
	if b.Len() > 1 {
		b.WriteByte(',')
	}
	if err := encodeJSON(b, name); err != nil {
		return err
	}
	b.WriteByte(':')
	return encodeJSON(b, value)
}

// encodeJSON leaves < and > as they are, as the format's own library does.
func encodeJSON(b *bytes.Buffer, value any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // Encode ends the line
	return nil
}
