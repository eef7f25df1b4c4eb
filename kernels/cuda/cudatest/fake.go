//go:build gpu

package cudatest

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"dgsbench/kernels/cuda"
)

//go:embed emulator
var emulator embed.FS

// Orders of threads, as in emulator.h.
const (
	forward = iota
	backward
	shuffled
)

// errNoCompiler: there is nothing to build the fake driver with.
var errNoCompiler = errors.New("there is no g++ to build the emulator with")

// FakeLibrary is the path of the fake driver's library. It is built once for
// the same sources, and kept among the user's caches. An error without a C++
// compiler says so.
func FakeLibrary() (string, error) { return fakeLibrary() }

var fakeLibrary = sync.OnceValues(func() (string, error) {
	sources, err := collect(emulator, cuda.Sources)
	if err != nil {
		return "", err
	}
	return libraryOf(sources)
})

// libraryOf is the library of these sources. It adds those that make the
// kernels known.
func libraryOf(sources map[string]string) (string, error) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		return "", errNoCompiler
	}
	for name, text := range maps.Clone(sources) {
		if strings.HasSuffix(name, ".cu") {
			sources[strings.TrimSuffix(name, ".cu")+ofKernels] = registration(name, text)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "dgsbench", "emulator")
	library := filepath.Join(cache, "fakecuda-"+hash(flagsOf(ofKernels), sources)+".so")
	if kept(library) {
		return library, nil
	}
	return library, build(compiler, sources, cache, library)
}

// unusedFor is how long after it was used last a library or an object is kept.
const unusedFor = 24 * time.Hour

// kept reports whether the cache has a file, and if so, that it is in use.
func kept(path string) bool {
	now := time.Now()
	return os.Chtimes(path, now, now) == nil
}

// forget removes what was made of sources that have long been changed, and what
// builds that were stopped have left.
func forget(cache string) error {
	old, err := filepath.Glob(filepath.Join(cache, "*"))
	for _, path := range old {
		if info, statErr := os.Stat(path); statErr == nil && time.Since(info.ModTime()) > unusedFor {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// collect gathers sources by their names.
func collect(from ...fs.FS) (map[string]string, error) {
	sources := map[string]string{}
	for _, files := range from {
		err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(files, path)
			sources[filepath.Base(path)] = string(text)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// ofKernels is how the names of the sources end that make kernels known.
const ofKernels = ".cu.cpp"

var kernelName = regexp.MustCompile(`(?m)^KERNEL\((\w+)\)`)

// registration is a source that has the kernels of a file, in a namespace of
// their own, and makes them known by their names.
func registration(file, text string) string {
	var out strings.Builder
	for _, header := range include.FindAllString(text, -1) {
		fmt.Fprintln(&out, header)
	}
	fmt.Fprintf(&out, "namespace %s {\n#include %q\n", strings.TrimSuffix(file, ".cu"), file)
	for _, kernel := range kernelName.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&out, "REGISTER(%s)\n", kernel[1])
	}
	out.WriteString("}\n")
	return out.String()
}

// hash tells apart what is made of these sources.
func hash(flags []string, sources map[string]string) string {
	h := sha256.New()
	fmt.Fprintln(h, flags)
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(sources[name]), sources[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
