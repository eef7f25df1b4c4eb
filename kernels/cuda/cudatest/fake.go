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
	"testing"
	"time"

	"github.com/ebitengine/purego"

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

// libraryOf is the library of these sources. It adds the list of the kernels.
func libraryOf(sources map[string]string) (string, error) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		return "", errNoCompiler
	}
	sources[kernelList] = list(sources)
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "dgsbench", "emulator")
	library := filepath.Join(cache, "fakecuda-"+hash(sources)+".so")
	if _, err := os.Stat(library); err == nil {
		return library, nil
	}
	return library, build(compiler, sources, cache, library)
}

// unusedFor is how long after it was made a library is kept.
const unusedFor = 24 * time.Hour

// forget removes libraries of sources that have long been changed, and what
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

var kernelName = regexp.MustCompile(`(?m)^KERNEL\((\w+)\)`)

// list is a source that has every kernel, each file in a namespace of its
// own, and makes them known by their names.
func list(sources map[string]string) string {
	var headers, files strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		text := sources[name]
		if strings.HasSuffix(name, ".h") {
			fmt.Fprintf(&headers, "#include %q\n", name)
		}
		if !strings.HasSuffix(name, ".cu") {
			continue
		}
		namespace := strings.TrimSuffix(name, ".cu")
		fmt.Fprintf(&files, "namespace %s {\n#include %q\n", namespace, name)
		for _, kernel := range kernelName.FindAllStringSubmatch(text, -1) {
			fmt.Fprintf(&files, "REGISTER(%s)\n", kernel[1])
		}
		files.WriteString("}\n")
	}
	return headers.String() + files.String()
}

// hash tells apart what the library is made of.
func hash(sources map[string]string) string {
	h := sha256.New()
	fmt.Fprintln(h, flags, kernelFlags())
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(sources[name]), sources[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// setOrder sets the order of threads on streams made from now on.
func setOrder(t testing.TB, library string, order int) {
	t.Helper()
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	set, err := purego.Dlsym(handle, "fakecuda_order")
	if err != nil {
		t.Fatal(err)
	}
	purego.SyscallN(set, uintptr(order))
}
