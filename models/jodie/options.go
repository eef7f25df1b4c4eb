package jodie

import (
	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/protocol"
)

// Options of Jodie.
type Options struct {
	Memory    memory.Options   `yaml:"memory"`
	Optimiser memory.Optimiser `yaml:"optimiser"`

	memory.Classification `yaml:",inline"`
}

// Defaults are those of TGN in PyTorch Geometric's example, but for the
// learning rate (docs/tuning.md).
func Defaults() *Options {
	return &Options{
		Memory: memory.Defaults(), Optimiser: memory.Optimiser{LR: 1e-3}, Classification: memory.ClassificationDefaults(),
	}
}

// Validate names the first value that is out of range.
func (o *Options) Validate() error {
	if err := o.Memory.Validate(); err != nil {
		return err
	}
	if err := o.Optimiser.Validate(); err != nil {
		return err
	}
	return o.Check(o.Memory, o.Optimiser)
}

// Config is the model of these options.
func (o *Options) Config() memory.Config {
	return memory.Config{Memory: o.Memory, Optimiser: o.Optimiser, Classification: o.Classification, Embedding: build}
}

func build(c *memory.Core, s models.Setup) (memory.Embedding, error) {
	return newProjection(c, intervals(s.Train)), nil
}

// intervalBytes is what the intervals of a node take while the model is
// built.
const intervalBytes = 8

func init() {
	models.Register(models.Kind{
		Name: "jodie", Class: protocol.Learned, Memory: true, Features: models.FeaturesOptional,
		Tasks:   []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return Defaults() },
		Bytes: func(s models.Setup, o models.Options) int64 {
			c := o.(*Options).Config()
			each := intervalBytes
			if s.Task == protocol.LinkPrediction { // by how much each candidate's part moves with time
				each += 4*c.Memory.Size + 4
			}
			return memory.Bytes(s, c, c.Memory.Size, int64(each), 1)
		},
		New: func(s models.Setup, o models.Options) (models.Model, error) {
			return memory.Build(s, o.(*Options).Config())
		},
	})
}
