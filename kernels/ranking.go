package kernels

// Ranking asks how the true destinations of events rank among candidates,
// with score(e, v) = sum over j of W[j] relu(U[e,j] + P[v,j]). A constant
// that all scores share is left out.
type Ranking struct {
	Events, Nodes, Dim int
	U, P, W            Buffer // Events x Dim, Nodes x Dim, Dim
	// Slope, where it is not nil, moves the candidates (Nodes x Dim): P[v,j]
	// + s Slope[v,j] stands for P[v,j], s being EventTime[e] + NodeTime[v].
	Slope     Buffer
	EventTime []float32 // Events
	NodeTime  []float32 // Nodes
	// Candidates are rows of P, ascending, without repetition.
	Candidates []int32
	// True is the true destination of each event, a row of P.
	True []int32
	// Without lists, for each event, candidates that are no negatives of it,
	// ascending; nil leaves nobody out.
	Without [][]int32
}

// Ranker answers rankings; scores never leave the device.
type Ranker interface {
	// Rank counts, for every event, the negatives that score above and
	// exactly level with its true destination. It returns the first event
	// with a score that is not finite, or -1.
	Rank(q Ranking, greater, equal []int32) (bad int)
	// Scores writes the scores of all candidates, Events x len(Candidates):
	// those that Rank counts by. For tests and small exports.
	Scores(q Ranking, out []float32)
}
