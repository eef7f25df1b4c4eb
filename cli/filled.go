package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// filled is the value of a flag that would mean something else if it were
// empty, as a variable of a script that is not set: everything, or the folder
// that one happens to be in. Commands refuse an empty --out themselves.
type filled struct{ pflag.Value }

// Set refuses what is empty, and lists of several lines, of which pflag reads
// the first alone.
func (f filled) Set(text string) error {
	if text == "" {
		return errors.New("it is empty")
	}
	if f.Type() == "stringSlice" && strings.ContainsAny(strings.TrimRight(text, "\r\n"), "\r\n") {
		return errors.New("expected one line of words with commas between them")
	}
	return f.Value.Set(text)
}

// refuseEmpty makes lists and the data folder of the commands filled.
func refuseEmpty(commands []*cobra.Command) {
	for _, cmd := range commands {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if flag.Value.Type() == "stringSlice" || flag.Name == "data" {
				flag.Value = filled{flag.Value}
				if flag.DefValue == "[]" {
					flag.DefValue = "" // which help leaves out
				}
			}
		})
		refuseEmpty(cmd.Commands())
	}
}
