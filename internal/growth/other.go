//go:build !unix

package growth

import "testing"

// Linear skips the test: it measures processor time as unix systems have it.
func Linear(t *testing.T, _ int, _ func(n int)) {
	t.Helper()
	t.Skip("needs the processor time of a unix system")
}
