package memory

import (
	"fmt"
	"slices"

	"dgsbench/models"
	"dgsbench/nn"
)

// Snapshot copies the parameters and, where asked, memories, waiting
// messages and what the embedding knows of events.
func (m *Model) Snapshot(what models.Part) models.Snapshot {
	s := models.Snapshot{Params: m.params()}
	if what == models.Everything {
		s.State = m.tensors()
	}
	return s
}

// Restore puts a snapshot back.
func (m *Model) Restore(s models.Snapshot) error {
	if s.State != nil {
		if err := m.fits(s.State); err != nil {
			return err
		}
	}
	if err := m.setParams(s.Params); err != nil {
		return err
	}
	m.ranking.everythingChanged()
	if s.State != nil {
		m.restore(s.State)
	}
	return nil
}

// phase is blank and evaluated.
func (w *waiting) phase() models.Tensor {
	t := models.Tensor{Name: "phase", Shape: []int{2}, I64: make([]int64, 2)}
	for i, on := range []bool{w.blank, w.evaluated} {
		if on {
			t.I64[i] = 1
		}
	}
	return t
}

// storeTensors is how many a store has.
const storeTensors = 5

// fits refuses what tensors cannot have given.
func (w *waiting) fits(saved []models.Tensor) error {
	if least := coreTensors + storeTensors + 1; len(saved) < least {
		return fmt.Errorf("snapshot has %d tensors of state, expected %d or more", len(saved), least)
	}
	store, phase := saved[coreTensors:][:storeTensors], saved[coreTensors+storeTensors]
	if err := w.core.check(saved); err != nil {
		return err
	}
	if err := w.store.check(store); err != nil {
		return err
	}
	if err := models.Check([]models.Tensor{w.phase()}, []models.Tensor{phase}); err != nil {
		return err
	}
	for _, on := range phase.I64 {
		if on != 0 && on != 1 {
			return fmt.Errorf("snapshot tensor %s has %d, expected 0 or 1", phase, on)
		}
	}
	return w.embedding.Check(saved[coreTensors+storeTensors+1:])
}

// restore puts back what fits.
func (w *waiting) restore(saved []models.Tensor) {
	w.core.restore(saved)
	w.store.restore(saved[coreTensors:])
	phase := saved[coreTensors+storeTensors]
	w.blank, w.evaluated = phase.I64[0] != 0, phase.I64[1] != 0
	w.embedding.Restore(saved[coreTensors+storeTensors+1:])
}

// tensors copies the messages: events (source, destination), times and
// features of those that wait, and for each role the lists of them as pairs
// of node and event.
func (s *store) tensors() []models.Tensor {
	s.drop()
	number, used := make([]int64, len(s.src)), int64(0) // of the slots in use
	ends := []int64{}
	times := []float64{}
	features := []float32{}
	all := make([]float32, len(s.src)*s.width)
	if !s.bare {
		s.device.Read(all, s.features)
	}
	for slot, users := range s.users {
		if users == 0 {
			continue
		}
		number[slot] = used
		used++
		ends = append(ends, int64(s.src[slot]), int64(s.dst[slot]))
		times = append(times, s.time[slot])
		features = append(features, all[slot*s.width:][:s.width]...)
	}
	out := []models.Tensor{
		{Name: "messages.ends", Shape: []int{int(used), 2}, I64: ends},
		{Name: "messages.times", Shape: []int{int(used)}, I64: bitsOf(times)},
		{Name: "messages.features", Shape: []int{int(used), s.width}, F32: features},
	}
	for role, name := range s.lists() {
		list := []int64{}
		for node, at := range s.first[role] {
			for ; at > 0; at = s.next[role][at-1] {
				list = append(list, int64(node), number[at-1])
			}
		}
		out = append(out, models.Tensor{Name: name, Shape: []int{len(list) / 2, 2}, I64: list})
	}
	return out
}

// lists are the names of the lists, which mean other things with another
// aggregator.
func (s *store) lists() [2]string {
	if s.all {
		return [2]string{"messages.mean.source", "messages.mean.destination"}
	}
	return [2]string{"messages.last", "messages.last.none"}
}

