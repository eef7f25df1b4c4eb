package harness

import "math"

// stopping is early stopping on a validation metric, higher being better.
type stopping struct {
	patience int // epochs without improvement; 0 never stops
	best     float64
	epoch    int // of the best value
}

func newStopping(patience int) *stopping {
	return &stopping{patience: patience, best: math.Inf(-1), epoch: -1}
}

// see takes an epoch's value and reports whether it is the best so far.
func (s *stopping) see(epoch int, value float64) bool {
	if value > s.best {
		s.best, s.epoch = value, epoch
		return true
	}
	return false
}

// done reports whether training should end after this epoch.
func (s *stopping) done(epoch int) bool {
	return s.patience > 0 && epoch-s.epoch >= s.patience
}
