package ring

// Seeing extends a list of marked nodes by the nodes that have one of them
// among their neighbours, and marks these, too.
func (r *Ring) Seeing(marked []bool, list []int32) []int32 {
	before := len(list)
	size := int32(r.size)
	for n, count := range r.counts {
		if marked[n] {
			continue
		}
		first := int32(n) * size
		for _, v := range r.neighbours[first : first+min(count, size)] {
			if marked[v] {
				list = append(list, int32(n))
				break
			}
		}
	}
	for _, n := range list[before:] {
		marked[n] = true
	}
	return list
}
