package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestCommitted checks that the files in the package are what this program
// writes.
func TestCommitted(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../../..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from what the generator writes: run go generate ./kernels/cpu", name)
		}
	}
}
