package datasets

import "hash/crc32"

// seal is the checksums of the columns that all who are given the same Parts
// share, and may not write to.
type seal struct {
	streams []Stream // those that have memory of their own
	sums    [][len(columnNames)]uint32
}

var columnNames = [...]string{"sources", "destinations", "times", "labels", "features"}

func sealOf(p Parts) (s seal) {
	s.streams = []Stream{p.Whole}
	if p.NewNode != nil {
		s.streams = append(s.streams, p.Train) // a copy of some events
	}
	for _, stream := range s.streams {
		s.sums = append(s.sums, stream.checksums())
	}
	return s
}

// checksums are those of the columns, in the order of their names.
func (s Stream) checksums() (sums [len(columnNames)]uint32) {
	table := crc32.MakeTable(crc32.Castagnoli) // processors compute it
	for i, column := range [len(columnNames)][]byte{bytesOf(s.Src), bytesOf(s.Dst), bytesOf(s.Time), bytesOf(s.Label), bytesOf(s.Feat)} {
		sums[i] = crc32.Checksum(column, table)
	}
	return sums
}

// Changed names a column, such as "labels", that is not what it was when the
// dataset was cut: somebody wrote to it. It is empty where all are.
func (p Parts) Changed() string {
	for i, stream := range p.seal.streams {
		for k, sum := range stream.checksums() {
			if sum != p.seal.sums[i][k] {
				return columnNames[k]
			}
		}
	}
	return ""
}
