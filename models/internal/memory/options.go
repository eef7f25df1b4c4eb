package memory

import "fmt"

// Options are those of the memory.
type Options struct {
	Size       int        `yaml:"size"`       // M: numbers of a memory
	Time       int        `yaml:"time"`       // columns of a time encoding
	TimeInit   TimeInit   `yaml:"time_init"`  // how the time encoding starts
	Aggregator Aggregator `yaml:"aggregator"` // which of a node's messages count
	Cell       Cell       `yaml:"cell"`       // what applies a message
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

// TimeInit is how the frequencies of the time encoding are drawn.
type TimeInit string

const (
	// PyG has weights and biases uniform in -1 to 1.
	PyG TimeInit = "pyg"
	// TGN has the original's fixed frequencies, from 1 down to 1e-9 in equal
	// ratios, and biases of zero.
	TGN TimeInit = "tgn"
)

// Aggregator says what is applied of the messages that a node got in its
// last batch.
type Aggregator string

const (
	// Last is the last one in stream order.
	Last Aggregator = "last"
	// Mean is the mean of all, separately for the last batch that has the
	// node as a source and the last one that has it as a destination.
	Mean Aggregator = "mean"
)

// Defaults are those of PyTorch Geometric's example.
func Defaults() Options {
	return Options{Size: 100, Time: 100, TimeInit: PyG, Aggregator: Last, Cell: GRU}
}

// Validate names the first value that is out of range.
func (o Options) Validate() error {
	if o.Size < 1 || o.Size > 4096 {
		return fmt.Errorf("memory.size is %d, expected 1 to 4096", o.Size)
	}
	if o.Time < 1 || o.Time > 4096 {
		return fmt.Errorf("memory.time is %d, expected 1 to 4096", o.Time)
	}
	if o.TimeInit != PyG && o.TimeInit != TGN {
		return fmt.Errorf("memory.time_init is %q, expected %s or %s", o.TimeInit, PyG, TGN)
	}
	if o.Aggregator != Last && o.Aggregator != Mean {
		return fmt.Errorf("memory.aggregator is %q, expected %s or %s", o.Aggregator, Last, Mean)
	}
	if o.Cell != GRU && o.Cell != RNN {
		return fmt.Errorf("memory.cell is %q, expected %s or %s", o.Cell, GRU, RNN)
	}
	return nil
}

// Optimiser is Adam on all parameters.
type Optimiser struct {
	LR          float64 `yaml:"lr"`           // learning rate
	WeightDecay float64 `yaml:"weight_decay"` // L2 added to the gradient
}

// Validate names the first value that is out of range.
func (o Optimiser) Validate() error {
	if !(o.LR > 0 && o.LR <= 10) {
		return fmt.Errorf("optimiser.lr is %v, expected 0 < lr <= 10", o.LR)
	}
	if !(o.WeightDecay >= 0 && o.WeightDecay <= 1) {
		return fmt.Errorf("optimiser.weight_decay is %v, expected 0 to 1", o.WeightDecay)
	}
	return nil
}
