//go:build gpu

package cuda

import (
	"slices"

	"dgsbench/kernels/cuda/driver"
)

// staging is pinned memory that all copies go through, so that a write need
// not wait for the card. While one half is filled, the card reads the other.
type staging struct {
	memory []byte
	passed [2]driver.Event // the stream has read the half
	half   int             // that is filled
	used   int             // bytes of it
}

const halfBytes = 1 << 20

// lineBytes is the size of the largest read of a thread.
const lineBytes = 16

// aligned is n rounded up to whole lines.
func aligned(n int) int { return (n + lineBytes - 1) / lineBytes * lineBytes }

// stage returns at most n bytes that the card does not use, at the start of a line.
func (d *Device) stage(n int) ([]byte, error) {
	s := &d.staging
	n = min(n, halfBytes)
	if s.used+n > halfBytes {
		if err := d.card.Record(s.passed[s.half], d.stream); err != nil {
			return nil, err
		}
		s.half, s.used = 1-s.half, 0
		if err := d.card.Wait(s.passed[s.half]); err != nil {
			return nil, err
		}
	}
	begin := s.half*halfBytes + s.used
	s.used = min(s.used+aligned(n), halfBytes)
	return s.memory[begin : begin+n], nil
}

// uploads are pieces from the host that are copied to buffers together, as soon as
// anything may read them: a batch's lists and numbers are many and small.
type uploads struct {
	pieces []words // destinations, reachable until they are written
	data   []byte  // of all pieces, one after the other
	table  []cardPiece
	memory words // of the card, for table and data
}

// cardPiece is a piece as the card reads it: Piece of scatter.cu.
type cardPiece struct {
	to           driver.Ptr
	first, words int64
}

const (
	maxUploads     = 64
	maxUploadBytes = halfBytes / 2
)

// upload copies src, which may change afterwards, to dst, which has its length.
func (d *Device) upload(dst words, src []byte) {
	if len(src) == 0 {
		return
	}
	if slices.ContainsFunc(d.pending, func(r chainRun) bool { return r.chain.touches(dst.piece()) }) {
		d.flushChains()
	}
	u := &d.uploads
	if len(u.pieces) == maxUploads || len(u.data)+len(src) > maxUploadBytes || u.overlap(dst) {
		d.flush()
	}
	if len(src) > maxUploadBytes {
		d.send(dst.at, src)
		return
	}
	u.pieces = append(u.pieces, dst)
	u.data = append(u.data, src...)
}

// overlap reports whether any piece goes to some of these words.
func (u *uploads) overlap(to words) bool {
	return slices.ContainsFunc(u.pieces, func(p words) bool { return p.piece().overlaps(to.piece()) })
}

// flush puts everything on the stream that waits to be put there with others.
func (d *Device) flush() {
	d.flushChains()
	d.flushUploads()
}

// flushUploads copies the pieces; several by one copy and a launch that scatters them.
func (d *Device) flushUploads() {
	u := &d.uploads
	pieces := u.pieces
	u.pieces = u.pieces[:0]
	switch len(pieces) {
	case 0:
	case 1:
		d.send(pieces[0].at, u.data)
	default:
		d.scatter(pieces)
	}
	clear(pieces)
	u.data = u.data[:0]
}

func (d *Device) scatter(pieces []words) {
	u, largest, first := &d.uploads, 0, int64(0)
	u.table = u.table[:0]
	for _, p := range pieces {
		u.table = append(u.table, cardPiece{p.at, first, int64(p.n)})
		first += int64(p.n)
		largest = max(largest, p.n)
	}
	table := bytesOf(u.table)
	from := uint64(d.sendTogether(&u.memory, table, u.data))
	const wordsPerBlock = 4 * maxThreads
	blocks := (largest + wordsPerBlock - 1) / wordsPerBlock
	size := driver.Launch{Blocks: [2]int{blocks, len(pieces)}, Threads: maxThreads}
	d.enqueue("scatter", size, nil, []uint64{from, from + uint64(len(table))})
}

// sendTogether copies parts, one after the other, to memory that holds nothing
// else, and returns its address: in memory, which grows, or the recording's.
func (d *Device) sendTogether(memory *words, parts ...[]byte) driver.Ptr {
	n := length(parts)
	if d.tape != nil {
		at := d.tape.alloc(n)
		d.tape.write(at, parts)
		return at
	}
	if memory.n*wordBytes < n {
		m := d.heap.alloc(aligned(2 * n))
		*memory = words{m, m.at, m.bytes / wordBytes}
	}
	d.copyParts(memory.at, parts)
	return memory.at
}

// send copies src to a buffer.
func (d *Device) send(dst driver.Ptr, src []byte) {
	if d.tape != nil {
		d.tape.upload(dst, src)
		return
	}
	d.copyParts(dst, [][]byte{src})
}

// copyParts puts a copy of parts on the stream. They may be changed afterwards.
func (d *Device) copyParts(dst driver.Ptr, parts [][]byte) {
	left := length(parts)
	d.card.must(func() error {
		for left > 0 {
			pinned, err := d.stage(left)
			if err != nil {
				return err
			}
			parts = fill(pinned, parts)
			d.work.Uploads++
			if err := d.card.Upload(dst, pinned, d.stream); err != nil {
				return err
			}
			dst, left = dst+driver.Ptr(len(pinned)), left-len(pinned)
		}
		return nil
	})
}

func length(parts [][]byte) (n int) {
	for _, part := range parts {
		n += len(part)
	}
	return n
}

// fill fills dst from the parts, and returns the rest of them.
func fill(dst []byte, parts [][]byte) [][]byte {
	for len(dst) > 0 {
		n := copy(dst, parts[0])
		dst = dst[n:]
		if n == len(parts[0]) {
			parts = parts[1:]
		} else {
			parts = append([][]byte{parts[0][n:]}, parts[1:]...)
		}
	}
	return parts
}

// download waits for all work and copies to dst. It panics if a kernel has met a
// row number that is out of range.
func (d *Device) download(dst []byte, src driver.Ptr) {
	if len(dst) == 0 {
		return
	}
	d.flush()
	if d.tape != nil {
		d.tape.download(dst, src)
		return
	}
	var flags [flagCount]int32
	d.card.must(func() error {
		pinned, err := d.stage(len(bytesOf(flags[:])))
		if err != nil {
			return err
		}
		if err := d.card.Download(pinned, driver.Ptr(d.flag(0)), d.stream); err != nil {
			return err
		}
		for first := true; len(dst) > 0; first = false {
			n, err := d.fetch(dst, src)
			if err != nil {
				return err
			}
			if first {
				copy(bytesOf(flags[:]), pinned)
			}
			dst, src = dst[n:], src+driver.Ptr(n)
		}
		return nil
	})
	d.checkRange(flags[flagOutOfRange] != 0)
}

// fetch waits and copies as much as can be staged at once.
func (d *Device) fetch(dst []byte, src driver.Ptr) (n int, err error) {
	pinned, err := d.stage(len(dst))
	if err != nil {
		return 0, err
	}
	d.work.Waits++
	d.work.Downloads++
	if err := d.card.Download(pinned, src, d.stream); err != nil {
		return 0, err
	}
	if err := d.card.Sync(d.stream); err != nil {
		return 0, err
	}
	return copy(dst, pinned), nil
}
