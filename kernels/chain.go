package kernels

// Chaining is a device on which a call costs more than it computes, where
// batches are small: it can make one of several.
type Chaining interface {
	// NewChain makes a chain for at most so many rows.
	NewChain(rows int) Chain
}

// Chain is a device for calls that compute the same rows apart from each
// other: row i of what a call writes depends on rows i of what other calls of
// the chain have written, and on anything that was there before Begin. Between
// Begin and End calls are noted, and what is written from the host must not
// change; End makes them, in order.
//
// A buffer of its own holds numbers only from Begin to End. It has rows rows,
// or several matrices of so many one after another; a view of it is one of
// these, or columns.
//
// It has the calls of programs for inference; others panic.
type Chain interface {
	Device
	// NewVector makes a buffer of its own without rows: all rows read the
	// whole of it.
	NewVector(n int) Buffer
	// Begin starts a run with so many rows.
	Begin(rows int)
	End()
}
