//go:build gpu

package cuda

import (
	"fmt"
	"unsafe"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// wordBytes is the size of a number and of a list's entry.
const wordBytes = 4

// words are n float32 or int32 in the card's memory.
type words struct {
	memory *memory // which it keeps
	at     driver.Ptr
	n      int
}

// Len is how many numbers it holds.
func (w words) Len() int { return w.n }

// end is the address behind them.
func (w words) end() driver.Ptr { return w.at + driver.Ptr(w.n*wordBytes) }

// first is the address of the first n.
func (w words) first(n int) uint64 {
	if n < 0 || n > w.n {
		panic(fmt.Sprintf("cuda: %d numbers of %d", n, w.n))
	}
	return uint64(w.at)
}

type (
	buffer struct{ words }
	ints   struct{ words }
)

// at is the address of the first n numbers of a buffer.
func at(b kernels.Buffer, n int) uint64 { return b.(buffer).first(n) }

// list is the address of the first n of a list.
func list(l kernels.Ints, n int) uint64 { return l.(ints).first(n) }

// maybe is the address of a buffer that may be missing, 0 then.
func maybe(b kernels.Buffer, n int) uint64 {
	if b == nil {
		return 0
	}
	return at(b, n)
}

// NewBuffer holds n zeros.
func (d *Device) NewBuffer(n int) kernels.Buffer { return buffer{d.zeros(n)} }

// NewInts holds n zeros.
func (d *Device) NewInts(n int) kernels.Ints { return ints{d.zeros(n)} }

func (d *Device) zeros(n int) words {
	m := d.heap.alloc(max(n, 1) * wordBytes)
	d.fill(m.at, n*wordBytes)
	return words{m, m.at, n}
}

// fill sets bytes to zero.
func (d *Device) fill(at driver.Ptr, bytes int) {
	if bytes == 0 {
		return
	}
	d.flush()
	d.work.Fills++
	fill := func() error { return d.card.Fill(at, 0, bytes, d.stream) }
	if d.tape != nil {
		d.tape.note(fill)
		return
	}
	d.card.must(fill)
}

// View is a window of b.
func (d *Device) View(b kernels.Buffer, offset, n int) kernels.Buffer {
	return buffer{b.(buffer).window(offset, n)}
}

// ViewInts is a window of l.
func (d *Device) ViewInts(l kernels.Ints, offset, n int) kernels.Ints {
	return ints{l.(ints).window(offset, n)}
}

func (w words) window(offset, n int) words {
	if offset < 0 || n < 0 || offset+n > w.n {
		panic(fmt.Sprintf("cuda: a view of %d numbers from %d on, of %d", n, offset, w.n))
	}
	return words{w.memory, w.at + driver.Ptr(offset*wordBytes), n}
}

// Write copies src to the start of dst.
func (d *Device) Write(dst kernels.Buffer, src []float32) {
	d.upload(dst.(buffer).window(0, len(src)), bytesOf(src))
}

// WriteFloat64 copies src to the start of dst, rounded.
func (d *Device) WriteFloat64(dst kernels.Buffer, src []float64) {
	rounded := make([]float32, len(src))
	for i, v := range src {
		rounded[i] = float32(v)
	}
	d.Write(dst, rounded)
}

// Read copies the start of src to dst. It waits for all work before it.
func (d *Device) Read(dst []float32, src kernels.Buffer) {
	if d.answered(dst, src) {
		return
	}
	d.download(bytesOf(dst), driver.Ptr(at(src, len(dst))))
}

// WriteInts copies src to the start of dst.
func (d *Device) WriteInts(dst kernels.Ints, src []int32) {
	d.upload(dst.(ints).window(0, len(src)), bytesOf(src))
}

// bytesOf is a slice's memory.
func bytesOf[T float32 | int32 | uint16 | uint64 | cardCall | cardPlace](x []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(one)))
}

// address is where pinned memory is, for the card as for the host.
func address(pinned []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(pinned)))) }
