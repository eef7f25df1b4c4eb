package models

import (
	"errors"
	"fmt"
)

// OptionError reports an option whose value is out of range.
type OptionError struct {
	Option string // dotted path below the options that were validated, such as head.lr
	Text   string // the value and what was expected: "is 7, expected 0 to 1"
}

func (e *OptionError) Error() string { return e.Option + " " + e.Text }

// BadOption returns an OptionError: BadOption("size", "is %d, expected 2 to 4096", o.Size).
func BadOption(option, format string, args ...any) error {
	return &OptionError{option, fmt.Sprintf(format, args...)}
}

// InOption puts the path of nested options in front of that of their error:
// InOption("head", o.Head.Validate()).
func InOption(option string, err error) error {
	if e := (*OptionError)(nil); errors.As(err, &e) {
		return &OptionError{option + "." + e.Option, e.Text}
	}
	return err
}
