package safetensors

import (
	"encoding/binary"
	"fmt"
)

// OfBytes returns a tensor of the number of bytes and then of these, eight an integer.
func OfBytes(name string, data []byte) Tensor {
	numbers := make([]int64, 1, 1+(len(data)+7)/8)
	numbers[0] = int64(len(data))
	for len(data) >= 8 {
		numbers = append(numbers, int64(binary.LittleEndian.Uint64(data)))
		data = data[8:]
	}
	if len(data) > 0 {
		var last [8]byte
		copy(last[:], data)
		numbers = append(numbers, int64(binary.LittleEndian.Uint64(last[:])))
	}
	return Tensor{Name: name, Shape: []int{len(numbers)}, I64: numbers}
}

// Bytes is the inverse of OfBytes, for a tensor that anybody may have made.
func (t Tensor) Bytes() ([]byte, error) {
	if len(t.I64) == 0 {
		return nil, fmt.Errorf("tensor %s is not one of bytes", t)
	}
	n, numbers := t.I64[0], t.I64[1:]
	if n < 0 || n/8 > int64(len(numbers)) || (n+7)/8 != int64(len(numbers)) {
		return nil, fmt.Errorf("tensor %s is not one of %d bytes", t, n)
	}
	data := make([]byte, 0, 8*len(numbers))
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint64(data, uint64(x))
	}
	return data[:n], nil
}
