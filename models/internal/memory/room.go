package memory

import (
	"dgsbench/models"
	"dgsbench/protocol"
)

// Bytes is the memory that a model of the family takes: memories and the times
// of their updates, the lists of messages and these, lists of nodes, in link
// prediction the candidates' parts of the decoder, and the programs of a batch.
// The embedding has width columns, holds embedding bytes a node and reads reads
// memories for each answer.
func Bytes(s models.Setup, c Config, width int, embedding int64, reads int) int64 {
	const (
		lists  = 4 * (2 + 2)           // first and batch of the store
		slot   = 4 + 4 + 8 + 4 + 4 + 1 // of the store, but for the features
		nodes  = 4 * 4                 // positions in lists of nodes
		grown  = 2                     // tables of what is appended
		ranked = 4 + 4 + 1 + 4         // numbers, times and marks of the candidates
	)
	rows, messages := int64(1), int64(1)
	switch {
	case s.Task == protocol.NodeClassification && c.Classification.perEvent():
		rows, messages = 2, 0 // they do not wait
	case c.Memory.Aggregator == Mean:
		messages = int64(messageRoom(s.MaxBatch))
	}
	waiting := messages * int64(s.NumNodes)
	if c.Memory.Aggregator == Mean { // each event waits for its two nodes
		waiting = min(waiting, int64(s.Events))
	}
	if messages > 0 { // those of a batch, beside those that they replace
		waiting += int64(s.MaxBatch)
	}
	each := rows*4*int64(c.Memory.Size) + 8 + lists + nodes + embedding
	if s.Task == protocol.LinkPrediction {
		each += 4*int64(width) + ranked
	}
	answers := s.MaxBatch
	if s.Task == protocol.LinkPrediction {
		answers *= 3 // sources, destinations, negatives
	}
	// A memory that is read has a message, gates and their gradients.
	const numbers = 16 // as measured, of each column of a message
	program := int64(answers*reads) * 4 * numbers * int64(2*c.Memory.Size+MessageWidth(s.NumFeat)+c.Memory.Time)
	return program + each*int64(s.NumNodes) + grown*waiting*int64(slot+4*MessageWidth(s.NumFeat))
}
