//go:build gpu

package cuda

import (
	"slices"

	"dgsbench/kernels/cuda/driver"
)

// uploads are pieces from the host that are on their way to buffers. They go
// to the card as one, as soon as anything may read them: a batch's lists and
// numbers are many and small.
type uploads struct {
	pieces []words // where they go; kept until they are there, whoever else has forgotten them
	data   []byte  // of all
	ranges []cardPlace
	memory words // of the card
}

// cardPlace is a piece as the card reads it: Piece of place.cu.
type cardPlace struct {
	to           driver.Ptr
	first, words int64
}

const (
	// mostUploads and mostUploadBytes are the most that wait.
	mostUploads     = 64
	mostUploadBytes = halfBytes / 2
)

// upload copies src to dst, which has as many words. It may be changed
// afterwards.
func (d *Device) upload(dst words, src []byte) {
	if len(src) == 0 {
		return
	}
	if d.pending.touches(piece{dst.at, len(src)}) {
		d.flushChain()
	}
	u := &d.uploads
	if len(u.pieces) == mostUploads || len(u.data)+len(src) > mostUploadBytes || u.meets(dst) {
		d.flush()
	}
	if len(src) > mostUploadBytes {
		d.send(dst.at, src)
		return
	}
	u.pieces = append(u.pieces, dst)
	u.data = append(u.data, src...)
}

// meets reports whether a piece on its way goes to any of these words.
func (u *uploads) meets(to words) bool {
	return slices.ContainsFunc(u.pieces, func(p words) bool { return to.at < p.end() && p.at < to.end() })
}

// flushUploads puts them on the stream.
func (d *Device) flushUploads() {
	u := &d.uploads
	pieces := u.pieces
	u.pieces = u.pieces[:0]
	switch len(pieces) {
	case 0:
	case 1:
		d.send(pieces[0].at, u.data)
	default:
		d.place(pieces)
	}
	clear(pieces)
	u.data = u.data[:0]
}

// place copies all pieces at once, and spreads them from there.
func (d *Device) place(pieces []words) {
	u, most, first := &d.uploads, 0, int64(0)
	u.ranges = u.ranges[:0]
	for _, p := range pieces {
		u.ranges = append(u.ranges, cardPlace{p.at, first, int64(p.n)})
		first += int64(p.n)
		most = max(most, p.n)
	}
	table := bytesOf(u.ranges)
	at := d.sent(&u.memory, table, u.data)
	const wordsOfAThread = 4
	blocks := (most + wordsOfAThread*mostThreads - 1) / (wordsOfAThread * mostThreads)
	d.enqueue("place", driver.Launch{Blocks: [2]int{blocks, len(pieces)}, Threads: mostThreads}, nil, []uint64{uint64(at), uint64(at) + uint64(len(table))})
}

// sent copies parts to memory that holds nothing else, and says where they
// are: in room, which grows, or what the tape keeps.
func (d *Device) sent(room *words, parts ...[]byte) driver.Ptr {
	n := length(parts)
	if d.tape != nil {
		at := d.tape.card(n)
		d.tape.place(at, parts)
		return at
	}
	if room.n*wordBytes < n {
		room.memory = d.heap.alloc(2 * n)
		room.at, room.n = room.memory.at, 2*n/wordBytes
	}
	d.uploadNow(room.at, parts)
	return room.at
}

// send copies to a buffer, in its turn.
func (d *Device) send(dst driver.Ptr, parts ...[]byte) {
	if d.tape != nil {
		d.tape.upload(dst, parts)
		return
	}
	d.uploadNow(dst, parts)
}
