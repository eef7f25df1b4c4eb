package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Decode returns what Encode was given, the tensors in the header's order.
// name is the file's, for the message: a file that is damaged, of another
// format or with another type of numbers is one error with the reason.
// Metadata is nil if there is none.
func Decode(name string, data []byte) (tensors []Tensor, metadata map[string]string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: not a whole safetensors file: %w", name, err)
		}
	}()
	if len(data) < 8 {
		return nil, nil, fmt.Errorf("it has %d bytes, expected the header's length in the first 8", len(data))
	}
	size, rest := binary.LittleEndian.Uint64(data), data[8:]
	if size > uint64(len(rest)) {
		return nil, nil, fmt.Errorf("its first 8 bytes announce a header of %d bytes, but %d follow", size, len(rest))
	}
	if size > maxHeader {
		return nil, nil, fmt.Errorf("its header has %d bytes, expected at most %d", size, maxHeader)
	}
	entries, metadata, err := parseHeader(rest[:size])
	if err != nil {
		return nil, nil, err
	}
	body := rest[size:]
	if err := checkCovers(entries, len(body)); err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if err := e.check(); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", e.Name, err)
		}
		t, data := Tensor{Name: e.Name, Shape: e.Shape}, body[e.Offsets[0]:e.Offsets[1]]
		if e.DType == "I64" {
			t.I64 = make([]int64, len(data)/8)
			_, err = binary.Decode(data, binary.LittleEndian, t.I64)
		} else {
			t.F32 = make([]float32, len(data)/4)
			_, err = binary.Decode(data, binary.LittleEndian, t.F32)
		}
		if err != nil {
			return nil, nil, err
		}
		tensors = append(tensors, t)
	}
	return tensors, metadata, nil
}

// maxHeader is the format's own limit.
const maxHeader = 100_000_000

// checkCovers reports a tensor that lies outside the data or in another one,
// and data of no tensor.
func checkCovers(entries []entry, size int) error {
	sorted := slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return slices.Compare(a.Offsets[:], b.Offsets[:]) })
	at, before := 0, ""
	for _, e := range sorted {
		begin, end := e.Offsets[0], e.Offsets[1]
		switch {
		case end < begin || end > size:
			return fmt.Errorf("tensor %q lies at bytes %d to %d of %d bytes of data", e.Name, begin, end, size)
		case begin < at:
			return fmt.Errorf("tensors %q and %q overlap", before, e.Name)
		case begin > at:
			return fmt.Errorf("bytes %d to %d of the data belong to no tensor", at, begin)
		}
		at, before = end, e.Name
	}
	if at < size {
		return fmt.Errorf("bytes %d to %d of the data belong to no tensor", at, size)
	}
	return nil
}

// check compares type and shape with the size.
func (e *entry) check() error {
	w, known := width[e.DType]
	if !known {
		return fmt.Errorf("type %q is not supported, expected F32 or I64", e.DType)
	}
	n, err := elements(e.Shape)
	if err != nil {
		return err
	}
	if size := e.Offsets[1] - e.Offsets[0]; size%w != 0 || n != size/w {
		return fmt.Errorf("shape %v of %s does not fit its %d bytes", e.Shape, e.DType, size)
	}
	return nil
}

// parseHeader reads the JSON field by field: that keeps the order and finds
// names that occur twice.
func parseHeader(text []byte) (entries []entry, metadata map[string]string, err error) {
	if !utf8.Valid(text) || !json.Valid(text) {
		return nil, nil, errors.New("its header is not JSON")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	err = parseObject(d, func(name string) (err error) {
		if name == metadataName {
			metadata, err = parseMetadata(d)
			return err
		}
		e, err := parseEntry(d, name)
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("its header is of another kind: %w", err)
	}
	return entries, metadata, nil
}

// parseObject calls field with every name of the object; field reads the value.
func parseObject(d *json.Decoder, field func(name string) error) error {
	open, err := d.Token()
	if err != nil {
		return err
	}
	if open != json.Delim('{') {
		return fmt.Errorf("found %v, expected an object", open)
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // JSON allows nothing else
		if seen[name] {
			return fmt.Errorf("%q occurs twice", name)
		}
		seen[name] = true
		if err := field(name); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	_, err = d.Token() // the closing brace
	return err
}

// parseMetadata returns nil if there is none.
func parseMetadata(d *json.Decoder) (metadata map[string]string, err error) {
	err = parseObject(d, func(name string) error {
		token, err := d.Token()
		if err != nil {
			return err
		}
		text, ok := token.(string)
		if !ok {
			return fmt.Errorf("found %v, expected a string", token)
		}
		if metadata == nil {
			metadata = map[string]string{}
		}
		metadata[name] = text
		return nil
	})
	return metadata, err
}

func parseEntry(d *json.Decoder, name string) (entry, error) {
	e := entry{Name: name}
	var offsets []int
	err := parseObject(d, func(field string) (err error) {
		switch field {
		case "dtype":
			err = d.Decode(&e.DType)
		case "shape":
			e.Shape, err = parseSizes(d)
		case "data_offsets":
			offsets, err = parseSizes(d)
		default:
			err = errors.New("not a field of a tensor")
		}
		return err
	})
	if err != nil {
		return e, err
	}
	if e.DType == "" || e.Shape == nil || len(offsets) != 2 {
		return e, errors.New("expected dtype, shape and two data_offsets")
	}
	e.Offsets = [2]int(offsets)
	return e, nil
}

// parseSizes reads an array of whole numbers from 0. It is never nil without
// an error.
func parseSizes(d *json.Decoder) ([]int, error) {
	var numbers []json.RawMessage
	if err := d.Decode(&numbers); err != nil {
		return nil, err
	}
	if numbers == nil {
		return nil, errors.New("found null, expected an array")
	}
	sizes := make([]int, len(numbers))
	for i, text := range numbers {
		n, err := strconv.Atoi(string(text))
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%s is not a size", text)
		}
		sizes[i] = n
	}
	return sizes, nil
}
