// Package golden compares the output of tests with files.
package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Compare fails unless got is the content of the file, and writes it beside the
// file as .got-NAME: move it there if it is right. If they are equal, it removes
// an earlier .got-NAME.
func Compare(t testing.TB, file, got string) {
	t.Helper()
	left := filepath.Join(filepath.Dir(file), ".got-"+filepath.Base(file))
	want, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err == nil && got == string(want) {
		if err := os.Remove(left); err != nil && !os.IsNotExist(err) {
			t.Error(err)
		}
		return
	}
	if err := os.WriteFile(left, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Errorf("%s (-want +got, which is in %s):\n%s", file, left, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")))
}
