package datasets

import (
	"errors"
	"fmt"
	"math"
)

// Times says how the times of a file were read, so that those of later events can
// be.
type Times struct {
	First string  `yaml:"first" json:"first"` // in the first line, which decides the form
	Start float64 `yaml:"start" json:"start"` // of the first event, as it was read
	Unit  string  `yaml:"unit" json:"unit"`   // of numbers
}

// Reader returns a function that reads a time as the file's were: in seconds from
// its first event.
func (t Times) Reader() (func(field string) (seconds float64, err error), error) {
	unit, err := ParseUnit(t.Unit)
	c := newClock(t.First)
	switch {
	case err != nil:
		return nil, err
	case t.First != "" && !c.isTime():
		return nil, fmt.Errorf("a first time %q, expected a number or a date", t.First)
	case math.IsNaN(t.Start) || math.Abs(t.Start) > 2*largestTime:
		return nil, fmt.Errorf("a start at %v, expected a number from -2e19 to 2e19", t.Start)
	}
	return func(field string) (float64, error) {
		x, ok := c.parse([]byte(field))
		if !ok {
			return 0, errors.New(c.expected())
		}
		return (x - t.Start) / unitPerSecond[unit], nil
	}, nil
}
