package record

// Select splits records into those to use and those that are stale: written
// under another version of the numerics than the current one. With
// allowStale, a stale record is used where its trial has no current one, and
// tables say so.
func Select(records []Record, numerics int, allowStale bool) (use, stale []Record) {
	current := map[Key]bool{}
	for _, r := range records {
		if r.Numerics == numerics {
			current[r.Key] = true
		}
	}
	for _, r := range records {
		r.stale = r.Numerics != numerics
		if r.stale {
			stale = append(stale, r)
		}
		if !r.stale || allowStale && !current[r.Key] {
			use = append(use, r)
		}
	}
	return use, stale
}
