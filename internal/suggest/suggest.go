// Package suggest finds the word a user probably meant.
package suggest

import (
	"fmt"
	"strings"
)

// longest is the largest number of bytes of a word that is compared, and
// maxListed is the largest number of words in a message.
const (
	longest   = 100
	maxListed = 50
)

// Nearest returns the known word with the smallest edit distance to word, the
// first of them on a tie. It returns "" if for every known word more than a third
// of the longer one would have to change.
func Nearest(word string, known []string) string {
	best, bestDistance := "", 0
	for _, k := range known {
		if a, b := len(word), len(k); max(a, b) > longest || max(a, b)-min(a, b) > max(1, max(a, b)/3) {
			continue // too long, or too many bytes to insert
		}
		d := distance(strings.ToLower(word), strings.ToLower(k))
		near := d <= max(1, max(len(word), len(k))/3) && d < max(len(word), len(k))
		if near && (best == "" || d < bestDistance) {
			best, bestDistance = k, d
		}
	}
	return best
}

// DidYouMean returns ` (did you mean "x"?)`, to be appended to a message about an
// unknown word, or "" if no known word is near.
func DidYouMean(word string, known []string) string {
	if n := Nearest(word, known); n != "" {
		return fmt.Sprintf(" (did you mean %q?)", n)
	}
	return ""
}

// Hint returns DidYouMean, or a list of the known words if none is near.
func Hint(word string, known []string) string {
	if d := DidYouMean(word, known); d != "" {
		return d
	}
	if len(known) == 0 {
		return "; there are none"
	}
	more := ""
	if n := len(known); n > maxListed {
		known, more = known[:maxListed], fmt.Sprintf(", ... (%d in all)", n)
	}
	return "; known: " + strings.Join(known, ", ") + more
}

// distance returns the number of bytes to insert, delete or replace, and of
// neighbouring pairs to swap, that turn a into b. (Optimal string alignment:
// "alhpa" is one slip away from "alpha".)
func distance(a, b string) int {
	d := make([][]int, len(a)+1) // between the first i bytes of a and the first j of b
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			replaced := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// Or lists values as in "1", "1 or 2", "1, 2 or 3".
func Or[T any](values []T) string {
	text := fmt.Sprint(values[0])
	for i, v := range values[1:] {
		between := ", "
		if i == len(values)-2 {
			between = " or "
		}
		text += between + fmt.Sprint(v)
	}
	return text
}
