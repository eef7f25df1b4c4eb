package datasets

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"unsafe"

	"dgsbench/internal/atomicfile"
	"dgsbench/internal/ram"
	"dgsbench/internal/regular"
)

// cacheDir is the folder beside a file for the streams read from it. It may be
// removed at any time.
const cacheDir = ".cache"

// A cache keeps the stream of a file. Whatever is wrong with it, the file is
// read instead: a cache is never trusted, and never the reason for a failure.
//
// A cache file is, in the byte order of the machine: a cacheHead; the columns;
// the SHA-256 of everything before it. Another byte order reads as another
// version.
type cache struct {
	source string // the file
	layout Layout
	id     [sha256.Size]byte // of the layout
	path   string
}

// cacheHead is the head of a cache file, 128 bytes.
type cacheHead struct {
	Magic                          [8]byte
	Version                        uint32
	_                              uint32
	Events, Nodes, Users, Features uint64
	Key                            cacheKey
	_                              [16]byte
}

// cacheKey holds the SHA-256 of what a stream was made of.
type cacheKey struct{ File, Layout [sha256.Size]byte }

const (
	cacheMagic = "dgsbench"
	// cacheVersion is raised when the format changes, or what ReadFile makes of
	// a file.
	cacheVersion = 3
	headBytes    = 128
)

var errNoCache = errors.New("not a whole cache file of this version")

func newCache(source string, layout Layout) cache {
	id := sha256.Sum256(fmt.Appendf(nil, "%#v", layout))
	name := fmt.Sprintf("%s.%x.dgsb", filepath.Base(source), id[:4])
	return cache{source, layout, id, filepath.Join(filepath.Dir(source), cacheDir, name)}
}

// open reads the cache file into memory of its own: a mapped file would change
// under the stream, or end the process, when another program writes to it.
func (c cache) open() (key cacheKey, s Stream, err error) {
	f, size, err := regular.Open(c.path, math.MaxInt64)
	if err != nil {
		return key, s, err
	}
	defer f.Close()
	return decodeCache(f, size)
}

// refresh returns the stream of the file, whose checksum is sum, and writes it to
// the cache.
func (c cache) refresh(sum [sha256.Size]byte) (Stream, error) {
	before, err := os.Stat(c.source)
	if err != nil {
		return Stream{}, err
	}
	s, err := ReadFile(c.source, c.layout)
	if err != nil {
		return Stream{}, err
	}
	after, err := os.Stat(c.source)
	if err == nil && after.Size() == before.Size() && after.ModTime().Equal(before.ModTime()) {
		c.write(cacheKey{sum, c.id}, s)
	}
	return s, nil
}

// write writes the cache. Failing costs only time. It leaves a folder without
// any write permission alone, even for users who may write anywhere.
func (c cache) write(key cacheKey, s Stream) {
	const anyWrite = 0o222
	if info, err := os.Stat(filepath.Dir(c.source)); err != nil || info.Mode().Perm()&anyWrite == 0 {
		return
	}
	root := atomicfile.Root(filepath.Dir(c.path))
	_ = root.Clean()
	_ = root.WriteTo(c.path, func(w io.Writer) error { return encodeCache(w, key, s) })
}

// encodeCache writes a cache file.
func encodeCache(w io.Writer, key cacheKey, s Stream) error {
	head := cacheHead{
		Version: cacheVersion, Key: key,
		Events: uint64(s.Len()), Nodes: uint64(s.NumNodes), Users: uint64(s.Users), Features: uint64(s.NumFeat),
	}
	copy(head.Magic[:], cacheMagic)
	sum := sha256.New()
	buf := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<20)
	_ = binary.Write(buf, binary.NativeEndian, head)
	for _, column := range s.columns() {
		_, _ = buf.Write(column)
	}
	if err := buf.Flush(); err != nil { // the first error of all these
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// decodeCache reads the stream from a cache file of size bytes.
func decodeCache(r io.Reader, size int64) (key cacheKey, s Stream, err error) {
	sum := sha256.New()
	summed := io.TeeReader(r, sum)
	var h cacheHead
	if err := binary.Read(summed, binary.NativeEndian, &h); err != nil ||
		string(h.Magic[:]) != cacheMagic || h.Version != cacheVersion ||
		h.Events > MaxEvents || h.Nodes > 2*h.Events || h.Users > h.Nodes || h.Features > maxColumns ||
		size != headBytes+Bytes(int(h.Events), int(h.Features))+sha256.Size {
		return key, s, errNoCache
	}
	if err := ram.Check("a cache file", size); err != nil {
		return key, s, err
	}
	s = NewStream(int(h.Events), int(h.Features))
	s.NumNodes, s.Users = int(h.Nodes), int(h.Users)
	for _, column := range s.columns() {
		if _, err := io.ReadFull(summed, column); err != nil {
			return key, s, err
		}
	}
	var want [sha256.Size]byte
	if _, err := io.ReadFull(r, want[:]); err != nil || !bytes.Equal(sum.Sum(nil), want[:]) {
		return key, s, errNoCache
	}
	return h.Key, s, nil
}

// columns returns the memory of the columns, in the order of columnNames.
func (s Stream) columns() [][]byte {
	return [][]byte{bytesOf(s.Time), bytesOf(s.Feat), bytesOf(s.Src), bytesOf(s.Dst), bytesOf(s.Label)}
}

var columnNames = [...]string{"times", "features", "sources", "destinations", "labels"}

// bytesOf returns the memory of a column.
func bytesOf[T int8 | int32 | float32 | float64](column []T) []byte {
	var x T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(column))), len(column)*int(unsafe.Sizeof(x)))
}
