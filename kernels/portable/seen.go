package portable

// Seen is what a device that answers at once remembers of the buffers that it
// has looked at.
type Seen struct {
	count int
	bad   int // place of the first bad one, +1; 0 for none
}

// Look notes whether the next buffer is finite, and returns its place.
func (s *Seen) Look(finite bool) int {
	place := s.count
	s.count++
	if !finite && s.bad == 0 {
		s.bad = s.count
	}
	return place
}

// Count is how many were seen.
func (s *Seen) Count() int { return s.count }

// Bad reports whether any is bad.
func (s *Seen) Bad() bool { return s.bad > 0 }

// First is the place of the first bad one, or -1. It forgets them all.
func (s *Seen) First() int {
	first := s.bad - 1
	*s = Seen{}
	return first
}
