// Package pickle reads what Python's pickle writes of a dictionary whose keys are
// tuples of whole numbers and whose values are NumPy arrays of one dimension, as TGB
// keeps the negatives of events. It runs nothing: every opcode and every name in the
// file is one of a short list, and others are refused. Protocols 2 to 5 are read, of
// NumPy 1 and 2.
package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Dict calls each with every entry of the dictionary, in the order of the file. key
// and values are valid until it returns. The arrays are not copied; beside data, a
// file that was made to take memory takes 3 GB and 8 times the size of data at most.
func Dict(data []byte, each func(key, values []int64) error) error {
	m := machine{data: data, each: each, memo: map[uint64]any{}}
	err := m.run()
	var own entryError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own.error
	}
	return fmt.Errorf("pickle, byte %d: %w", m.at, err)
}

// entryError is an error of each.
type entryError struct{ error }

// The values of the machine are these, *number and *array, and nil, bool, int64,
// float64 and []byte.
type (
	mark   struct{}
	tuple  []any
	dict   struct{} // the one that is read
	text   []byte
	global string // a name that the file may use

	// number is a type of NumPy's.
	number struct {
		kind byte // i, u or f
		size int
	}
	array struct {
		of  number
		raw []byte
	}
)

// machine is Python's, as far as it is needed.
type machine struct {
	data  []byte
	at    int // of the opcode
	next  int
	stack []any
	memo  map[uint64]any
	begun bool // the dictionary
	each  func(key, values []int64) error

	key, values []int64 // of the last entry
}

// globals are what a file may name. NumPy 2 has core under another name.
var globals = map[string]global{
	"numpy.core.multiarray scalar": "scalar", "numpy.core.multiarray _reconstruct": "_reconstruct", "numpy.core.numeric _frombuffer": "_frombuffer",
	"numpy._core.multiarray scalar": "scalar", "numpy._core.multiarray _reconstruct": "_reconstruct", "numpy._core.numeric _frombuffer": "_frombuffer",
	"numpy dtype": "dtype", "numpy ndarray": "ndarray", "_codecs encode": "encode", "__builtin__ bytes": "bytes",
}

const longestName = 100

var errEnd = errors.New("the file ends too early")

// take returns the next n bytes.
func (m *machine) take(n uint64) ([]byte, error) {
	if n > uint64(len(m.data)-m.next) {
		return nil, errEnd
	}
	b := m.data[m.next : m.next+int(n) : m.next+int(n)]
	m.next += int(n)
	return b, nil
}

// uint returns the next number of that many bytes.
func (m *machine) uint(bytes int) (uint64, error) {
	b, err := m.take(uint64(bytes))
	if err != nil {
		return 0, err
	}
	var all [8]byte
	copy(all[:], b)
	return binary.LittleEndian.Uint64(all[:]), nil
}

// counted returns the bytes that follow their number, which has that many bytes.
func (m *machine) counted(bytes int) ([]byte, error) {
	n, err := m.uint(bytes)
	if err != nil {
		return nil, err
	}
	return m.take(n)
}

// line returns what stands before the next end of a line.
func (m *machine) line() (string, error) {
	line, _, found := strings.Cut(string(m.data[m.next:min(len(m.data), m.next+longestName)]), "\n")
	if !found {
		return "", fmt.Errorf("a name that does not end within %d bytes", longestName)
	}
	m.next += len(line) + 1
	return line, nil
}

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

// pop returns the last n values.
func (m *machine) pop(n int) ([]any, error) {
	if n > len(m.stack) {
		return nil, errors.New("an opcode without its values")
	}
	v := m.stack[len(m.stack)-n:]
	m.stack = m.stack[:len(m.stack)-n]
	return v, nil
}

// popMark returns the values after the last mark.
func (m *machine) popMark() ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, ok := m.stack[i].(mark); ok {
			v := m.stack[i+1:]
			m.stack = m.stack[:i]
			return v, nil
		}
	}
	return nil, errors.New("an opcode without its mark")
}
