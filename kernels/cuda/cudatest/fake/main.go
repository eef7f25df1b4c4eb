//go:build gpu

// Command fake builds the fake driver unless it is cached, and prints
// the path of its library:
//
//	go run -tags gpu ./kernels/cuda/cudatest/fake
package main

import (
	"fmt"
	"os"

	"dgsbench/kernels/cuda/cudatest"
)

func main() {
	library, err := cudatest.FakeLibrary()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake:", err)
		os.Exit(1)
	}
	fmt.Println(library)
}
