package record

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/sbinet/npyio/npz"
)

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

// decodeArray is the content of a NumPy file.
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
