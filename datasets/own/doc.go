// Package own makes datasets out of a user's files. Import turns an event log
// into a folder below the data folder, and Use makes such folders known by
// their names, like the datasets that come with the benchmark.
//
// The folder DATA/NAME holds
//
//	events.csv      the events that were imported: nodes are numbers, times
//	                are seconds from the first event, columns that were not
//	                named are not there
//	dataset.yaml    how it is split, and what is in it
//	.cache          the same events for quick loading; it may be removed
//
// It appears all at once, or not at all.
package own
