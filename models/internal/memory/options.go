package memory

import (
	"cmp"
	"fmt"

	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/models/ring"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Options are those of the memory.
type Options struct {
	Size int  `yaml:"size"` // M: numbers of a memory
	Time int  `yaml:"time"` // columns of a time encoding
	Cell Cell `yaml:"cell"` // what applies a message
}

// Cell is what applies a message to a memory.
type Cell string

const (
	// GRU is TGN's, and that of the Deep-Graph-Sprints paper for Jodie.
	GRU Cell = "gru"
	// RNN is the original JODIE's: tanh(W a + U q + b), divided by its
	// length.
	RNN Cell = "rnn"
)

// Defaults are those of PyTorch Geometric's example.
func Defaults() Options { return Options{Size: 100, Time: 100, Cell: GRU} }

// Validate returns an error for the first value that is out of range.
func (o Options) Validate() error {
	return cmp.Or(
		models.InRange("memory.size", o.Size, 1, 4096),
		models.InRange("memory.time", o.Time, 1, 4096),
		models.OneOf("memory.cell", o.Cell, GRU, RNN),
	)
}

// AttentionOptions are those of the layers of attention.
type AttentionOptions struct {
	Size       int     `yaml:"size"`       // D: columns of an embedding
	Heads      int     `yaml:"heads"`      // they share the columns
	Layers     int     `yaml:"layers"`     // how many steps away a node looks
	Neighbours int     `yaml:"neighbours"` // last events of a node that count
	Dropout    float64 `yaml:"dropout"`    // share of the attention weights dropped in training
}

// Validate returns an error for the first value that is out of range.
func (o AttentionOptions) Validate() error {
	return cmp.Or(
		models.InRange("attention.heads", o.Heads, 1, 64),
		models.Expect(o.Heads > 0 && o.Size >= 1 && o.Size <= 4096 && o.Size%o.Heads == 0, "attention.size", o.Size,
			fmt.Sprintf("a multiple of heads %d up to 4096", o.Heads)),
		models.InRange("attention.layers", o.Layers, 1, 3),
		models.InRange("attention.neighbours", o.Neighbours, 1, 100),
		models.Expect(o.Dropout >= 0 && o.Dropout < 1, "attention.dropout", o.Dropout, "0 <= dropout < 1"),
	)
}

// Optimiser is Adam on all parameters.
type Optimiser struct {
	LR          float64 `yaml:"lr"`           // learning rate
	WeightDecay float64 `yaml:"weight_decay"` // L2 added to the gradient
}

// Validate returns an error for the first value that is out of range.
func (o Optimiser) Validate() error {
	return cmp.Or(
		models.Expect(o.LR > 0 && o.LR <= 10, "optimiser.lr", o.LR, "0 < lr <= 10"),
		models.InRange("optimiser.weight_decay", o.WeightDecay, 0, 1),
	)
}

// Classification are the options of node classification.
type Classification struct {
	NCMemory NCMemory    `yaml:"nc_memory"` // what of its own batch an event is classified by
	Head     HeadOptions `yaml:"head"`
}

// NCMemory is what of its own batch an event is classified by.
type NCMemory string

const (
	// PerEvent is the event alone: every occurrence of a node has a memory
	// of its own.
	PerEvent NCMemory = "per_event"
	// PyGLast is the source's last event of the batch, which may be a later
	// one: what PyTorch Geometric's module gives if it is updated before it
	// is read. The gradient is two applications of the cell deep.
	PyGLast NCMemory = "pyg_last"
)

// HeadOptions are those of the classifier on top of the embeddings. It
// shares its optimiser with what is below.
type HeadOptions struct {
	Hidden    []int   `yaml:"hidden"`     // units of the dense layers, 1 to 3 layers
	Norm      nn.Norm `yaml:"norm"`       // of the hidden units before their ReLU: none or layer
	Dropout   float64 `yaml:"dropout"`    // share of hidden units dropped in training
	PosWeight float64 `yaml:"pos_weight"` // weight of positive events
}

func (h HeadOptions) with(o Optimiser) head.Options {
	return head.Options{Hidden: h.Hidden, Norm: h.Norm, Dropout: h.Dropout, LR: o.LR, WeightDecay: o.WeightDecay, PosWeight: h.PosWeight}
}

// ClassificationDefaults are those of the reference runs.
func ClassificationDefaults() Classification {
	h := head.Defaults()
	return Classification{
		NCMemory: PerEvent, Head: HeadOptions{Hidden: h.Hidden, Norm: h.Norm, Dropout: h.Dropout, PosWeight: h.PosWeight},
	}
}

// Check returns an error for the first value that is out of range, or does not
// go with the optimiser's.
func (c Classification) Check(o Optimiser) error {
	return cmp.Or(
		models.OneOf("nc_memory", c.NCMemory, PerEvent, PyGLast),
		models.InOption("head", c.Head.with(o).Validate()),
	)
}

// LooksAhead says why a classification depends on later events of its
// batch; it is empty where it does not.
func (c Classification) LooksAhead(task protocol.Task) string {
	if task == protocol.NodeClassification && c.NCMemory != PerEvent {
		return fmt.Sprintf("nc_memory: %s has one memory a node and batch, that after its last event", c.NCMemory)
	}
	return ""
}

// bytes is the memory that a model of the family takes: memories and the times of
// their updates, messages, lists of nodes, in link prediction the candidates'
// parts of the decoder, what the embedding keeps of a node, and the programs of a
// batch.
func (c Config) bytes(s models.Setup) int64 {
	const (
		lists    = 4 * 4         // positions in lists of nodes
		ranked   = 4 + 4 + 4 + 4 // numbers, times and positions of the candidates
		interval = 8             // what Elapsed takes while the model is built
	)
	rows, message := 1, 4+8+1+4+2*4*s.NumFeat // other end, time, row, position; features twice
	if c.perEvent(s.Task) {
		rows, message = 2, 0
	}
	each := rows*4*c.Memory.Size + 8 + lists + message
	answers := s.MaxBatch
	if s.Task == protocol.LinkPrediction {
		each += 4*c.width() + ranked
		answers *= 3 // sources, destinations, negatives
	}
	read := min(answers, s.NumNodes) // memories
	if a := c.Attention; a != nil {
		each += a.Neighbours*(4+4+8+4*s.NumFeat) + 4 + 4 + 4 // numbers, times and features of their events
		if s.Task == protocol.LinkPrediction {
			each += a.Neighbours * (8 + 4*a.Layers*a.Size) // projections of the edges
		} else if rows == 2 {
			each += a.Neighbours * 4 // which edges repeat
		}
		read, _ = ring.Bounds(s.NumNodes, a.Neighbours, read, a.Layers)
	}
	if c.Elapsed != nil {
		each += interval
		if s.Task == protocol.LinkPrediction { // by how much each candidate's part moves with time
			each += 4*c.width() + 4
		}
	}
	// A memory that is read has a message, gates and their gradients.
	const numbers = 16 // as measured, of each column of a message
	program := int64(read) * 4 * numbers * int64(2*c.Memory.Size+messageWidth(s.NumFeat)+c.Memory.Time)
	return program + int64(each)*int64(s.NumNodes)
}
