package datasets

import "fmt"

// velocityWindows are the lengths of the windows of Velocity, in seconds.
var velocityWindows = [...]struct {
	name    string
	seconds float64
}{{"1 h", 3600}, {"1 d", 86_400}, {"7 d", 7 * 86_400}}

// maxVelocity is the number of the file's features, its first, of which
// Velocity has sums and means.
const maxVelocity = 16

// Velocity counts what the source and the destination of an event did in the
// last hour, day and week before it: for each of these six, the number of
// earlier events with the same node on that side whose age is at most the
// window's length, the number of different partners in them, and the sum and
// the mean of each of the first 16 features of the file over them. Numbers are
// log(1+n), sums sign(x) log(1+|x|), a mean of no events 0.
func Velocity() Derived {
	return Derived{
		kind: kind{Name: "velocity"},
		name: "events, partners, sums and means of source and destination in the last hour, day and week",
		past: true, scaled: true, columns: velocityColumns,
		fill: func(s Stream, k int, h *history, out []float32) {
			h.week.evict(s.Time[k])
			h.week.write(s.Src[k], s.Dst[k], out)
		},
	}
}

// velocityColumns returns the names of the columns in their order.
func velocityColumns(file []string) (out []string) {
	for _, side := range []Side{Source, Destination} {
		for _, w := range velocityWindows {
			of := fmt.Sprintf("of the %s in %s", side, w.name)
			out = append(out, "events "+of, "partners "+of)
			for _, feature := range file[:min(len(file), maxVelocity)] {
				out = append(out, fmt.Sprintf("sum of %s %s", feature, of), fmt.Sprintf("mean of %s %s", feature, of))
			}
		}
	}
	return out
}
