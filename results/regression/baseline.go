package regression

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"dgsbench/internal/lists"
	"dgsbench/metrics"
	"dgsbench/protocol"
)

// Format is the version of the baseline's layout.
const Format = 1

// Baseline is a measurement that was accepted, and what counts as a change
// of it.
type Baseline struct {
	Format int     `json:"format"`
	Limits []Limit `json:"limits"`
	Measurement
}

// Limit is the smallest change of a metric that matters where bits are not
// compared. Both numbers are fractions, and the reason is how they were chosen.
type Limit struct {
	Metric    string  `json:"metric"`
	Effect    float64 `json:"smallest_effect"` // the smallest change of the mean over seeds that counts
	Tolerance float64 `json:"tolerance"`       // the largest difference of a value without seeds that does not
	Reason    string  `json:"reason"`
}

// ParseBaseline reads a baseline. file names it in messages.
func ParseBaseline(file string, data []byte) (Baseline, error) {
	var b Baseline
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(&b)
	if err == nil {
		err = b.check()
	}
	if err != nil {
		return Baseline{}, fmt.Errorf("%s is not a baseline of `bench check` (%w)", file, err)
	}
	return b, nil
}

// check reports the first thing without which nothing can be compared.
func (b Baseline) check() error {
	switch {
	case b.Format != Format:
		return fmt.Errorf("it has format %d, expected %d", b.Format, Format)
	case b.Suite == "":
		return fmt.Errorf("it names no suite")
	}
	if err := b.checkLimits(); err != nil {
		return err
	}
	for i, c := range b.Cells {
		switch {
		case i > 0 && b.Cells[i-1].Compare(c.CellKey) >= 0:
			return fmt.Errorf("%s is there twice or in the wrong place", c.CellKey)
		case !slices.Contains(protocol.Classes, c.Class):
			return fmt.Errorf("%s has the class %q, expected one of %v", c.CellKey, c.Class, protocol.Classes)
		}
		for _, s := range c.Series {
			if len(s.Values) != len(c.Seeds) {
				return fmt.Errorf("%s has %d seeds and %d values of %s", c.CellKey, len(c.Seeds), len(s.Values), s.Metric)
			}
			if _, ok := b.limit(s.Metric); !ok {
				return fmt.Errorf("it has no limit for the metric %s", s.Metric)
			}
		}
	}
	return nil
}

func (b Baseline) checkLimits() error {
	for i, l := range b.Limits {
		if _, err := metrics.Lookup(l.Metric); err != nil {
			return err
		}
		if slices.ContainsFunc(b.Limits[:i], func(other Limit) bool { return other.Metric == l.Metric }) {
			return fmt.Errorf("two limits for the metric %s", l.Metric)
		}
		if !(l.Effect > 0 && l.Tolerance > 0) || l.Reason == "" {
			return fmt.Errorf("limit of %s: expected an effect and a tolerance above 0, and a reason", l.Metric)
		}
	}
	return nil
}

func (b Baseline) limit(metric string) (Limit, bool) {
	return lists.Find(b.Limits, func(l Limit) bool { return l.Metric == metric })
}

// numbers is a list without lists or objects in it, over several lines.
var numbers = regexp.MustCompile(`\[\s+[^\[\]{}]*?\s+\]`)

// Encode returns the baseline's file: indented, but a list of numbers on a
// line. It is an error when ParseBaseline would not take it, as with a metric
// that has no limit yet.
func (b Baseline) Encode() ([]byte, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return nil, err
	}
	data = numbers.ReplaceAllFunc(data, func(list []byte) []byte {
		line := bytes.Join(bytes.Fields(list), []byte(" "))
		return append(append([]byte("["), bytes.TrimSpace(line[1:len(line)-1])...), ']')
	})
	return append(data, '\n'), nil
}
