//go:build gpu

package cuda

import (
	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

var _ kernels.Recorder = (*Device)(nil)

// tape is work that is noted instead of done.
type tape struct {
	device  *Device
	copied  bool
	work    []func() error
	onCard  []*memory // what the host has written
	pinned  [][]byte
	results []result
	graph   driver.Graph
	free    words  // of the last piece of onCard
	room    []byte // of the last piece of pinned
}

// result is what a read wanted.
type result struct{ to, from []byte }

// Record notes what f asks for and makes a graph of it.
func (d *Device) Record(copied bool, f func()) (kernels.Recording, error) {
	d.notRecording("a recording is begun")
	d.flush()
	t := &tape{device: d, copied: copied}
	d.tape = t
	func() {
		defer func() { d.tape = nil }() // also when f panics
		f()
		d.flush()
	}()
	err := d.card.Do(func() error {
		if err := d.card.Sync(d.stream); err != nil { // what was written is there
			return err
		}
		var err error
		t.graph, err = d.card.Capture(d.stream, t.play)
		return err
	})
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// note adds work.
func (t *tape) note(work func() error) { t.work = append(t.work, work) }

// launch notes a launch.
func (t *tape) launch(f driver.Function, size driver.Launch, parameters []uint64) {
	t.note(func() error { return t.device.card.Launch(f, size, t.device.stream, parameters...) })
}

// play does the work.
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

// ReadResults copies what was read, and leaves NaN: a replay that nobody waited
// for is seen. It panics where Read would.
func (t *tape) ReadResults() {
	for _, r := range t.results {
		if r.to == nil {
			t.device.check(r.from[0] != 0)
			continue
		}
		copy(r.to, r.from)
		for i := range r.from {
			r.from[i] = 0xff
		}
	}
}

// Close gives memory back.
func (t *tape) Close() {
	d := t.device
	_ = d.card.Do(func() error { // nothing waits for its outcome
		if t.graph != 0 {
			_ = d.card.FreeGraph(t.graph)
		}
		for _, p := range t.pinned {
			_ = d.card.FreePinned(p)
		}
		return nil
	})
	*t = tape{device: d}
}

// pieceBytes is how much memory a tape takes at a time, at least.
const pieceBytes = 1 << 20

// host is pinned memory that lasts as long as the tape.
func (t *tape) host(n int) ([]byte, error) {
	if n > len(t.room) {
		room, err := t.device.card.Pinned(max(n, pieceBytes))
		if err != nil {
			return nil, err
		}
		t.pinned, t.room = append(t.pinned, room), room
	}
	taken := t.room[:n:n]
	t.room = t.room[aligned(n, len(t.room)):]
	return taken, nil
}

// aligned is n rounded up to whole lines, but at most most.
func aligned(n, most int) int { return min((n+lineBytes-1)/lineBytes*lineBytes, most) }

// card is the same on the card.
func (t *tape) card(n int) driver.Ptr {
	if n > t.free.n {
		m := t.device.heap.alloc(max(n, pieceBytes))
		t.onCard, t.free = append(t.onCard, m), words{m, m.at, max(n, pieceBytes)}
	}
	at, step := t.free.at, aligned(n, t.free.n)
	t.free.at, t.free.n = t.free.at+driver.Ptr(step), t.free.n-step
	return at
}

// upload notes a copy of parts to dst.
func (t *tape) upload(dst driver.Ptr, parts [][]byte) {
	n := length(parts)
	if t.copied {
		t.place(dst, parts)
		return
	}
	from := t.card(n)
	t.device.uploadNow(from, parts)
	t.note(func() error { return t.device.card.Copy(dst, from, n, t.device.stream) })
}

// place has parts at dst, which nothing else is written to.
func (t *tape) place(dst driver.Ptr, parts [][]byte) {
	if !t.copied {
		t.device.uploadNow(dst, parts)
		return
	}
	pinned := t.device.answerRoom(length(parts))
	fill(pinned, parts)
	t.note(func() error { return t.device.card.Upload(dst, pinned, t.device.stream) })
}

// download notes a copy to dst.
func (t *tape) download(dst []byte, src driver.Ptr) {
	clear(dst)
	if len(dst) == 0 {
		return
	}
	pinned := t.device.answerRoom(len(dst))
	t.results = append(t.results, result{dst, pinned})
	t.note(func() error { return t.device.card.Download(pinned, src, t.device.stream) })
}
