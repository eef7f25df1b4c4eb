// Package record keeps what trials observed.
//
// A trial leaves one Record (a JSON file) and a sidecar of per-event facts, or
// of times, beside it, both in a Store. What follows from records is package
// results.
package record
