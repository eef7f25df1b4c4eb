package safetensors

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// Decode returns what Encode was given, the tensors in the header's order.
// name is the file's, for the message: a file that is damaged, of another
// format or with another type of numbers is one error with the reason.
// Metadata is nil if there is none.
func Decode(name string, data []byte) ([]Tensor, map[string]string, error) {
	tensors, metadata, err := decode(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: not a whole safetensors file: %w", name, err)
	}
	return tensors, metadata, nil
}

// mostHeader is the format's own limit.
const mostHeader = 100_000_000

func decode(data []byte) ([]Tensor, map[string]string, error) {
	if len(data) < 8 {
		return nil, nil, fmt.Errorf("it has %d bytes, expected the header's length in the first 8", len(data))
	}
	size, rest := binary.LittleEndian.Uint64(data), data[8:]
	if size > uint64(len(rest)) {
		return nil, nil, fmt.Errorf("its first 8 bytes announce a header of %d bytes, but %d follow", size, len(rest))
	}
	if size > mostHeader {
		return nil, nil, fmt.Errorf("its header has %d bytes, expected at most %d", size, mostHeader)
	}
	h, err := parseHeader(rest[:size])
	if err != nil {
		return nil, nil, err
	}
	body := rest[size:]
	if err := checkCovers(h.entries, len(body)); err != nil {
		return nil, nil, err
	}
	var tensors []Tensor
	for _, e := range h.entries {
		if err := e.check(); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", e.name, err)
		}
		t := Tensor{Name: e.name, Shape: e.shape}
		t.read(e.dtype, body[e.begin:e.end])
		tensors = append(tensors, t)
	}
	return tensors, h.metadata, nil
}

// checkCovers reports a tensor that lies outside the data or in another one,
// and data of no tensor.
func checkCovers(entries []entry, size int) error {
	sorted := slices.SortedFunc(slices.Values(entries), func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	at, before := 0, ""
	for _, e := range sorted {
		switch {
		case e.end < e.begin || e.end > size:
			return fmt.Errorf("tensor %q lies at bytes %d to %d of %d bytes of data", e.name, e.begin, e.end, size)
		case e.begin < at:
			return fmt.Errorf("tensors %q and %q overlap", before, e.name)
		case e.begin > at:
			return fmt.Errorf("bytes %d to %d of the data are of no tensor", at, e.begin)
		}
		at, before = e.end, e.name
	}
	if at < size {
		return fmt.Errorf("bytes %d to %d of the data are of no tensor", at, size)
	}
	return nil
}

// check compares type and shape with the size.
func (e *entry) check() error {
	w, known := width[e.dtype]
	if !known {
		return fmt.Errorf("type %q is not supported, expected F32 or I64", e.dtype)
	}
	n, err := elements(e.shape)
	if err != nil {
		return err
	}
	if size := e.end - e.begin; size%w != 0 || n != size/w {
		return fmt.Errorf("shape %v of %s does not fit its %d bytes", e.shape, e.dtype, size)
	}
	return nil
}
