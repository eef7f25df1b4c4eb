package portable_test

import (
	"math"
	"testing"

	"dgsbench/kernels/portable"
)

func TestBFloat16KeepsItsOwnNumbers(t *testing.T) {
	for i := range 1 << 16 {
		x := portable.FromBFloat16(uint16(i))
		got := portable.BFloat16(x)
		if back := portable.FromBFloat16(got); got != uint16(i) && (x == x || back == back) {
			t.Errorf("%#x becomes %#x", i, got)
		}
	}
}

// Between each number and the next, what is below the middle goes down, what
// is above it up, and the middle to the even one.
func TestBFloat16RoundsToNearest(t *testing.T) {
	for i := range uint32(0x7f80) { // positive and finite
		low, high := uint16(i), uint16(i+1)
		even := low + low&1
		middle := math.Float32frombits(i<<16 | 0x8000)
		for _, c := range []struct {
			x    float32
			want uint16
		}{
			{math.Nextafter32(middle, 0), low}, {middle, even}, {math.Nextafter32(middle, math.MaxFloat32), high},
		} {
			if got := portable.BFloat16(c.x); got != c.want {
				t.Errorf("%v becomes %#x, want %#x", c.x, got, c.want)
			}
			if got := portable.BFloat16(-c.x); got != c.want|0x8000 {
				t.Errorf("%v becomes %#x, want %#x", -c.x, got, c.want|0x8000)
			}
		}
	}
}

func TestBFloat16KeepsNaN(t *testing.T) {
	for _, bits := range []uint32{0x7fffffff, 0x7f800001, 0xffffffff, 0xff800001, 0x7fc00000} {
		if x := portable.FromBFloat16(portable.BFloat16(math.Float32frombits(bits))); x == x {
			t.Errorf("NaN %#x becomes %v", bits, x)
		}
	}
}
