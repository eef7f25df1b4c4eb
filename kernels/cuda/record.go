//go:build gpu

package cuda

import (
	"fmt"
	"runtime"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// prepared is a graph of launches.
type prepared struct {
	device *Device
	graph  driver.Graph
	first  int // buffers that had been checked before
	checks int // buffers that it checks
}

// Prepare makes a graph of the launches of f.
func (d *Device) Prepare(f func()) (run func()) {
	d.mustNotRecord("a repetition is made")
	d.flush()
	p, before := &prepared{device: d, first: d.checked}, d.work
	d.card.must(func() (err error) {
		if err := d.heap.collect(); err != nil {
			return err
		}
		p.graph, err = d.card.Capture(d.stream, func() (err error) {
			defer kernels.CatchFailure(&err)
			f()
			return nil
		})
		return err
	})
	d.work = before
	p.checks, d.checked = d.checked-p.first, p.first
	h := d.heap // the cleanup must not keep the device reachable
	runtime.AddCleanup(p, func(g driver.Graph) { h.discard(garbage{graph: g}) }, p.graph)
	return p.run
}

// run puts the launches on the stream. What it checks has the same places as before.
func (p *prepared) run() {
	d := p.device
	d.mustNotRecord("a repetition is asked for")
	d.flush()
	if p.checks > 0 && d.checked != p.first {
		panic(fmt.Sprintf("cuda: a repetition after %d buffers were checked, the first time after %d", d.checked, p.first))
	}
	d.checked += p.checks
	d.work.Repeats++
	d.card.must(func() error { return d.card.Replay(p.graph, d.stream) })
}

// mustNotRecord panics during Record, which can record single calls alone.
func (d *Device) mustNotRecord(what string) {
	if d.tape != nil {
		panic("cuda: " + what + " while work is recorded")
	}
}

// tape is recorded work.
type tape struct {
	device  *Device
	copied  bool // replays copy from the host what is written
	work    []func() error
	results []result
	graph   driver.Graph

	onCard     []*memory // what the host has written, and what chains use
	freeOnCard piece     // of the last one
	onHost     [][]byte  // pinned
	freeOnHost []byte    // of the last one
}

// result is the destination of a read, and where replays put its numbers. A nil
// destination stands for the flag of row numbers out of range.
type result struct{ to, from []byte }

// Record makes a graph of what f asks for.
func (d *Device) Record(copied bool, f func()) (kernels.Recording, error) {
	d.mustNotRecord("a recording is begun")
	d.flush()
	t := &tape{device: d, copied: copied}
	d.tape = t
	func() {
		defer func() { d.tape = nil }() // also when f panics
		f()
		d.flush()
	}()
	err := d.card.Do(func() error {
		err := d.card.Sync(d.stream) // what was written is there
		if err == nil {
			t.graph, err = d.card.Capture(d.stream, t.play)
		}
		return err
	})
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

func (t *tape) add(work func() error) { t.work = append(t.work, work) }

// play puts the work on the stream.
func (t *tape) play() error {
	for _, work := range t.work {
		if err := work(); err != nil {
			return err
		}
	}
	return nil
}

// Replay does the work and waits for it.
func (t *tape) Replay() error {
	d := t.device
	d.flush()
	return d.card.Do(func() error {
		if err := d.card.Replay(t.graph, d.stream); err != nil {
			return err
		}
		return d.card.Sync(d.stream)
	})
}

// ReadResults copies what was read, and leaves NaN, so that a missing replay
// is noticed. It panics where Read would.
func (t *tape) ReadResults() {
	for _, r := range t.results {
		if r.to == nil {
			t.device.checkRange(r.from[0] != 0)
			continue
		}
		copy(r.to, r.from)
		for i := range r.from {
			r.from[i] = 0xff
		}
	}
}

func (t *tape) Close() {
	d := t.device
	_ = d.card.Do(func() error { // nothing waits for its outcome
		if t.graph != 0 {
			_ = d.card.FreeGraph(t.graph)
		}
		for _, p := range t.onHost {
			_ = d.card.FreePinned(p)
		}
		return nil
	})
	*t = tape{device: d}
}

// tapeBytes is how much memory a tape allocates at once, at least.
const tapeBytes = 1 << 20

// pinned is n bytes of pinned memory that last as long as the tape.
func (t *tape) pinned(n int) ([]byte, error) {
	if n > len(t.freeOnHost) {
		bytes, err := t.device.card.Pinned(max(n, tapeBytes))
		if err != nil {
			return nil, err
		}
		t.onHost, t.freeOnHost = append(t.onHost, bytes), bytes
	}
	pinned := t.freeOnHost[:n:n]
	t.freeOnHost = t.freeOnHost[min(aligned(n), len(t.freeOnHost)):]
	return pinned, nil
}

// alloc is n bytes of the card that last as long as the tape.
func (t *tape) alloc(n int) driver.Ptr {
	free := &t.freeOnCard
	if n > free.bytes {
		m := t.device.heap.alloc(max(n, tapeBytes))
		t.onCard, *free = append(t.onCard, m), m.piece
	}
	at, step := free.at, min(aligned(n), free.bytes)
	*free = piece{at + driver.Ptr(step), free.bytes - step}
	return at
}

// upload records a copy of src to dst.
func (t *tape) upload(dst driver.Ptr, src []byte) {
	if t.copied {
		t.write(dst, [][]byte{src})
		return
	}
	from, n := t.device.sendTogether(nil, src), len(src)
	t.add(func() error { return t.device.card.Copy(dst, from, n, t.device.stream) })
}

// write has parts at dst, which nothing else is written to: from now on, or
// copied by each replay.
func (t *tape) write(dst driver.Ptr, parts [][]byte) {
	if !t.copied {
		t.device.copyParts(dst, parts)
		return
	}
	pinned := t.device.pinned(length(parts))
	fill(pinned, parts)
	t.add(func() error { return t.device.card.Upload(dst, pinned, t.device.stream) })
}

// download records a copy to dst, and clears dst.
func (t *tape) download(dst []byte, src driver.Ptr) {
	clear(dst)
	pinned := t.device.pinned(len(dst))
	t.results = append(t.results, result{dst, pinned})
	t.add(func() error { return t.device.card.Download(pinned, src, t.device.stream) })
}
