//go:build gpu && !cu

package driver

import "unsafe"

// Alloc takes memory of the card.
func (c *card) Alloc(bytes int) (p Ptr, err error) {
	err = c.check("cuMemAlloc", call(c.alloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes)))
	return p, err
}

// Free gives it back.
func (c *card) Free(p Ptr) error { return c.check("cuMemFree", call(c.free, uintptr(p))) }

// Memory is how many bytes are free of the card's, and how many it has.
func (c *card) Memory() (free, total int, err error) {
	err = c.check("cuMemGetInfo", call(c.memory, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total))))
	return free, total, err
}

// portable and mapped: every context reaches pinned memory, the card too.
const pinnedFlags = 1 | 2

// Pinned takes memory of the host that the card can reach.
func (c *card) Pinned(bytes int) ([]byte, error) {
	var p unsafe.Pointer
	if err := c.check("cuMemHostAlloc", call(c.allocHost, uintptr(unsafe.Pointer(&p)), uintptr(bytes), pinnedFlags)); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

// FreePinned gives it back.
func (c *card) FreePinned(b []byte) error {
	return c.check("cuMemFreeHost", call(c.freeHost, uintptr(unsafe.Pointer(unsafe.SliceData(b)))))
}

// Upload copies from pinned memory to the card.
func (c *card) Upload(dst Ptr, pinned []byte, s Stream) error {
	return c.check("cuMemcpyHtoDAsync", call(c.upload, uintptr(dst), uintptr(unsafe.Pointer(unsafe.SliceData(pinned))), uintptr(len(pinned)), uintptr(s)))
}

// Download copies from the card to pinned memory.
func (c *card) Download(pinned []byte, src Ptr, s Stream) error {
	return c.check("cuMemcpyDtoHAsync", call(c.download, uintptr(unsafe.Pointer(unsafe.SliceData(pinned))), uintptr(src), uintptr(len(pinned)), uintptr(s)))
}

// Copy copies within the card.
func (c *card) Copy(dst, src Ptr, bytes int, s Stream) error {
	return c.check("cuMemcpyDtoDAsync", call(c.copy, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s)))
}

// Fill sets bytes.
func (c *card) Fill(dst Ptr, value byte, bytes int, s Stream) error {
	return c.check("cuMemsetD8Async", call(c.fill, uintptr(dst), uintptr(value), uintptr(bytes), uintptr(s)))
}
