//go:build gpu && !cu

package driver

import (
	"strings"
	"testing"
)

// TestUnknownFunction: a function that is not among the symbols is named.
func TestUnknownFunction(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "cuNothing") {
			t.Errorf("it panics with %q, expected the name of the function", text)
		}
	}()
	_ = library{}.call("cuNothing")
}
