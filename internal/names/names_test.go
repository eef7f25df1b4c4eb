package names

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for name, good := range map[string]bool{
		"a": true, "graph-sprints": true, "7": true, strings.Repeat("a", 64): true,
		"": false, "A": false, "a--b": false, "-a": false, "a-": false, "a/b": false, "..": false, "a b": false, "ä": false, "a\n": false,
		strings.Repeat("a", 65): false, strings.Repeat("a", 250): false,
	} {
		if err := Check(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestCheckTitle(t *testing.T) {
	for title, good := range map[string]bool{
		"Käufe, 2024": true, strings.Repeat("ä", 300): true,
		"": false, " ": false, "a\nb": false, "a|b": false, "\x1b[31m": false, "st\xe4dte": false, "a\u2028b": false, "\u202ea": false,
		strings.Repeat("ä", 301): false,
	} {
		if err := CheckTitle(title); (err == nil) != good {
			t.Errorf("%q: %v", title, err)
		}
	}
}
