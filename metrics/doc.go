// Package metrics turns the raw facts of an evaluated part into numbers:
// MRR, Recall@k, AUC and average precision, their standard errors, and
// intervals from resampled events. All functions are pure.
//
// All metrics are pooled: a mean or a curve over all events of the part, not
// a mean over batches.
package metrics
