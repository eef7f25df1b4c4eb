package specs_test

import (
	"fmt"
	"slices"

	"dgsbench/models"
	"dgsbench/protocol"
)

// toyOptions are those of a kind that only these tests know: nothing here
// depends on what real models offer.
type toyOptions struct {
	Alpha  float64 `yaml:"alpha"`
	Layers []int   `yaml:"layers"`
	Mode   string  `yaml:"mode"`
	Head   toyHead `yaml:"head"`
}

type toyHead struct {
	LR      float64 `yaml:"lr"`
	Dropout float32 `yaml:"dropout"`
}

func (o *toyOptions) Validate() error {
	switch {
	case o.Alpha < 0 || o.Alpha > 1:
		return &models.OptionError{Option: "alpha", Text: fmt.Sprintf("is %v, expected 0 to 1", o.Alpha)}
	case o.Head.LR <= 0:
		return &models.OptionError{Option: "head.lr", Text: fmt.Sprintf("is %v, expected more than 0", o.Head.LR)}
	case !slices.Contains([]string{"fast", "slow"}, o.Mode):
		return &models.OptionError{Option: "mode", Text: fmt.Sprintf("is %q, expected fast or slow", o.Mode)}
	}
	return nil
}

type noOptions struct{}

func (*noOptions) Validate() error { return nil }

func init() {
	models.Register(models.Kind{
		Name: "toy", Class: protocol.Learned,
		Tasks: []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options {
			return &toyOptions{Alpha: 0.5, Layers: []int{4}, Mode: "fast", Head: toyHead{LR: 0.1}}
		},
	})
	models.Register(models.Kind{
		Name: "toy-rule", Class: protocol.ZeroParameter,
		Tasks:   []protocol.Task{protocol.LinkPrediction},
		Options: func() models.Options { return &noOptions{} },
	})
}
