package heuristic

import (
	"fmt"
	"math"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// EdgeBankOptions of EdgeBank.
type EdgeBankOptions struct {
	// Window is the share of the training events whose time span is the
	// memory's length; 0 remembers for ever. TGB uses 0.15.
	Window float64 `yaml:"window"`
}

// Validate names a value that is out of range.
func (o *EdgeBankOptions) Validate() error {
	if !(o.Window >= 0 && o.Window < 1) {
		return fmt.Errorf("window is %v, expected 0 (unlimited) or a share below 1", o.Window)
	}
	return nil
}

// newEdgeBank scores a pair 1 if it was ever seen, or seen within the
// window that ends at the latest observed event.
func newEdgeBank(s models.Setup, o *EdgeBankOptions) *linkRule {
	span := math.Inf(1)
	if n := s.Train.Len(); o.Window > 0 && n > 0 {
		span = s.Train.Time[n-1] - datasets.Quantile(s.Train.Time, 1-o.Window)
	}
	remembered := func(r *linkRule, p *seen) (float64, bool) { return 1, p.time >= r.now-span }
	return newLinkRule(s, remembered, level)
}

func init() {
	models.Register(models.Kind{
		Name: "edgebank", Class: protocol.ZeroParameter, Memory: true, Tasks: []protocol.Task{protocol.LinkPrediction},
		Options: func() models.Options { return &EdgeBankOptions{} },
		Bytes:   bytesOf,
		New: func(s models.Setup, o models.Options) (models.Model, error) {
			return newEdgeBank(s, o.(*EdgeBankOptions)), nil
		},
	})
}
