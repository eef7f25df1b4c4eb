package main

import (
	"testing"

	"dgsbench/kernels/cpu/internal/gen/file"
)

func TestCommittedFilesAreUpToDate(t *testing.T) {
	files, err := generate()
	file.Check(t, files, err)
}
