// Package regression says whether a build reports the numbers that it is
// known to report.
//
// A Measurement is what one build gave on one suite: every test metric of
// every seed, with the specs and data that it belongs to. A Baseline is a
// Measurement that somebody has accepted, as a file. Compare sets a fresh
// Measurement beside it. What must be the same bits is compared bit by bit;
// where that cannot be asked for (another kernel class, fresh seeds), seeds
// are compared as samples, by a permutation test a row with Holm's correction
// over all rows.
package regression
