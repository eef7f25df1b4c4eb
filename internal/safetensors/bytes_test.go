package safetensors

import (
	"bytes"
	"math"
	"testing"
)

// TestBytes: bytes of any number are read as they were written, also from a file.
func TestBytes(t *testing.T) {
	for n := range 40 {
		want := make([]byte, n)
		for i := range want {
			want[i] = byte(251 - 7*i)
		}
		file, err := Encode([]Tensor{OfBytes("b", want)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tensors, _, err := Decode("file", file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tensors[0].Bytes(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %v, %v", n, got, err)
		}
	}
}

// TestForeignBytes: a number of bytes that the integers do not have is refused.
func TestForeignBytes(t *testing.T) {
	for _, numbers := range [][]int64{nil, {1}, {-1}, {0, 5}, {8}, {9, 1}, {8, 1, 2}, {math.MaxInt64, 1}, {math.MinInt64}} {
		if data, err := (Tensor{Name: "b", I64: numbers}).Bytes(); err == nil {
			t.Errorf("%v: %v", numbers, data)
		}
	}
	if _, err := (Tensor{Name: "b", F32: []float32{1}}).Bytes(); err == nil {
		t.Error("of floats: no error")
	}
}
