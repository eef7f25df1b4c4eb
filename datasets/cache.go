package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"dgsbench/internal/atomicfile"
	"dgsbench/internal/mmap"
)

// cacheDir is the folder beside a file where its streams are kept. It may be
// removed at any time.
const cacheDir = ".cache"

// cache is a stream that was kept of a file, or the place for it. Whatever is
// wrong with it, the file is read instead: a cache is never trusted, and
// never the reason why a run fails.
type cache struct {
	source string // the file
	layout Layout
	path   string
	opened <-chan kept
}

// kept is a whole and mapped cache; ok is false where there is none.
type kept struct {
	key    cacheKey
	stream Stream
	file   mmap.File
	ok     bool
}

// openCache checks what was kept of a file, while the caller does the same
// with the file.
func openCache(source string, layout Layout) cache {
	id := sha256.Sum256(fmt.Appendf(nil, "%#v", layout))
	c := cache{source: source, layout: layout}
	name := fmt.Sprintf("%s.%x.dgsb", filepath.Base(source), id[:4])
	c.path = filepath.Join(filepath.Dir(source), cacheDir, name)
	opened := make(chan kept, 1)
	go func() { opened <- openKept(c.path) }()
	c.opened = opened
	return c
}

func openKept(path string) kept {
	f, err := mmap.Open(path)
	if err != nil {
		return kept{}
	}
	key, s, err := decodeCache(f.Data)
	if err != nil {
		f.Close()
		return kept{}
	}
	return kept{key: key, stream: s, file: f, ok: true}
}

// close is for a cache that is not needed.
func (c cache) close() {
	if k := <-c.opened; k.ok {
		k.file.Close()
	}
}

// stream is what is in the file, whose checksum is sum. A stream that was
// kept stays mapped until the process ends.
func (c cache) stream(sum string) (Stream, error) {
	key, err := newCacheKey(sum, c.layout)
	if err != nil {
		return Stream{}, err
	}
	k := <-c.opened
	if k.ok && k.key == key {
		return k.stream, nil
	}
	if k.ok {
		k.file.Close()
	}
	before, err := os.Stat(c.source)
	if err != nil {
		return Stream{}, err
	}
	s, err := ReadFile(c.source, c.layout, 0)
	if err != nil {
		return Stream{}, err
	}
	after, err := os.Stat(c.source)
	if err == nil && after.Size() == before.Size() && after.ModTime().Equal(before.ModTime()) {
		c.keep(key, s)
	}
	return s, nil
}

// keep writes the cache. Where that cannot be done, nothing is lost but time.
// A folder that is marked as one to read is left alone, also by who may write
// everywhere.
func (c cache) keep(key cacheKey, s Stream) {
	const anyWrite = 0o222
	if info, err := os.Stat(filepath.Dir(c.source)); err != nil || info.Mode().Perm()&anyWrite == 0 {
		return
	}
	_ = atomicfile.CleanFolder(filepath.Dir(c.path))
	_ = atomicfile.WriteTo(c.path, encodeCache(key, s))
}

// newCacheKey is what a stream depends on, beside the format's version.
func newCacheKey(sum string, layout Layout) (key cacheKey, err error) {
	source, err := hex.DecodeString(sum)
	copy(key.source[:], source)
	key.layout = sha256.Sum256(fmt.Appendf(nil, "%#v", layout))
	return key, err
}
