//go:build gpu

package cuda

import (
	"testing"

	"pgregory.net/rapid"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// weights are there or not; a plan does not read them.
type weights struct{ kernels.Buffer }

// drawStep has states without a slot, states that nothing is made of, and
// writes to slots that others need.
func drawStep(t *rapid.T) *kernels.JacobianStep {
	s := &kernels.JacobianStep{PerWrite: rapid.Bool().Draw(t, "per write")}
	n := rapid.IntRange(0, 60).Draw(t, "states")
	for i := range n {
		if rapid.IntRange(0, 4).Draw(t, "slot") == 0 {
			s.Slots = append(s.Slots, -1)
		} else {
			s.Slots = append(s.Slots, int32(i))
		}
	}
	for i := range n {
		if rapid.IntRange(0, 3).Draw(t, "write") > 0 {
			s.Writes = append(s.Writes, kernels.JacobianWrite{
				Self: int32(i), Other: rapid.Int32Range(0, int32(n-1)).Draw(t, "other"), Slot: int32(i), Row: int32(i % 7),
			})
		}
	}
	if rapid.Bool().Draw(t, "weights") {
		s.Weights = weights{}
	}
	return s
}

// TestPlan follows a plan as the kernel does, with a slot's name for its
// Jacobian: each one that is needed is read once and before it is overwritten,
// and each write is made of the right ones.
func TestPlan(t *testing.T) {
	var p jacobianPlan
	rapid.Check(t, func(t *rapid.T) {
		s := drawStep(t)
		shape := kernels.JacobianShape{Features: 3, States: 5, State: make([]int32, 11)}
		slots := make([]driver.Ptr, len(s.Slots))
		for i := range slots {
			slots[i] = driver.Ptr(1000 + i)
		}
		p.prepare(s, &shape, slots)
		copies := make([]uint64, p.copies) // addresses; 0 stands for zeros
		wasRead, written := map[uint64]bool{}, map[uint64]bool{}
		reads, writes := p.reads, p.writes
		for round, end := range p.ends {
			for range min(readsPerRound, len(reads)/readWords) {
				address, place, row := reads[0], int32(reads[1]), int32(reads[1]>>32)
				if wasRead[address] || written[address] {
					t.Fatalf("round %d: slot %d is read again, or after it was written", round, address)
				}
				if want := int32(address-1000) * int32(shape.States); row != want {
					t.Fatalf("weights of slot %d begin at %d, expected %d", address, row, want)
				}
				wasRead[address] = true
				if place > 0 {
					copies[place] = address
				}
				reads = reads[readWords:]
			}
			for ; len(p.writes)-len(writes) < int(end)*writeWords; writes = writes[writeWords:] {
				checkWrite(t, s, &shape, copies, writes[:writeWords])
				written[writes[0]] = true
			}
		}
		if len(reads)+len(writes) > 0 || len(written) != len(s.Writes) {
			t.Fatalf("%d words of reads and %d of writes are left; %d of %d writes done", len(reads), len(writes), len(written), len(s.Writes))
		}
		for i, slot := range s.Slots {
			if s.Weights != nil && slot >= 0 && !wasRead[uint64(1000+i)] {
				t.Fatalf("state %d counts for the gradient, but is not read", i)
			}
		}
	})
}

func checkWrite(t *rapid.T, s *kernels.JacobianStep, shape *kernels.JacobianShape, copies, words []uint64) {
	state := int32(words[0] - 1000)
	for number, w := range s.Writes {
		if w.Self != state {
			continue
		}
		factors := int32(0)
		if s.PerWrite {
			factors = int32(number * shape.States)
		}
		rest := pair(factors, int32(number*shape.Lanes()))
		if words[2] != rest || words[3] != pair(w.Row*int32(shape.Features), 0) {
			t.Fatalf("write %d: inputs at %x and %x", number, words[2], words[3])
		}
		for i, operand := range []int32{w.Self, w.Other} {
			want := uint64(0)
			if slot := s.Slots[operand]; slot >= 0 {
				want = uint64(1000 + slot)
			}
			if got := copies[uint32(words[1]>>(32*i))]; got != want {
				t.Fatalf("write %d: operand %d is %d, expected %d", number, i, got, want)
			}
		}
		return
	}
	t.Fatalf("nobody asked for a write of state %d", state)
}

// TestPlanNeedsFewPlaces: of pairs, and of a state that all others are
// written from, no more copies are kept than a round reads and puts off.
func TestPlanNeedsFewPlaces(t *testing.T) {
	const states, most = 200, readsPerRound + writesAtOnce + 2
	for name, other := range map[string]func(i int32) int32{
		"pairs":       func(i int32) int32 { return i ^ 1 },
		"one for all": func(int32) int32 { return 0 },
		"chain":       func(i int32) int32 { return max(i, 1) - 1 },
	} {
		s := &kernels.JacobianStep{}
		for i := range int32(states) {
			s.Slots = append(s.Slots, i)
			s.Writes = append(s.Writes, kernels.JacobianWrite{Self: i, Other: other(i), Slot: i})
		}
		var p jacobianPlan
		p.prepare(s, &kernels.JacobianShape{Features: 1, States: 1, State: []int32{0}}, make([]driver.Ptr, states))
		if p.copies > most {
			t.Errorf("%s: %d places, expected at most %d", name, p.copies, most)
		}
	}
}
