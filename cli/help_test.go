package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// eachCommand calls visit with every command, also with hidden ones.
func eachCommand(root *cobra.Command, visit func(*cobra.Command)) {
	visit(root)
	for _, sub := range root.Commands() {
		eachCommand(sub, visit)
	}
}

// TestHelpWidth: help fits into 80 columns, but for examples, which are commands.
func TestHelpWidth(t *testing.T) {
	eachCommand(newRoot(nil, nil), func(cmd *cobra.Command) {
		if strings.HasPrefix(cmd.CommandPath(), "bench completion") {
			return // as cobra has it
		}
		code, help, stderr := bench(append(strings.Fields(cmd.CommandPath())[1:], "--help")...)
		if code != exitDone {
			t.Errorf("%s --help: exit code %d\n%s", cmd.CommandPath(), code, stderr)
		}
		for line := range strings.Lines(strings.Replace(help, cmd.Example, "", 1)) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
				t.Errorf("%s --help: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
	})
}
