package safetensors

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Tensor is a named block of numbers, row major. At most one of F32 and I64
// is set; a tensor without numbers may have neither.
type Tensor struct {
	Name  string
	Shape []int
	F32   []float32
	I64   []int64
}

// width is the number of bytes of an element of each type.
var width = map[string]int{"I64": 8, "F32": 4}

func (t Tensor) dtype() string {
	if t.I64 != nil {
		return "I64"
	}
	return "F32"
}

// append adds the tensor's numbers to data.
func (t Tensor) append(data []byte) []byte {
	for _, v := range t.I64 {
		data = binary.LittleEndian.AppendUint64(data, uint64(v))
	}
	for _, v := range t.F32 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// read fills the tensor from all of data.
func (t *Tensor) read(dtype string, data []byte) {
	n := len(data) / width[dtype]
	if dtype == "I64" {
		t.I64 = make([]int64, n)
		for i := range t.I64 {
			t.I64[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
		}
		return
	}
	t.F32 = make([]float32, n)
	for i := range t.F32 {
		t.F32[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
}

// elements is the product of the sizes.
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
