package head

import (
	"fmt"
	"math"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
)

// Loss runs the training program of a batch. Where features that the device
// has been shown before it, the loss or a gradient are not finite, the error
// names the first of them.
func Loss(t *nn.Training, b datasets.Stream) (float64, error) {
	return Judge(t, t.Run(), b)
}

// Judge does so when the device has answered with a loss.
func Judge(t *nn.Training, answer float32, b datasets.Stream) (float64, error) {
	loss := float64(answer)
	switch first, last := b.EventID(0), b.EventID(b.Len()-1); {
	case t.BadInput():
		return 0, models.BadFeature(b)
	case math.IsNaN(loss) || math.IsInf(loss, 0):
		return 0, fmt.Errorf("training loss of events %d to %d is %v", first, last, loss)
	case t.Fault() != "":
		return 0, fmt.Errorf("training on events %d to %d: %s", first, last, t.Fault())
	}
	return loss, nil
}
