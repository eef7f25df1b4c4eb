// Package safetensors reads and writes tensors in the safetensors format, so
// that PyTorch, NumPy and JAX users open them with the library they have:
// https://github.com/huggingface/safetensors#format.
//
// A file is the length of its header (8 bytes, little-endian), the header
// (JSON: type, shape and offsets of every tensor, and a map of strings called
// __metadata__), and the numbers, little-endian and without gaps. Of the
// format's types only F32 and I64 are supported.
package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Tensor is a named block of numbers, row major. At most one of F32 and I64
// is set; a tensor without numbers may have neither.
type Tensor struct {
	Name  string
	Shape []int
	F32   []float32
	I64   []int64
}

// width is the number of bytes of an element of each type, and layout the
// order of the types in the data.
var (
	width  = map[string]int{"I64": 8, "F32": 4}
	layout = []string{"I64", "F32"}
)

// String returns the tensor's name, type and shape.
func (t Tensor) String() string { return fmt.Sprintf("%s (%s %v)", t.Name, t.dtype(), t.Shape) }

func (t Tensor) dtype() string {
	if t.I64 != nil {
		return "I64"
	}
	return "F32"
}

// elements returns the product of the sizes.
func elements(shape []int) (int, error) {
	n := 1
	for _, size := range shape {
		if size < 0 || size > 0 && n > math.MaxInt/size {
			return 0, fmt.Errorf("shape %v is impossible", shape)
		}
		n *= size
	}
	return n, nil
}

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
	entries, size := make([]entry, len(tensors)), 0
	inLayout(tensors, func(i int, t Tensor) {
		begin := size
		size += width[t.dtype()] * (len(t.F32) + len(t.I64))
		// Without sizes the shape is [], not null.
		entries[i] = entry{t.Name, t.dtype(), append([]int{}, t.Shape...), [2]int{begin, size}}
	})
	header := encodeHeader(entries, metadata)
	out := make([]byte, 0, 8+len(header)+size) // models are large: one copy
	out = append(binary.LittleEndian.AppendUint64(out, uint64(len(header))), header...)
	inLayout(tensors, func(_ int, t Tensor) {
		for _, v := range t.I64 {
			out = binary.LittleEndian.AppendUint64(out, uint64(v))
		}
		for _, v := range t.F32 {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
	})
	return out, nil
}

// inLayout calls do with the tensors in the order of their data.
func inLayout(tensors []Tensor, do func(i int, t Tensor)) {
	for _, dtype := range layout {
		for i, t := range tensors {
			if t.dtype() == dtype {
				do(i, t)
			}
		}
	}
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

// entry is the header's field of one tensor.
type entry struct {
	Name    string `json:"-"`
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"` // first byte and the one after the last, within the data
}

// encodeHeader writes the entries in their order, padded with spaces so
// that the data starts at a multiple of eight bytes.
func encodeHeader(entries []entry, metadata map[string]string) []byte {
	var text []string
	if len(metadata) > 0 {
		text = append(text, encodeJSON(metadataName)+":"+encodeJSON(metadata))
	}
	for _, e := range entries {
		text = append(text, encodeJSON(e.Name)+":"+encodeJSON(e))
	}
	header := []byte("{" + strings.Join(text, ",") + "}")
	for len(header)%8 != 0 {
		header = append(header, ' ')
	}
	return header
}

// encodeJSON returns a value in JSON. < and > are not escaped, as in the
// format's own library.
func encodeJSON(value any) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("safetensors: %v", err)) // texts and whole numbers can be encoded
	}
	return strings.TrimSuffix(out.String(), "\n")
}
