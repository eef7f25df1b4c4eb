//go:build gpu

package cuda

import "dgsbench/kernels/cuda/driver"

// staging is pinned memory that all copies go through, so that a write need
// not wait for the card. It has two halves: while one is filled, the card
// still reads the other.
type staging struct {
	memory []byte
	passed [2]driver.Event // the stream has read the half
	half   int             // that is filled
	used   int             // bytes of it
}

const halfBytes = 1 << 20

func newStaging(c *card) (s staging, err error) {
	if s.memory, err = c.Pinned(2 * halfBytes); err != nil {
		return s, err
	}
	for i := range s.passed {
		if s.passed[i], err = c.NewEvent(); err != nil {
			return s, err
		}
	}
	return s, nil
}

// room finds at most n bytes that the card does not use, at the start of a
// line: kernels may write numbers there.
func (d *Device) room(n int) ([]byte, error) {
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
	at := s.half*halfBytes + s.used
	s.used += aligned(n, halfBytes-s.used)
	return s.memory[at : at+n], nil
}

// uploadNow copies parts, one after the other. They may be changed afterwards.
func (d *Device) uploadNow(dst driver.Ptr, parts [][]byte) {
	left := length(parts)
	d.card.must(func() error {
		for left > 0 {
			room, err := d.room(left)
			if err != nil {
				return err
			}
			parts = fill(room, parts)
			d.work.Uploads++
			if err := d.card.Upload(dst, room, d.stream); err != nil {
				return err
			}
			dst, left = dst+driver.Ptr(len(room)), left-len(room)
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

// fill fills dst from the parts, and returns what is left of them.
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

// download waits for the stream and copies to dst.
func (d *Device) download(dst []byte, src driver.Ptr) {
	if len(dst) > 0 {
		d.wait(dst, src)
	}
}

// wait does so even if there is nothing to copy, and returns what kernels have
// noted. It panics if one of them has met a row number that is out of range.
func (d *Device) wait(dst []byte, src driver.Ptr) (notes [noteCount]int32) {
	d.flush()
	if d.tape != nil {
		d.tape.download(dst, src)
		return notes
	}
	d.card.must(func() error {
		noted, err := d.room(len(bytesOf(notes[:])))
		if err != nil {
			return err
		}
		if err := d.card.Download(noted, driver.Ptr(list(d.notes, noteCount)), d.stream); err != nil {
			return err
		}
		for first := true; first || len(dst) > 0; first = false {
			n, err := d.fetch(dst, src)
			if err != nil {
				return err
			}
			if first {
				copy(bytesOf(notes[:]), noted)
			}
			dst, src = dst[n:], src+driver.Ptr(n)
		}
		return nil
	})
	d.check(notes[noteFault] != 0)
	return notes
}

// check panics if a kernel has met a row number that is out of range.
func (d *Device) check(fault bool) {
	if fault {
		d.fill(driver.Ptr(d.fault()), wordBytes)
		panic("cuda: since the last read a row number was out of range")
	}
}

// fetch waits and copies as much as there is room for.
func (d *Device) fetch(dst []byte, src driver.Ptr) (n int, err error) {
	room, err := d.room(len(dst))
	if err != nil {
		return 0, err
	}
	d.work.Waits++
	if len(room) > 0 {
		d.work.Downloads++
		if err := d.card.Download(room, src, d.stream); err != nil {
			return 0, err
		}
	}
	if err := d.card.Sync(d.stream); err != nil {
		return 0, err
	}
	return copy(dst, room), nil
}

// fault is where kernels note row numbers that are out of range.
func (d *Device) fault() uint64 { return d.note(noteFault) }

// note is where kernels note something.
func (d *Device) note(which int) uint64 { return list(d.notes, noteCount) + uint64(which*wordBytes) }
