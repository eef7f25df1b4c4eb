// Package graphsprints is Graph-Sprints as equation 1 of the Deep-Graph-
// Sprints paper defines it: per node a vector of feature histograms S, and
// for an event (u, v, F) and each endpoint n with other endpoint o
//
//	S_n <- beta S_n + (1-beta) [ (1-alpha) delta(F) + alpha S_o ]
//
// where delta(F) puts a one in the bucket of every feature. alpha and beta
// are scalars and nothing in the embedding is learned; an MLP classifies
// S_u after the event, or scores [S_u || S_v] before it.
//
// Matches the paper: equation, both endpoints updated, stale reads within a
// batch, head inputs of both tasks. Unknown there, and our choice: buckets
// are the distinct train percentiles 10, 20 ... 90; S starts at zero; the
// last write of a batch survives. Differs from the original Graph-Sprints
// paper: no hashing of buckets, and link prediction on the two states (as the
// Deep-Graph-Sprints paper has it). Forgetting by time is an option, default
// off.
package graphsprints
