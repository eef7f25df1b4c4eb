package dgs

import "dgsbench/kernels"

// lists are row numbers that go to the device together, in one copy.
type lists struct {
	device kernels.Device
	host   []int32
	all    kernels.Ints
	ends   []int // of each list
}

// list is one of them.
type list struct {
	host []int32
	on   kernels.Ints // the same on the device, once the lists are written
}

// newLists has room for so many numbers in each list.
func newLists(d kernels.Device, room ...int) *lists {
	l := &lists{device: d}
	total := 0
	for _, n := range room {
		total += n
		l.ends = append(l.ends, total)
	}
	l.host, l.all = make([]int32, total), d.NewInts(total)
	return l
}

// list is number i of them.
func (l *lists) list(i int) list {
	first := 0
	if i > 0 {
		first = l.ends[i-1]
	}
	return list{l.host[first:l.ends[i]], l.device.ViewInts(l.all, first, l.ends[i]-first)}
}

// write puts the first n lists on the device.
func (l *lists) write(n int) { l.device.WriteInts(l.all, l.host[:l.ends[n-1]]) }

// from is the list without its first n numbers.
func (l list) from(d kernels.Device, n int) list {
	return list{l.host[n:], d.ViewInts(l.on, n, len(l.host)-n)}
}
