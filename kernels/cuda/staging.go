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

// room finds at most n bytes that the card does not use.
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
	s.used += n
	return s.memory[at : at+n], nil
}

// upload copies src, which may be changed afterwards.
func (d *Device) upload(dst driver.Ptr, src []byte) {
	d.card.must(func() error {
		for len(src) > 0 {
			room, err := d.room(len(src))
			if err != nil {
				return err
			}
			n := copy(room, src)
			if err := d.card.Upload(dst, room, d.stream); err != nil {
				return err
			}
			dst, src = dst+driver.Ptr(n), src[n:]
		}
		return nil
	})
}

// download waits for the stream and copies to dst. It panics if a kernel so
// far has met a row number that is out of range.
func (d *Device) download(dst []byte, src driver.Ptr) {
	var fault byte
	d.card.must(func() error {
		noted, err := d.room(wordBytes)
		if err != nil {
			return err
		}
		if err := d.card.Download(noted, driver.Ptr(d.fault()), d.stream); err != nil {
			return err
		}
		for first := true; len(dst) > 0; first = false {
			n, err := d.fetch(dst, src)
			if err != nil {
				return err
			}
			if first {
				fault = noted[0]
			}
			dst, src = dst[n:], src+driver.Ptr(n)
		}
		return nil
	})
	if fault != 0 {
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
	if err := d.card.Download(room, src, d.stream); err != nil {
		return 0, err
	}
	if err := d.card.Sync(d.stream); err != nil {
		return 0, err
	}
	return copy(dst, room), nil
}

// fault is where kernels note row numbers that are out of range.
func (d *Device) fault() uint64 { return list(d.faults, 1) }
