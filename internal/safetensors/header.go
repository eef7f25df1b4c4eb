package safetensors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// header is what stands before the data.
type header struct {
	entries  []entry
	metadata map[string]string
}

// entry is the header's field of one tensor.
type entry struct {
	name, dtype string
	shape       []int
	begin, end  int // bytes within the data
}

// parseHeader reads the JSON field by field: that keeps the order and finds
// names that occur twice.
func parseHeader(text []byte) (header, error) {
	var h header
	if !utf8.Valid(text) || !json.Valid(text) {
		return h, errors.New("its header is not JSON")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	err := parseObject(d, func(name string) error {
		if name == metadataName {
			return h.parseMetadata(d)
		}
		return h.parseEntry(d, name)
	})
	if err != nil {
		return h, fmt.Errorf("its header is of another kind: %w", err)
	}
	return h, nil
}

// parseObject calls field with every name of the object; field reads the
// value.
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

func (h *header) parseMetadata(d *json.Decoder) error {
	return parseObject(d, func(name string) error {
		token, err := d.Token()
		if err != nil {
			return err
		}
		text, ok := token.(string)
		if !ok {
			return fmt.Errorf("found %v, expected a string", token)
		}
		if h.metadata == nil {
			h.metadata = map[string]string{}
		}
		h.metadata[name] = text
		return nil
	})
}

func (h *header) parseEntry(d *json.Decoder, name string) error {
	e := entry{name: name}
	var offsets []int
	err := parseObject(d, func(field string) (err error) {
		switch field {
		case "dtype":
			err = d.Decode(&e.dtype)
		case "shape":
			e.shape, err = parseSizes(d)
		case "data_offsets":
			offsets, err = parseSizes(d)
		default:
			err = errors.New("not a field of a tensor")
		}
		return err
	})
	if err != nil {
		return err
	}
	if e.dtype == "" || e.shape == nil || len(offsets) != 2 {
		return errors.New("expected dtype, shape and two data_offsets")
	}
	e.begin, e.end = offsets[0], offsets[1]
	h.entries = append(h.entries, e)
	return nil
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
