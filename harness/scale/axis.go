package scale

import (
	"fmt"
	"strconv"
	"strings"

	"dgsbench/internal/suggest"
)

// Axis is what a sweep changes, all else as in the plan's base.
type Axis string

// The axes that every model has. "option:PATH" is one of the model's own
// options, such as option:head.dropout.
const (
	Length   Axis = "length" // events of the stream
	Nodes    Axis = "nodes"
	Features Axis = "features"
	Batch    Axis = "batch"

	optionPrefix = "option:"
)

// option is the path of the model's option that the axis stands for.
func (a Axis) option() (path string, ok bool) { return strings.CutPrefix(string(a), optionPrefix) }

// Sweep are the values of one axis, in the order in which they are measured.
type Sweep struct {
	Axis   Axis
	Values []string
}

// ParseSweep reads AXIS=VALUE,VALUE... Whole numbers may be written as 1e6.
func ParseSweep(text string) (Sweep, error) {
	axis, list, found := strings.Cut(text, "=")
	if !found || list == "" {
		return Sweep{}, fmt.Errorf("sweep %q: expected AXIS=VALUE,VALUE..., for example %s=1e4,1e5", text, Length)
	}
	s := Sweep{Axis: Axis(axis)}
	_, own := s.Axis.option()
	seen := map[string]bool{}
	for value := range strings.SplitSeq(list, ",") {
		if !own {
			n, err := ParseCount(value)
			if err != nil {
				return Sweep{}, fmt.Errorf("sweep %q: %w", text, err)
			}
			value = strconv.Itoa(n)
		}
		if seen[value] && !own {
			return Sweep{}, fmt.Errorf("sweep %q: %s is listed twice", text, value)
		}
		seen[value] = true
		s.Values = append(s.Values, value)
	}
	if own {
		return s, nil
	}
	_, err := Size{}.with(s.Axis, s.Values[0])
	return s, err
}

// ParseCount reads a whole number, also one such as 1e6.
func ParseCount(text string) (int, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.eE+") != "" || x > maxEvents || x != float64(int(x)) {
		return 0, fmt.Errorf("expected a whole number such as 200 or 1e6, found %q", text)
	}
	return int(x), nil
}

// Bounds of sizes.
const (
	maxEvents   = 1e12
	maxFeatures = 10_000
	maxBatch    = 100_000
)

// with is the size with one axis changed.
func (s Size) with(a Axis, value string) (Size, error) {
	n, err := ParseCount(value)
	if err != nil {
		return s, err
	}
	switch a {
	case Length:
		s.Events = n
	case Nodes:
		s.Nodes = n
	case Features:
		s.Features = n
	case Batch:
		s.Batch = n
	default:
		known := []string{string(Length), string(Nodes), string(Features), string(Batch), optionPrefix + "NAME"}
		return s, fmt.Errorf("no axis %q%s", a, suggest.Hint(string(a), known))
	}
	return s, nil
}

// check says which part of the size is out of range.
func (s Size) check() error {
	for _, c := range []struct {
		axis         Axis
		n, low, high int
	}{
		{Length, s.Events, 1, maxEvents},
		{Nodes, s.Nodes, minNodes, maxNodes},
		{Features, s.Features, 0, maxFeatures},
		{Batch, s.Batch, 1, maxBatch},
	} {
		if c.n < c.low || c.n > c.high {
			return fmt.Errorf("%s is %d, expected %d to %d", c.axis, c.n, c.low, c.high)
		}
	}
	return nil
}
