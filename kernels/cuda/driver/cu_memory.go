//go:build gpu && cu

package driver

import (
	"unsafe"

	"gorgonia.org/cu"
)

// Alloc takes memory of the card.
func (c *card) Alloc(bytes int) (Ptr, error) {
	p, err := cu.MemAlloc(int64(bytes))
	return Ptr(p), check("cuMemAlloc", err)
}

// Free gives it back.
func (c *card) Free(p Ptr) error { return check("cuMemFree", cu.MemFree(cu.DevicePtr(p))) }

// Memory is how many bytes are free of the card's, and how many it has.
func (c *card) Memory() (free, total int, err error) {
	left, all, err := cu.MemInfo()
	return int(left), int(all), check("cuMemGetInfo", err)
}

// Pinned takes memory of the host that the card can reach.
func (c *card) Pinned(bytes int) ([]byte, error) { return allocHost(bytes) }

// FreePinned gives it back.
func (c *card) FreePinned(b []byte) error { return check("cuMemFreeHost", cu.MemFreeHost(address(b))) }

// Upload copies from pinned memory to the card.
func (c *card) Upload(dst Ptr, pinned []byte, s Stream) error {
	return check("cuMemcpyHtoDAsync", cu.MemcpyHtoDAsync(cu.DevicePtr(dst), address(pinned), int64(len(pinned)), s.cu()))
}

// Download copies from the card to pinned memory.
func (c *card) Download(pinned []byte, src Ptr, s Stream) error {
	return check("cuMemcpyDtoHAsync", cu.MemcpyDtoHAsync(address(pinned), cu.DevicePtr(src), int64(len(pinned)), s.cu()))
}

// Copy copies within the card.
func (c *card) Copy(dst, src Ptr, bytes int, s Stream) error {
	return check("cuMemcpyDtoDAsync", cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), int64(bytes), s.cu()))
}

// Fill sets bytes.
func (c *card) Fill(dst Ptr, value byte, bytes int, s Stream) error {
	return check("cuMemsetD8Async", cu.MemsetD8Async(cu.DevicePtr(dst), value, int64(bytes), s.cu()))
}

func address(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
