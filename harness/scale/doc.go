// Package scale measures what a model costs as its surroundings grow: time,
// memory and allocations against the length of the stream, the number of
// nodes, features and events in a batch, and against the model's own options.
//
// The events come from a seeded generator, in chunks that nobody keeps, so
// that the stream may be longer than the memory. A Plan says what is
// measured, a Report holds what came out and is written as a table, as CSV,
// as JSON and as a figure.
package scale
