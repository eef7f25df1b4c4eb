package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// reduce calls what the file names with arguments.
func reduce(called, with any) (any, error) {
	args, ok := with.(tuple)
	name, isName := called.(global)
	if !ok || !isName {
		return nil, errors.New("a call of something that has no name")
	}
	wrong := fmt.Errorf("%s with other arguments than NumPy gives it", name)
	switch name {
	case "dtype": // of a name; the other arguments say how it is copied
		if word, ok := arg[text](args, 0); ok && len(args) == 3 {
			return newNumber(string(word))
		}
	case "scalar":
		of, ok := arg[*number](args, 0)
		raw, isRaw := arg[[]byte](args, 1)
		if ok && isRaw && len(args) == 2 && len(raw) == of.size {
			return of.value(raw)
		}
	case "_reconstruct": // an empty array, which is built
		if kind, ok := arg[global](args, 0); ok && kind == "ndarray" && len(args) == 3 {
			return &array{}, nil
		}
	case "_frombuffer":
		raw, ok := arg[[]byte](args, 0)
		of, isNumber := arg[*number](args, 1)
		shape, isShape := arg[tuple](args, 2)
		if ok && isNumber && isShape && len(args) == 4 {
			return newArray(of, raw, shape)
		}
	case "bytes": // none, in protocol 2
		if len(args) == 0 {
			return []byte{}, nil
		}
	case "encode": // bytes, in protocol 2
		chars, ok := arg[text](args, 0)
		if code, isCode := arg[text](args, 1); !ok || !isCode || string(code) != "latin1" || len(args) != 2 {
			return nil, wrong
		}
		var raw []byte
		for _, r := range string(chars) {
			if r > 0xff {
				return nil, wrong
			}
			raw = append(raw, byte(r))
		}
		return raw, nil
	}
	return nil, wrong
}

// build gives an object its state.
func build(object, with any) error {
	state, _ := with.(tuple)
	switch o := object.(type) {
	case *number: // version, byte order, and what only other types have
		if order, ok := arg[text](state, 1); ok && (string(order) == "<" || string(order) == "|") {
			return nil
		}
		return errors.New("numbers that are not little-endian")
	case *array: // version, shape, type, whether it is in Fortran's order, values
		shape, ok := arg[tuple](state, 1)
		of, isNumber := arg[*number](state, 2)
		raw, isRaw := arg[[]byte](state, 4)
		if ok && isNumber && isRaw && len(state) == 5 {
			made, err := newArray(of, raw, shape)
			if err == nil {
				*o = *made
			}
			return err
		}
	}
	return errors.New("a state that NumPy does not give")
}

// arg returns argument i, if it is of that type.
func arg[T any](args tuple, i int) (T, bool) {
	if i >= len(args) {
		var none T
		return none, false
	}
	v, ok := args[i].(T)
	return v, ok
}

// newNumber returns the type of that name.
func newNumber(name string) (*number, error) {
	switch name {
	case "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8":
		return &number{name[0], int(name[1] - '0')}, nil
	}
	return nil, fmt.Errorf("an array of the type %.20q, expected whole numbers or floats", name)
}

// newArray returns an array of one dimension.
func newArray(of *number, raw []byte, shape tuple) (*array, error) {
	if len(shape) != 1 {
		return nil, fmt.Errorf("an array of %d dimensions, expected 1", len(shape))
	}
	if n, ok := shape[0].(int64); !ok || n < 0 || n > int64(len(raw)) || n*int64(of.size) != int64(len(raw)) {
		return nil, fmt.Errorf("an array of %v values in %d bytes", shape[0], len(raw))
	}
	return &array{*of, raw}, nil
}

// appendTo appends the values, which must be whole.
func (a *array) appendTo(values []int64) ([]int64, error) {
	if a.of.size == 0 {
		return nil, errors.New("an array without a type")
	}
	for raw := a.raw; len(raw) > 0; raw = raw[a.of.size:] {
		v, err := a.of.value(raw[:a.of.size])
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// value returns a value of that type, which must be whole.
func (n number) value(raw []byte) (int64, error) {
	var all [8]byte
	copy(all[:], raw)
	bits := binary.LittleEndian.Uint64(all[:])
	unused := 64 - 8*n.size
	switch {
	case n.kind == 'i':
		return int64(bits<<unused) >> unused, nil
	case n.kind == 'f' && n.size == 4:
		return whole(float64(math.Float32frombits(uint32(bits))))
	case n.kind == 'f':
		return whole(math.Float64frombits(bits))
	case bits > math.MaxInt64:
		return 0, fmt.Errorf("the number %d, which is too large", bits)
	}
	return int64(bits), nil
}

// whole returns a number that is whole.
func whole(v any) (int64, error) {
	switch x := v.(type) {
	case int64:
		return x, nil
	case float64:
		if x == math.Trunc(x) && math.Abs(x) <= 1<<53 {
			return int64(x), nil
		}
		return 0, fmt.Errorf("the number %v, expected a whole one", x)
	}
	return 0, errors.New("something that is no number")
}
