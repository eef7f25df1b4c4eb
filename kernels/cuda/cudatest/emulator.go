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
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"dgsbench/kernels/cuda"
)

//go:embed emulator
var emulator embed.FS

// errNoCompiler: there is nothing to build the fake driver with.
var errNoCompiler = errors.New("there is no g++ to build the emulator with")

// FakeLibrary is the path of the fake driver's library, which is built once for
// the same sources and cached in the user's folder.
var FakeLibrary = sync.OnceValues(func() (string, error) {
	sources, err := readAll(emulator, cuda.Sources)
	if err != nil {
		return "", err
	}
	return libraryOf(sources)
})

// readAll reads all files, by name without folder.
func readAll(from ...fs.FS) (map[string]string, error) {
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

// libraryOf is the library of these sources, and of those that register kernels.
func libraryOf(sources map[string]string) (string, error) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		return "", errNoCompiler
	}
	for name, text := range maps.Clone(sources) {
		if strings.HasSuffix(name, ".cu") {
			sources[strings.TrimSuffix(name, ".cu")+kernelSuffix] = registration(name, text)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	b := &builder{compiler: compiler, cache: filepath.Join(cache, "dgsbench", "emulator"), sources: sources}
	return b.cached("fakecuda-"+hash(flagsOf(kernelSuffix), sources)+".so", b.library)
}

// kernelSuffix ends the names of the sources that register kernels.
const kernelSuffix = ".cu.cpp"

var kernelName = regexp.MustCompile(`(?m)^KERNEL\((\w+)\)`)

// registration is a source that has the kernels of a file, in a namespace of
// their own, and registers them by name.
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

// flags: as on the card, no multiplication is fused unless the source says so.
var flags = []string{"-std=c++17", "-O1", "-Wall", "-fPIC", "-ffp-contract=off"}

// sanitizer is that of g++ which checks the kernels, address, thread or none. Its
// library must be loaded before the program: scripts/sanitize-kernels does that.
var sanitizer = os.Getenv("DGSBENCH_SANITIZER")

// flagsOf are the flags for a source. Kernels are checked for misaligned reads
// (emulator/alignment.cpp), and by a sanitizer, which checks of the emulator itself
// only what it is told (emulator/sanitizer.h).
func flagsOf(name string) []string {
	if !strings.HasSuffix(name, kernelSuffix) {
		return flags
	}
	if sanitizer == "" {
		return slices.Concat(flags, []string{"-fsanitize=alignment"})
	}
	return slices.Concat(flags, []string{"-g", "-fsanitize=alignment," + sanitizer})
}

// hash identifies what is made of these sources.
func hash(flags []string, sources map[string]string) string {
	h := sha256.New()
	fmt.Fprintln(h, flags)
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(sources[name]), sources[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// clean removes from the cache what was last used a day ago.
func clean(cache string) error {
	old, err := filepath.Glob(filepath.Join(cache, "*"))
	for _, path := range old {
		if info, statErr := os.Stat(path); statErr == nil && time.Since(info.ModTime()) > 24*time.Hour {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// builder makes a library in a folder of its own, and moves complete files to the
// cache.
type builder struct {
	compiler, dir, cache string
	sources              map[string]string
}

// cached returns the path of a file in the cache, and marks it as used. If it is
// not there, build makes it.
func (b *builder) cached(name string, build func(path string) error) (path string, err error) {
	path = filepath.Join(b.cache, name)
	if now := time.Now(); os.Chtimes(path, now, now) != nil {
		err = build(path)
	}
	return path, err
}

// library makes the library, of an object for each .cpp.
func (b *builder) library(path string) (err error) {
	if err := os.MkdirAll(b.cache, 0o755); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp(b.cache, "build-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	for name, text := range b.sources {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	objects, err := b.objects()
	if err != nil {
		return err
	}
	return errors.Join(b.compile(path, slices.Concat(flags, []string{"-shared"}, objects)), clean(b.cache))
}

// objects compiles as many sources at a time as there are cores.
func (b *builder) objects() ([]string, error) {
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

// object is the path of a source's object, which is compiled only if the source
// or what it includes was changed.
func (b *builder) object(name string) (string, error) {
	parts := map[string]string{}
	b.addIncluded(name, parts)
	return b.cached(name+"-"+hash(flagsOf(name), parts)+".o", func(path string) error {
		return b.compile(path, slices.Concat(flagsOf(name), []string{"-c", name}))
	})
}

var include = regexp.MustCompile(`(?m)^#include "(.+)"`)

// addIncluded adds a source and those that it includes to parts.
func (b *builder) addIncluded(name string, parts map[string]string) {
	if _, known := parts[name]; known {
		return
	}
	parts[name] = b.sources[name]
	for _, included := range include.FindAllStringSubmatch(b.sources[name], -1) {
		b.addIncluded(included[1], parts)
	}
}

func (b *builder) compile(path string, arguments []string) error {
	made := filepath.Join(b.dir, filepath.Base(path))
	command := exec.Command(b.compiler, append(arguments, "-o", made)...)
	command.Dir = b.dir
	command.Env = append(os.Environ(), "LD_PRELOAD=") // the sanitizer is for this program only
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building the emulator: %w\n%s", err, out)
	}
	return os.Rename(made, path)
}