// restore puts back what tensors gave.
func (s *store) restore(saved []models.Tensor) {
	s.clear()
	ends, times := saved[0].I64, timesOf(saved[1].I64)
	for i, t := range times {
		s.take(int32(ends[2*i]), int32(ends[2*i+1]), t)
	}
	if !s.bare {
		s.grow()
		s.device.Write(s.features, saved[2].F32)
	}
	for role, list := range [][]int64{saved[3].I64, saved[4].I64} {
		for i := len(list) - 2; i >= 0; i -= 2 { // each goes in front
			node, slot := list[i], int32(list[i+1])
			s.next[role][slot] = s.first[role][node]
			s.first[role][node] = slot + 1
			s.users[slot]++
		}
	}
}

// check refuses tensors that are no messages of such a model.
func (s *store) check(saved []models.Tensor) error {
	for i, own := range s.tensors() {
		t, otherType := saved[i], len(saved[i].F32) > 0
		if own.I64 == nil {
			otherType = len(saved[i].I64) > 0
		}
		if t.Name != own.Name || len(t.Shape) != len(own.Shape) || !slices.Equal(t.Shape[1:], own.Shape[1:]) || otherType {
			return fmt.Errorf("snapshot tensor %s is not the expected %s", t, own)
		}
	}
	if !nn.Within(saved[2].F32) {
		return fmt.Errorf("snapshot tensor %s has a number beyond ±%g", saved[2], nn.Largest)
	}
	if err := models.CheckTimes(saved[1], nn.Largest); err != nil {
		return err
	}
	events, nodes := len(saved[1].I64), int64(len(s.first[0]))
	if len(saved[0].I64) != 2*events || len(saved[2].F32) != s.width*events {
		return fmt.Errorf("snapshot tensor messages.features has %d numbers for %d messages, expected %d each", len(saved[2].F32), events, s.width)
	}
	for _, n := range saved[0].I64 {
		if n < 0 || n >= nodes {
			return fmt.Errorf("snapshot tensor messages.ends has node %d of %d", n, nodes)
		}
	}
	for role, t := range saved[3:] {
		if err := s.checkList(role, t, saved[0].I64); err != nil {
			return err
		}
	}
	return s.checkCounts(saved[3].I64, saved[4].I64)
}

// checkList refuses pairs of node and event that no such list has: a node
// without part in the event, or a pair that was there before.
func (s *store) checkList(role int, t models.Tensor, ends []int64) error {
	if len(t.I64)%2 != 0 {
		return fmt.Errorf("snapshot tensor %s has %d numbers, expected pairs", t.Name, len(t.I64))
	}
	known := map[[2]int64]bool{}
	for i := 0; i < len(t.I64); i += 2 {
		node, event := t.I64[i], t.I64[i+1]
		if event < 0 || event >= int64(len(ends)/2) {
			return fmt.Errorf("snapshot tensor %s has event %d, expected 0 to %d", t.Name, event, len(ends)/2-1)
		}
		own := ends[2*event:][:2] // of the event
		if s.all {
			own = own[role:][:1]
		}
		if !slices.Contains(own, node) {
			return fmt.Errorf("snapshot tensor %s has node %d for event %d, expected one of %v", t.Name, node, event, own)
		}
		if known[[2]int64{node, event}] {
			return fmt.Errorf("snapshot tensor %s has node %d with event %d twice", t.Name, node, event)
		}
		known[[2]int64{node, event}] = true
	}
	return nil
}

// checkCounts refuses more messages of a node than it can have: one, or as
// many as can be applied at once.
func (s *store) checkCounts(lists ...[]int64) error {
	most := 1
	if s.all {
		most = s.room
	}
	counts := map[int64]int{}
	for _, list := range lists {
		for i := 0; i < len(list); i += 2 {
			if counts[list[i]]++; counts[list[i]] > most {
				return fmt.Errorf("snapshot has more messages of node %d than this model takes: expected at most %d", list[i], most)
			}
		}
	}
	return nil
}
