//go:build gpu

package cudatest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// flags: no multiplication is fused unless the source says so, as on the
// card.
var flags = []string{"-std=c++17", "-O1", "-Wall", "-fPIC", "-ffp-contract=off"}

// sanitizer is that of g++ which watches the kernels, address or thread; none
// if it is empty. Its library must have been loaded before the program was:
// scripts/sanitize-kernels does that.
var sanitizer = os.Getenv("DGSBENCH_SANITIZER")

// flagsOf are those for a source. Kernels are watched for numbers read at once
// from where a card could not (emulator/alignment.cpp), and by a sanitizer: of
// the emulator itself it sees nothing but what it is told
// (emulator/sanitizer.h).
func flagsOf(name string) []string {
	if !strings.HasSuffix(name, ofKernels) {
		return flags
	}
	if sanitizer == "" {
		return slices.Concat(flags, []string{"-fsanitize=alignment"})
	}
	return slices.Concat(flags, []string{"-g", "-fsanitize=alignment," + sanitizer})
}

// builder makes a library. Its folder is its own, so that nobody sees half of
// a file: what is complete is moved to the cache.
type builder struct {
	compiler, dir, cache string
	sources              map[string]string
}

// build makes the library of these sources, of an object for each .cpp.
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
	b := builder{compiler, dir, cache, sources}
	objects, err := b.objects()
	if err != nil {
		return err
	}
	if err := b.make(library, slices.Concat(flags, []string{"-shared"}, objects)); err != nil {
		return err
	}
	return forget(cache)
}

// objects compiles as many sources at a time as there are cores.
func (b builder) objects() ([]string, error) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(b.sources)), func(name string) bool { return filepath.Ext(name) != ".cpp" })
	objects, failures := make([]string, len(names)), make([]error, len(names))
	cores := make(chan struct{}, runtime.NumCPU())
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			cores <- struct{}{}
			objects[i], failures[i] = b.object(name)
			<-cores
		})
	}
	all.Wait()
	return objects, errors.Join(failures...)
}

// object is the path of a source's object, which is compiled only if it or
// what it includes was changed.
func (b builder) object(name string) (string, error) {
	parts := map[string]string{}
	b.gather(name, parts)
	path := filepath.Join(b.cache, name+"-"+hash(flagsOf(name), parts)+".o")
	if kept(path) {
		return path, nil
	}
	return path, b.make(path, slices.Concat(flagsOf(name), []string{"-c", name}))
}

var include = regexp.MustCompile(`(?m)^#include "(.+)"`)

// gather adds a source and those that it includes to parts.
func (b builder) gather(name string, parts map[string]string) {
	if _, known := parts[name]; known {
		return
	}
	parts[name] = b.sources[name]
	for _, included := range include.FindAllStringSubmatch(b.sources[name], -1) {
		b.gather(included[1], parts)
	}
}

// make runs the compiler.
func (b builder) make(path string, arguments []string) error {
	made := filepath.Join(b.dir, filepath.Base(path))
	command := exec.Command(b.compiler, append(arguments, "-o", made)...)
	command.Dir = b.dir
	command.Env = append(os.Environ(), "LD_PRELOAD=") // the sanitizer is for this program only
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building the emulator: %w\n%s", err, out)
	}
	return os.Rename(made, path)
}
