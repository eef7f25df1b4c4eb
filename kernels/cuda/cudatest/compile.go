//go:build gpu

package cudatest

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// flags: no multiplication is fused unless the source says so, as on the
// card.
var flags = []string{"-std=c++17", "-O1", "-Wall", "-fPIC", "-ffp-contract=off"}

// sanitizer is that of g++ which watches the kernels, address or thread; none
// if it is empty. Its library must have been loaded before the program was:
// scripts/sanitize-kernels does that.
var sanitizer = os.Getenv("DGSBENCH_SANITIZER")

// kernelFlags are those of the kernels alone: a sanitizer sees nothing of the
// emulator but what it is told (emulator/sanitizer.h).
func kernelFlags() []string {
	if sanitizer == "" {
		return nil
	}
	return []string{"-g", "-fsanitize=" + sanitizer}
}

// kernelList is the source that has all kernels.
const kernelList = "kernels.cpp"

// build compiles the sources. Tests that do it at the same time do not see
// each other's half of a file.
func build(compiler string, sources map[string]string, cache, library string) error {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(cache, "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, text := range sources {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := compile(compiler, dir, kernelFlags(), "-c", kernelList, "-o", "kernels.o"); err != nil {
		return err
	}
	rest := []string{"-shared", "-o", "fakecuda.so", "kernels.o"}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if strings.HasSuffix(name, ".cpp") && name != kernelList {
			rest = append(rest, name)
		}
	}
	if err := compile(compiler, dir, nil, rest...); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, "fakecuda.so"), library); err != nil {
		return err
	}
	return forget(cache)
}

func compile(compiler, dir string, more []string, arguments ...string) error {
	command := exec.Command(compiler, slices.Concat(flags, more, arguments)...)
	command.Dir = dir
	command.Env = append(os.Environ(), "LD_PRELOAD=") // the sanitizer is for this program only
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building the emulator: %w\n%s", err, out)
	}
	return nil
}
