package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"dgsbench/internal/atomicfile"
	"dgsbench/internal/ram"
	"dgsbench/internal/regular"
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

// kept is a whole cache; ok is false where there is none.
type kept struct {
	key    cacheKey
	stream Stream
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
	data, err := readKept(path)
	if err != nil {
		return kept{}
	}
	key, s, err := decodeCache(data)
	return kept{key, s, err == nil}
}

// readKept reads a cache into memory of our own: a file that is mapped changes
// under the stream, or ends the process, when another program writes to it.
func readKept(path string) ([]byte, error) {
	f, size, err := regular.Open(path, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, atColumns)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, err
	}
	if _, _, _, err := decodeHead(head, size); err != nil {
		return nil, err
	}
	if err := ram.Check(path, size); err != nil {
		return nil, err
	}
	data := bytesOf(make([]float64, (size+7)/8))[:size] // starts at a multiple of 8
	_, err = io.ReadFull(f, data[copy(data, head):])
	return data, err
}

// stream is what is in the file, whose checksum is sum.
func (c cache) stream(sum string) (Stream, error) {
	key, err := newCacheKey(sum, c.layout)
	if err != nil {
		return Stream{}, err
	}
	if k := <-c.opened; k.ok && k.key == key {
		return k.stream, nil
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
	root := atomicfile.Root(filepath.Dir(c.path))
	_ = root.Clean()
	_ = root.WriteTo(c.path, encodeCache(key, s))
}

// newCacheKey is what a stream depends on, beside the format's version.
func newCacheKey(sum string, layout Layout) (key cacheKey, err error) {
	source, err := hex.DecodeString(sum)
	copy(key.source[:], source)
	key.layout = sha256.Sum256(fmt.Appendf(nil, "%#v", layout))
	return key, err
}
