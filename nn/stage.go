package nn

import "dgsbench/kernels"

// stage is a part of a program: calls one after another, then sections that
// do not read each other, divided over the device's threads.
type stage struct {
	device   kernels.Device
	calls    []func()
	sections []*section
	work     func(thread int) // that of one thread in the sections
}

// section is a chain of operations on the same active rows, compiled for each
// block of them.
type section struct {
	rows   *int
	blocks []*block // number i is of thread i modulo their number
}

// block is some of the rows.
type block struct {
	first, size int
	active      int // rows, now
	calls       []func()
	asOne       kernels.Fused // what the calls are made on, where a device has that
}

// run makes the calls.
func (b *block) run() {
	if b.asOne != nil {
		b.asOne.Begin(b.active)
	}
	for _, call := range b.calls {
		call()
	}
	if b.asOne != nil {
		b.asOne.End()
	}
}

// blockRows is how many rows a block has at least, but for the last one, and
// at most.
type blockRows struct{ least, most int }

// usualBlocks are large enough to be worth waking a thread, and so small that
// what they compute stays in a core's cache.
var usualBlocks = blockRows{16, 32}

// of is how many rows a block has, so that all threads get about as many of a
// full batch. One thread takes all in one: blocks bring it nothing, and an
// accelerator wants large calls.
func (r blockRows) of(capacity, threads int) int {
	if threads == 1 || capacity == 0 {
		return capacity
	}
	turns := (capacity + r.most*threads - 1) / (r.most * threads)
	return max(r.least, (capacity+turns*threads-1)/(turns*threads))
}

func (s *stage) run() {
	for _, call := range s.calls {
		call()
	}
	switch {
	case len(s.sections) == 0:
	case s.shared():
		s.device.Parallel(s.work)
	default:
		s.runThread(0)
	}
}

// shared reports whether there is work for a second thread.
func (s *stage) shared() bool {
	if s.device.Threads() == 1 {
		return false
	}
	for _, section := range s.sections {
		if len(section.blocks) > 1 && section.blocks[1].first < *section.rows {
			return true
		}
	}
	return false
}

// runThread runs a thread's blocks.
func (s *stage) runThread(thread int) {
	threads := s.device.Threads()
	for _, section := range s.sections {
		for i := thread; i < len(section.blocks); i += threads {
			b := section.blocks[i]
			if b.first >= *section.rows {
				break
			}
			b.active = min(b.size, *section.rows-b.first)
			b.run()
		}
	}
}
