package nn

import (
	"slices"
	"testing"

	"dgsbench/kernels/cpu"
)

// TestTrainingReachesWhatTheLossNeeds: there are gradients for the learned
// parameters that the loss depends on, and for no others.
func TestTrainingReachesWhatTheLossNeeds(t *testing.T) {
	n, rows := NewNetwork(cpu.NewDevice(cpu.Best(), 1), 1), NewRows(2)
	x := n.Input("x", rows, 3)
	logits := n.Linear("W", "b", x, 1, false)
	n.Linear("W of others", "b of others", x, 1, false)
	n.Fixed("fixed", make([]float32, 3), 3)
	training := n.NewTraining(BCE(logits, n.Input("y", rows, 1), n.Input("w", rows, 1)), Wanted{})
	if got := training.Names; !slices.Equal(got, []string{"W", "b"}) {
		t.Errorf("the training learns %v, expected W and b", got)
	}
	if got, want := n.NumParams(), 2*(3+1); got != want {
		t.Errorf("the network has %d parameters, expected %d", got, want)
	}
}
