package portable_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/kernels"
)

// Two numbers a state, three lanes, two features, by hand. States 0 and 1
// exchange, and state 2 is new.
func TestJacobiansByHand(t *testing.T) {
	j := device.NewJacobians(kernels.JacobianShape{
		Features: 2, States: 2, Columns: 3,
		State: []int32{0, 0, 1}, Plus: []int32{0, 1, -1}, Minus: []int32{2, 2, 0},
	})
	j.Grow(3)
	grad := zeros(6)
	// J = drive x, from nothing.
	j.Step(&kernels.JacobianStep{
		Slots:  []int32{-1, -1},
		Writes: []kernels.JacobianWrite{{Self: 0, Other: 1, Slot: 0, Row: 1}, {Self: 1, Other: 1, Slot: 1, Row: 0}},
		Keep:   numbers{5, 5}, Mix: numbers{5, 5}, Drive: numbers{1, 2, 3, 4, 5, 6}, X: numbers{1, 10, 1, -1},
	})
	checkJacobian(t, j, 0, [][]float32{{1, -1}, {2, -2}, {3, -3}})
	checkJacobian(t, j, 1, [][]float32{{4, 40}, {5, 50}, {6, 60}})

	j.Step(&kernels.JacobianStep{
		Slots: []int32{0, 1, -1}, Weights: numbers{1, 2, 3, 0, 7, 7}, Grad: grad,
		Writes:   []kernels.JacobianWrite{{Self: 0, Other: 1, Slot: 0}, {Self: 1, Other: 0, Slot: 1}, {Self: 2, Other: 0, Slot: 2}},
		PerWrite: true,
		Keep:     numbers{1, 0, 0, 1, 9, 9}, Mix: numbers{0, 1, 1, 0, 1, 2},
		Drive: numbers{0, 0, 0, 1, 0, 0, 0, 0, 1}, X: numbers{100, 200},
	})
	// Weighted lanes: 1 J_0 + 3 J_1, the same, 2 J_0.
	if diff := cmp.Diff(numbers{13 - 6, 17, -13 - 17, 119 + 6, 148, -119 - 148}, grad); diff != "" {
		t.Errorf("gradient: %s", diff)
	}
	checkJacobian(t, j, 0, [][]float32{{1, -1}, {2, -2}, {6, 60}})
	checkJacobian(t, j, 1, [][]float32{{101, 199}, {2, -2}, {6, 60}})
	checkJacobian(t, j, 2, [][]float32{{1, -1}, {2, -2}, {106, 194}})
}

// checkJacobian compares a slot with rows of features, one for each lane.
func checkJacobian(t *testing.T, j kernels.Jacobians, slot int, want [][]float32) {
	t.Helper()
	got := make([]float32, 6)
	j.Read(got, slot)
	for l, row := range want {
		for c, v := range row {
			if got := got[2*l+c]; got != v {
				t.Errorf("slot %d, lane %d, feature %d: %v, want %v", slot, l, c, got, v)
			}
		}
	}
}
