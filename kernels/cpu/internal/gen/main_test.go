package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCommittedFilesAreUpToDate fails if a committed file is not what the
// generator writes.
func TestCommittedFilesAreUpToDate(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what its generator writes: run go generate ./kernels/cpu", name)
		}
	}
}

// TestRegistersOfAVX2 fails if a kernel without AVX-512 uses one of the instructions or
// registers that only AVX-512 has: avo takes these when the others are in use.
func TestRegistersOfAVX2(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	needs := regexp.MustCompile(`// Requires: (.*)\nTEXT ·(\w+)`)
	upper := regexp.MustCompile(`\b([XY](1[6-9]|2\d|3[01])|Z\d+|K\d)\b`)
	kernels := 0
	for _, text := range files {
		for _, kernel := range needs.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(kernel[1], "AVX512") && !strings.Contains(kernel[2], "AVX512") {
				t.Errorf("%s requires %s", kernel[2], kernel[1])
			}
		}
		for _, kernel := range strings.Split(string(text), "\nTEXT ")[1:] {
			name, body, _ := strings.Cut(kernel, "(SB)")
			if strings.Contains(name, "AVX512") {
				continue
			}
			kernels++
			body, _, _ = strings.Cut(body, "\nDATA ")
			if register := upper.FindString(body); register != "" {
				t.Errorf("%s uses %s", name, register)
			}
		}
	}
	if kernels < 40 {
		t.Errorf("%d kernels without AVX-512", kernels)
	}
}
