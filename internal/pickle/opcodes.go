package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// widths are how many bytes follow an opcode: of its number, or of the length of what
// comes then.
var widths = map[byte]int{
	'K': 1, 'M': 2, 'J': 4, 'G': 8, 0x8c: 1, 'X': 4, 'C': 1, 'B': 4, 0x8e: 8, 0x96: 8, 'q': 1, 'h': 1, 'r': 4, 'j': 4,
}

// tupleSizes are how many values an opcode makes a tuple of.
var tupleSizes = map[byte]int{')': 0, 0x85: 1, 0x86: 2, 0x87: 3}

// Values that may wait or be kept at once: far more than the files of tgbl-wiki need.
const (
	mostWaiting = 1 << 20
	mostKept    = 1 << 24
)

// run executes the file to its end.
func (m *machine) run() error {
	for {
		m.at = m.next
		code, err := m.take(1)
		if err != nil {
			return err
		}
		if code[0] == '.' {
			if len(m.stack) != 1 || m.stack[0] != any(dict{}) {
				return errors.New("it holds something else than one dictionary")
			}
			return nil
		}
		if err := m.do(code[0]); err != nil {
			return err
		}
		if len(m.stack) > mostWaiting || len(m.memo) > mostKept {
			return errors.New("more values than a dictionary of arrays needs")
		}
	}
}

// do executes an opcode. Their names are those of Python's pickletools.
func (m *machine) do(code byte) error {
	switch code {
	case 0x80: // PROTO
		version, err := m.uint(1)
		if err == nil && (version < 2 || version > 5) {
			err = fmt.Errorf("protocol %d, expected 2 to 5", version)
		}
		return err
	case 0x95: // FRAME
		_, err := m.take(8)
		return err
	case '}': // EMPTY_DICT
		if m.begun {
			return errors.New("a second dictionary")
		}
		m.begun = true
		m.push(dict{})
	case '(': // MARK
		m.push(mark{})
	case 'N': // NONE
		m.push(nil)
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		m.push(code == 0x88)
	case 'K', 'M', 'J', 0x8a, 'G':
		return m.number(code)
	case 0x8c, 'X': // SHORT_BINUNICODE, BINUNICODE
		b, err := m.counted(widths[code])
		if err == nil {
			m.push(text(b))
		}
		return err
	case 'C', 'B', 0x8e, 0x96: // SHORT_BINBYTES, BINBYTES, BINBYTES8, BYTEARRAY8
		b, err := m.counted(widths[code])
		if err == nil {
			m.push(b)
		}
		return err
	case 0x94, 'q', 'r', 'h', 'j':
		return m.remember(code)
	case ')', 0x85, 0x86, 0x87, 't': // EMPTY_TUPLE, TUPLE1, TUPLE2, TUPLE3, TUPLE
		var v []any
		var err error
		if code == 't' {
			v, err = m.popMark()
		} else {
			v, err = m.pop(tupleSizes[code])
		}
		if err == nil {
			m.push(tuple(slices.Clone(v)))
		}
		return err
	case 'c', 0x93:
		return m.name(code)
	case 'R': // REDUCE
		v, err := m.pop(2)
		if err != nil {
			return err
		}
		made, err := reduce(v[0], v[1])
		m.push(made)
		return err
	case 'b': // BUILD
		v, err := m.pop(2)
		if err != nil {
			return err
		}
		m.push(v[0])
		return build(v[0], v[1])
	case 's', 'u':
		return m.set(code)
	default:
		return fmt.Errorf("opcode %#02x, which no dictionary of arrays needs", code)
	}
	return nil
}

// number pushes a number that the file has: BININT1, BININT2, BININT, LONG1, BINFLOAT.
func (m *machine) number(code byte) error {
	size := widths[code]
	if code == 0x8a {
		n, err := m.uint(1)
		if err != nil {
			return err
		}
		if n > 8 {
			return fmt.Errorf("a whole number of %d bytes, expected 8 at most", n)
		}
		size = int(n)
	}
	b, err := m.take(uint64(size))
	if err != nil {
		return err
	}
	if code == 'G' {
		m.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
		return nil
	}
	x := int64(0)
	for i, c := range b {
		x |= int64(c) << (8 * i)
	}
	if signed := code == 'J' || code == 0x8a; signed && size > 0 {
		unused := 64 - 8*size
		x = x << unused >> unused
	}
	m.push(x)
	return nil
}

// remember puts the last value into the memo, or a value of the memo on the stack:
// MEMOIZE, BINPUT, LONG_BINPUT, BINGET, LONG_BINGET.
func (m *machine) remember(code byte) error {
	index := uint64(len(m.memo))
	if code != 0x94 {
		var err error
		if index, err = m.uint(widths[code]); err != nil {
			return err
		}
	}
	if code == 'h' || code == 'j' {
		v, ok := m.memo[index]
		if !ok {
			return fmt.Errorf("nothing was kept as number %d", index)
		}
		m.push(v)
		return nil
	}
	if len(m.stack) == 0 {
		return errors.New("an opcode without its value")
	}
	m.memo[index] = m.stack[len(m.stack)-1]
	return nil
}

// name pushes what a name stands for: GLOBAL, STACK_GLOBAL.
func (m *machine) name(code byte) error {
	var module, name any
	if code == 'c' {
		var err error
		if module, err = m.line(); err == nil {
			name, err = m.line()
		}
		if err != nil {
			return err
		}
	} else {
		v, err := m.pop(2)
		if err != nil {
			return err
		}
		module, name = v[0], v[1]
		for i := range v {
			if b, ok := v[i].(text); ok && len(b) > longestName {
				return errors.New("a name that is too long")
			}
		}
	}
	g, ok := globals[fmt.Sprintf("%s %s", module, name)]
	if !ok {
		return fmt.Errorf("the name %.100q, which no dictionary of arrays needs", fmt.Sprintf("%s.%s", module, name))
	}
	m.push(g)
	return nil
}

// set hands on entries of the dictionary: SETITEM, SETITEMS.
func (m *machine) set(code byte) error {
	var v []any
	var err error
	if code == 's' {
		v, err = m.pop(2)
	} else {
		v, err = m.popMark()
	}
	if err != nil {
		return err
	}
	if len(m.stack) == 0 || m.stack[len(m.stack)-1] != any(dict{}) || len(v)%2 > 0 {
		return errors.New("entries of something that is no dictionary")
	}
	for ; len(v) > 0; v = v[2:] {
		key, ok := v[0].(tuple)
		values, isArray := v[1].(*array)
		if !ok || !isArray {
			return errors.New("an entry that is no tuple of whole numbers with an array")
		}
		m.key, m.values = m.key[:0], m.values[:0]
		for _, x := range key {
			n, err := whole(x)
			if err != nil {
				return fmt.Errorf("in a key: %w", err)
			}
			m.key = append(m.key, n)
		}
		if m.values, err = values.appendTo(m.values); err != nil {
			return err
		}
		if err := m.each(m.key, m.values); err != nil {
			return entryError{err}
		}
	}
	return nil
}
