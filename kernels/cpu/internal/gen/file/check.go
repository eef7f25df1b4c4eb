package file

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Check fails the test if a committed file is not what its generator writes.
// It runs in the generator's folder.
func Check(t *testing.T, files map[string][]byte, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what its generator writes: run go generate ./kernels/cpu", name)
		}
	}
}
