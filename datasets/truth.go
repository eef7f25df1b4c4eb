package datasets

// Truth answers with the hidden state of the simulator that made a stream.
// Events are named by their EventID, so answers survive Slice, Select and
// WithFeatures. Implementations may be asked by several trials at once.
type Truth interface {
	// Logit is the log-odds that the event's label is 1, given the history
	// through the event.
	Logit(event int) float64

	// Links writes for every candidate a score that rises with the
	// probability that the event goes there, given its source and the history
	// before it. scores has one entry a candidate.
	Links(event int, candidates []int32, scores []float32)

	// Bytes is the memory that answers take, to Links or to Logit.
	Bytes(links bool) int64
}
