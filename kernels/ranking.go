package kernels

// Ranking asks how the true destinations of events rank among candidates,
// with score(e, v) = sum over j of W[j] relu(U[e,j] + P[v,j]). A constant
// that all scores share is left out.
type Ranking struct {
	Events, Nodes, Dim int
	U, P, W            Buffer // Events x Dim, Nodes x Dim, Dim
	// Slope (Nodes x Dim), if it is not nil, moves the candidates with time:
	// P[v,j] + s Slope[v,j] replaces P[v,j], s being EventTime[e] + NodeTime[v].
	Slope     Buffer
	EventTime []float32 // Events
	NodeTime  []float32 // Nodes
	// Candidates are rows of P, ascending, without repetition.
	Candidates []int32
	// True is the true destination of each event, a row of P.
	True []int32
	// Without lists, for each event, candidates that are not negatives of
	// it, ascending; nil excludes none.
	Without [][]int32
}

// Ranker answers rankings; scores never leave the device.
type Ranker interface {
	// Rank counts, for every event, the negatives that score above its true
	// destination and exactly as high. It returns the first event with a
	// score that is not finite, or -1.
	Rank(q Ranking, greater, equal []int32) (bad int)
	// Scores writes the scores that Rank compares, Events x
	// len(Candidates). For tests and small exports.
	Scores(q Ranking, out []float32)
}
