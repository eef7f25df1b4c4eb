package memory

import (
	"fmt"

	"dgsbench/models/internal/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Classification are the options of node classification.
type Classification struct {
	NCMemory NCMemory    `yaml:"nc_memory"` // what of its own batch an event is classified by
	NCOrder  NCOrder     `yaml:"nc_order"`  // of updating and classifying
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
	// PyGLastDetached is the same with a detach in between: one application.
	PyGLastDetached NCMemory = "pyg_last_detached"
)

// NCOrder is the order of updating and classifying.
type NCOrder string

const (
	// After the event: update, then classify.
	After NCOrder = "after"
	// Before the event: classify, then update, with the messages and the
	// gradient of link prediction.
	Before NCOrder = "before"
)

// HeadOptions are those of the classifier on top of the embeddings. It
// shares its optimiser with what is below.
type HeadOptions struct {
	Hidden    []int   `yaml:"hidden"`     // units of the dense layers, 1 to 3 layers
	Norm      nn.Norm `yaml:"norm"`       // of the hidden units before their ReLU: none, layer or batch
	Dropout   float64 `yaml:"dropout"`    // share of hidden units dropped in training
	PosWeight float64 `yaml:"pos_weight"` // weight of positive events
}

// with completes them.
func (h HeadOptions) with(o Optimiser) head.Options {
	return head.Options{Hidden: h.Hidden, Norm: h.Norm, Dropout: h.Dropout, LR: o.LR, WeightDecay: o.WeightDecay, PosWeight: h.PosWeight}
}

// ClassificationDefaults are those of the reference runs.
func ClassificationDefaults() Classification {
	h := head.Defaults()
	return Classification{
		NCMemory: PerEvent, NCOrder: After,
		Head: HeadOptions{Hidden: h.Hidden, Norm: h.Norm, Dropout: h.Dropout, PosWeight: h.PosWeight},
	}
}

// Check names the first value that is out of range, or does not go with the
// memory's or the optimiser's.
func (c Classification) Check(m Options, o Optimiser) error {
	last := c.NCMemory == PyGLast || c.NCMemory == PyGLastDetached
	switch {
	case c.NCMemory != PerEvent && !last:
		return fmt.Errorf("nc_memory is %q, expected %s, %s or %s", c.NCMemory, PerEvent, PyGLast, PyGLastDetached)
	case c.NCOrder != After && c.NCOrder != Before:
		return fmt.Errorf("nc_order is %q, expected %s or %s", c.NCOrder, After, Before)
	case last && c.NCOrder == Before:
		return fmt.Errorf("nc_memory is %q, expected %s with nc_order: %s", c.NCMemory, PerEvent, Before)
	case (last || c.NCOrder == Before) && m.Aggregator != Last:
		return fmt.Errorf("memory.aggregator is %q, expected %s with nc_memory: %s, nc_order: %s", m.Aggregator, Last, c.NCMemory, c.NCOrder)
	}
	if err := c.Head.with(o).Validate(); err != nil {
		return fmt.Errorf("head.%w", err)
	}
	return nil
}

// MixesBatch is that of the head.
func (c Classification) MixesBatch() bool { return c.Head.Norm == nn.WithBatch }

// perEvent reports whether every occurrence of a node has a memory of its own,
// from after its event.
func (c Classification) perEvent() bool { return c.NCMemory == PerEvent && c.NCOrder == After }

// LooksAhead says why a classification depends on later events of its
// batch; it is empty where it does not.
func (c Classification) LooksAhead(task protocol.Task) string {
	if task == protocol.NodeClassification && c.NCMemory != PerEvent {
		return fmt.Sprintf("nc_memory: %s has one memory a node and batch, that after its last event", c.NCMemory)
	}
	return ""
}
