// Package ring is the last-neighbour store of TGN: per node the events with
// the largest numbers, as in PyTorch Geometric's LastNeighborLoader. Every
// event is kept with both of its ends, a pair that meets twice is kept twice,
// and a self-loop is kept at its node twice.
//
// A batch is scored first and inserted afterwards, so that no event sees its
// own batch:
//
//	g := r.Query(centres, 1)   // the neighbourhoods, from before the batch
//	features.Table()           // their edges' features, on the device: rows g.Places
//	...
//	r.Insert(b)                // the batch's events
//	features.Insert(x)         // and their features
//
// An event costs the same however many came before it. The memory is 16 bytes
// a place, size places a node, and 4 bytes a place for every column of Rows:
// what the model wants to know of an event later, it leaves at the event's
// places, so nobody has to hold the stream. 10^6 nodes of 10 places with 4
// features take .32 GB.
package ring
