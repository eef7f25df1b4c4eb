//go:build gpu

package cuda

// lists are lists of numbers, one after another. First their lengths are
// counted, then they are filled.
type lists struct {
	starts, items []int32
	next          []int32 // where each one's next item comes
}

// begin makes n empty lists.
func (l *lists) begin(n int) { l.starts = zeroed(l.starts, n+1) }

// count makes room for one more in a list.
func (l *lists) count(list int32) { l.starts[list+1]++ }

// allot ends counting.
func (l *lists) allot() {
	for i := range l.starts[1:] {
		l.starts[i+1] += l.starts[i]
	}
	n := len(l.starts) - 1
	l.items = zeroed(l.items, int(l.starts[n]))
	l.next = append(l.next[:0], l.starts[:n]...)
}

// add puts v at the end of a list.
func (l *lists) add(list, v int32) {
	l.items[l.next[list]] = v
	l.next[list]++
}

// of is a list.
func (l *lists) of(list int32) []int32 { return l.items[l.starts[list]:l.starts[list+1]] }

// zeroed is x with n zeros.
func zeroed[T bool | int32](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	x = x[:n]
	clear(x)
	return x
}
