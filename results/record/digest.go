package record

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"dgsbench/protocol"
)

// TestDigest is a SHA-256 of what was observed on the test part in one
// evaluation: the same for the same scores or counts, bit for bit.
func (o Observed) TestDigest(evaluation string) [sha256.Size]byte {
	h := sha256.New()
	for _, candidates := range []protocol.CandidateSet{"", protocol.AllNodes, protocol.Destinations} {
		f := o[Part{Split: protocol.Test, Candidates: candidates, Evaluation: evaluation}]
		for _, column := range []any{uint64(f.Len()), f.Greater, f.Equal, f.Score} {
			if err := binary.Write(h, binary.LittleEndian, column); err != nil {
				panic(fmt.Sprintf("record: %v", err)) // columns have a fixed size
			}
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}
