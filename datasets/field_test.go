package datasets

import (
	"slices"
	"testing"
)

// A line ends with a separator where its last field is empty, also behind a
// quote and where the separator is a blank.
func TestCutAll(t *testing.T) {
	for _, c := range []struct {
		line string
		sep  byte
		want []string
	}{
		{"a\t", '\t', []string{"a", ""}},
		{`"a"` + "\t", '\t', []string{"a", ""}},
		{`"a"` + "\t\t7", '\t', []string{"a", "", "7"}},
		{`"a" `, ' ', []string{"a", ""}},
		{`"a" ` + "\r", ',', []string{"a"}},
		{`"a",`, ',', []string{"a", ""}},
	} {
		if got, err := cutAll([]byte(c.line), c.sep); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q cut at %q: %q, error %v, expected %q", c.line, c.sep, got, err, c.want)
		}
	}
}
