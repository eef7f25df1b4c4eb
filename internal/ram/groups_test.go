package ram

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestGroups(t *testing.T) {
	cases := map[string][]string{
		"0::/\n":                      {"/"},
		"1:cpu:/x\n0::/slurm/job_7\n": {"/slurm/job_7", "/slurm", "/"},
		"3:memory:/docker/1\n":        nil, // version 1
	}
	for own, want := range cases {
		if got := groups(own); !slices.Equal(got, want) {
			t.Errorf("%q: %v, expected %v", own, got, want)
		}
	}
}

// TestLeft: files that are cached do not count as used.
func TestLeft(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("memory.max", "1000\n")
	write("memory.current", "700\n")
	write("memory.stat", "anon 300\ninactive_file 250\n")
	if got := left(folder); got != 550 {
		t.Errorf("%d bytes left, expected 1000 - 700 + 250", got)
	}
	write("memory.max", "max\n")
	if got := left(folder); got != math.MaxInt64 {
		t.Errorf("%d bytes left without a limit", got)
	}
}
