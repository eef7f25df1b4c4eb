package datasets

import (
	"fmt"

	"dgsbench/internal/ram"
)

// Bytes returns the size in bytes of the columns of a stream with that many
// events and features.
func Bytes(events, features int) int64 {
	const columns = 4 + 4 + 8 + 1 // Src, Dst, Time, Label
	return int64(events) * int64(columns+4*features)
}

// room refuses what would not fit into the memory, before it is made.
func (d Dataset) room(bytes int64) error {
	if err := ram.Check("dataset "+d.Name, bytes); err != nil {
		return fmt.Errorf("%w; %s", err, d.smaller())
	}
	return nil
}

// smaller says what helps where there is too little memory.
func (d Dataset) smaller() string {
	if d.Scaled != nil || d.HasTruth {
		return "take a smaller scale (NAME@SCALE), or a machine with more"
	}
	return "import a part of it, or take a machine with more"
}

// CheckRoom refuses datasets that would not fit into the memory together, as
// far as their sizes are known before they are read. Names that are not known
// are left to Lookup.
func CheckRoom(names []string) error {
	total := int64(0)
	var last Dataset
	for _, name := range names {
		if d, err := Lookup(name); err == nil {
			last, total = d, total+d.Size()
		}
	}
	if len(names) == 1 {
		return last.room(total)
	}
	if err := ram.Check(fmt.Sprintf("the %d datasets together", len(names)), total); err != nil {
		return fmt.Errorf("%w; leave some out with --datasets, or take a machine with more", err)
	}
	return nil
}

// Size is the memory that reading or making the dataset takes, as far as its
// size is known; else 0.
func (d Dataset) Size() int64 { return Bytes(d.Want.Events, d.Want.Features) + d.Making }

// history's numbers of a node: see newHistory.
const historyBytes = 1 + 8 + 4 + 4

// derivedBytes is what deriving makes: columns, and what is known of the nodes;
// and which events windows begin with.
func derivedBytes(s Stream, width int) int64 {
	return int64(s.Len())*(4*int64(width)+1) + historyBytes*int64(s.NumNodes)
}

// inductiveBytes is what taking nodes out of the training part makes: lists of
// nodes and events, of which the longest one is copied as it grows, and the
// part's own columns.
func inductiveBytes(s Stream, trainEnd, features int) int64 {
	const grown = 9 * 8 / 4 // numbers of events, a quarter larger each time
	return Bytes(trainEnd, features) + int64(trainEnd)*(4+grown) + 2*int64(s.NumNodes)
}

// describedBytes is what Describe makes at once at most: the maps of moments
// and of pairs, half full, and what they leave as they grow.
func describedBytes(s Stream) int64 { return int64(s.Len()) * 3 * 64 }
