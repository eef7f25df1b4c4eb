//go:build unix

package strictyaml

import (
	"fmt"
	"strings"
	"testing"

	"dgsbench/internal/growth"
)

// many is n texts, one behind the other.
func many(n int, text func(i int) string) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(text(i))
	}
	return out.String()
}

// The time to read a document grows with its size, and no faster, whatever is
// in it.
func TestReadingIsLinear(t *testing.T) {
	key := func(i int) string { return fmt.Sprintf("k%06d", i) }
	for name, c := range map[string]struct {
		n    int
		text func(n int) string
	}{
		"keys": {1_000, func(n int) string {
			return "shares:\n" + many(n, func(i int) string { return "  " + key(i) + ": 1\n" })
		}},
		"keys in a line": {1_000, func(n int) string {
			return "shares: {" + many(n, func(i int) string { return key(i) + ": 1, " }) + "}\n"
		}},
		"unknown keys":  {1_000, func(n int) string { return many(n, func(i int) string { return key(i) + ": 1\n" }) }},
		"repeated keys": {1_000, func(n int) string { return many(n, func(i int) string { return "name: x\n" }) }},
		"wrong values":  {1_000, func(n int) string { return "tags: [" + many(n, func(int) string { return "1," }) + "]\n" }},
		"items":         {1_000, func(n int) string { return "tags:\n" + many(n, func(i int) string { return "- " + key(i) + "\n" }) }},
		"below one key": {1_000, func(n int) string {
			return "later:\n  " + strings.Repeat("k", maxKeyBytes) + ":\n" + many(n, func(i int) string { return "    " + key(i) + ": 1\n" })
		}},
		"comments":    {1_000, func(n int) string { return many(n, func(i int) string { return "# " + key(i) + "\n" }) + "name: x\n" }},
		"blank lines": {100_000, func(n int) string { return "name: x\n" + strings.Repeat("\n", n) + "title: y\n" }},
		"a long text": {100_000, func(n int) string { return "name: \"" + strings.Repeat(`\n`, n) + "\"\n" }},
		"text over lines": {1_000, func(n int) string {
			return "name: a\n" + many(n, func(i int) string { return "  " + key(i) + "\n" })
		}},
		"brackets": {500, func(n int) string { return "name: " + strings.Repeat("[", n) }},
		"dashes":   {500, func(n int) string { return strings.Repeat("- ", n) + "a\n" }},
	} {
		t.Run(name, func(t *testing.T) {
			growth.Linear(t, c.n, func(n int) {
				doc, err := Parse("f.yaml", []byte(c.text(n)))
				if err == nil {
					var into sample
					_ = doc.Decode(&into) // an error, or none
					doc.Leaves()
				}
			})
		})
	}
}

func TestDocumentLimits(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"size":        {"a: " + strings.Repeat("x", maxBytes), "f.yaml:1: a document of 32 MiB, expected at most 32"},
		"values":      {strings.Repeat("- a\n", maxValues+1), "f.yaml:1: a document with 500001 of the characters ,:-?[{, expected at most 500000"},
		"depth":       {strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2), "f.yaml:1: values in more than 32 others, expected fewer"},
		"key":         {strings.Repeat("k", maxKeyBytes+1) + ": 1", "f.yaml:1: a key of 256 bytes, expected at most 255"},
		"octal":       {"a: 0777", "f.yaml:1: a: expected a decimal number, found 0777 (text is put in quotes)"},
		"new octal":   {"a: 0o777", "f.yaml:1: a: expected a decimal number, found 0o777 (text is put in quotes)"},
		"hexadecimal": {"a: -0x1F", "f.yaml:1: a: expected a decimal number, found -0x1F (text is put in quotes)"},
		"binary":      {"a: 0b11", "f.yaml:1: a: expected a decimal number, found 0b11 (text is put in quotes)"},
		"underscores": {"a: 1_000", "f.yaml:1: a: expected a decimal number, found 1_000 (text is put in quotes)"},
		"_ in floats": {"a: 1_0.5", "f.yaml:1: a: expected a decimal number, found 1_0.5 (text is put in quotes)"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse("f.yaml", []byte(c.text)); err == nil || err.Error() != c.want {
				t.Errorf("\ngot  %.300v\nwant %s", err, c.want)
			}
		})
	}
	for _, text := range []string{"0", "-0", "+1", "10", "1.", ".5", "-1.5e+10", "1E5", "1e-05"} {
		var x map[string]float64
		if err := decodeString(t, "a: "+text, &x); err != nil {
			t.Error(err)
		}
	}
}

// A document with many mistakes has a message that can be read.
func TestErrorsAreCut(t *testing.T) {
	_, err := Parse("f.yaml", []byte(strings.Repeat("a: 0x1\n", 1_000)))
	if lines := strings.Split(err.Error(), "\n"); len(lines) != maxErrors+1 || lines[maxErrors] != "and more" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}
