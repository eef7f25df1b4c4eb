package graphsprints

import (
	"errors"

	"dgsbench/models"
)

// Snapshot copies parameters and, where asked, the states. That of a
// deployed model has its projection among the parameters.
func (m *Model) Snapshot(what models.Part) models.Snapshot {
	s := models.Snapshot{Params: m.head.Tensors()}
	if p := m.states.projection; p != nil {
		s.Params = append(s.Params, p.tensor(m.device))
	}
	if what == models.Everything {
		s.State = m.states.tensors()
	}
	return s
}

// Restore puts a snapshot back.
func (m *Model) Restore(s models.Snapshot) error {
	if s.State != nil {
		if err := m.states.check(s.State); err != nil {
			return err
		}
	}
	if err := m.restoreParams(s.Params); err != nil {
		return err
	}
	m.forgetParts()
	if s.State != nil {
		m.states.restore(s.State)
	}
	return nil
}

func (m *Model) restoreParams(saved []models.Tensor) error {
	p := m.states.projection
	if p == nil {
		return m.head.Restore(saved)
	}
	if len(saved) == 0 {
		return errors.New("snapshot has no parameters")
	}
	last := len(saved) - 1
	if err := models.Check([]models.Tensor{p.tensor(m.device)}, saved[last:]); err != nil {
		return err
	}
	if err := m.head.Restore(saved[:last]); err != nil {
		return err
	}
	m.device.Write(p.w, saved[last].F32)
	return nil
}
