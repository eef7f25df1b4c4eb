package models

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"dgsbench/internal/suggest"
	"dgsbench/protocol"
)

// Options are a model's hyper-parameters: a pointer to a struct with yaml
// tags. Validate returns an *OptionError for a value that is out of range.
type Options interface {
	Validate() error
}

// Leaky are Options under which a score may depend on what comes after its
// event within the batch, which no model does unless it says so.
type Leaky interface {
	// LooksAhead says why; it is empty where no score does.
	LooksAhead(protocol.Task) string
}

// Reaching are Options under which an answer may depend on the states of
// other nodes than the event's own two, as attention over neighbours does. In
// t-batches such an answer could look ahead.
type Reaching interface {
	ReachesOut() bool
}

// Identified are Options that do not say all that results depend on.
type Identified interface {
	// Identity returns the rest, such as checksums of the files that they name.
	Identity() map[string]string
}

// NoOptions are the Options of models without any.
type NoOptions struct{}

// Validate returns nil.
func (*NoOptions) Validate() error { return nil }

// OptionError reports an option whose value is out of range.
type OptionError struct {
	Option string // dotted path below the options that were validated, such as head.lr
	Text   string // the value and what was expected: "is 7, expected 0 to 1"
}

func (e *OptionError) Error() string { return e.Option + " " + e.Text }

// InOption puts the path of nested options in front of that of their error:
// InOption("head", o.Head.Validate()).
func InOption(option string, err error) error {
	if e := (*OptionError)(nil); errors.As(err, &e) {
		return &OptionError{option + "." + e.Option, e.Text}
	}
	return err
}

// Expect returns an OptionError unless ok: "NAME is VALUE, expected EXPECTED".
// So Validate can be one cmp.Or over all options.
func Expect(ok bool, name string, value any, expected string) error {
	if ok {
		return nil
	}
	return &OptionError{name, fmt.Sprintf("is %v, expected %s", value, expected)}
}

// InRange expects low <= value <= high.
func InRange[T cmp.Ordered](name string, value, low, high T) error {
	return Expect(value >= low && value <= high, name, value, fmt.Sprintf("%v to %v", low, high))
}

// OneOf expects one of the known words.
func OneOf[T ~string](name string, word T, known ...T) error {
	return Expect(slices.Contains(known, word), name, fmt.Sprintf("%q", word), suggest.Or(known))
}
