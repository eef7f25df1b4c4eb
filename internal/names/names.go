// Package names checks names, which are parts of paths, and titles, which are
// printed in tables.
package names

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The longest names and titles. File names have up to 255 bytes, and the longest
// one that is made of names is MODEL+VARIANT-deployed.
const (
	longestName  = 64
	longestTitle = 300
)

var valid = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Check returns the reason why a text cannot be the name of a dataset, model,
// variant or suite.
func Check(name string) error {
	if len(name) > longestName || !valid.MatchString(name) {
		return fmt.Errorf("expected a name of at most %d small letters, digits and single dashes, found %.80q", longestName, name)
	}
	return nil
}

// CheckTitle returns the reason why a text cannot be a title: it is empty, or has
// what would break a table, such as line ends, control characters and bars.
func CheckTitle(title string) error {
	bad := func(r rune) bool { return !unicode.IsPrint(r) || r == '|' }
	if strings.TrimSpace(title) == "" || !utf8.ValidString(title) || strings.ContainsFunc(title, bad) || utf8.RuneCountInString(title) > longestTitle {
		return fmt.Errorf("expected one line of at most %d printable characters in UTF-8 without bars, found %.80q", longestTitle, title)
	}
	return nil
}
