package datasets

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
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
// A cache file is, in the byte order of the machine: a cacheHead; the columns
// Time, Feat, Src, Dst and Label; the SHA-256 of everything before it. The
// columns are used where they lie in memory, so each starts at a multiple of its
// element size. Another byte order reads as another version.
type cache struct {
	source string // the file
	layout Layout
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
	return cache{source, layout, filepath.Join(filepath.Dir(source), cacheDir, name)}
}

// key returns the key of the stream of a file with that checksum.
func (c cache) key(sum string) (key cacheKey, err error) {
	file, err := hex.DecodeString(sum)
	copy(key.File[:], file)
	key.Layout = sha256.Sum256(fmt.Appendf(nil, "%#v", c.layout))
	return key, err
}

// cachedStream is the content of a cache file, or err.
type cachedStream struct {
	key    cacheKey
	stream Stream
	err    error
}

// open reads the cache file into memory of its own: a mapped file would change
// under the stream, or end the process, when another program writes to it.
func (c cache) open() (out cachedStream) {
	f, size, err := regular.Open(c.path, math.MaxInt64)
	if err != nil {
		return cachedStream{err: err}
	}
	defer f.Close()
	head := make([]byte, headBytes)
	if _, err := io.ReadFull(f, head); err != nil {
		return cachedStream{err: err}
	}
	if _, out.err = decodeHead(head, size); out.err != nil {
		return out
	}
	if out.err = ram.Check(c.path, size); out.err != nil {
		return out
	}
	data := bytesOf(make([]float64, (size+7)/8))[:size] // aligned to 8 bytes
	if _, out.err = io.ReadFull(f, data[copy(data, head):]); out.err == nil {
		out.key, out.stream, out.err = decodeCache(data)
	}
	return out
}

// stream returns the stream of the file, whose checksum is sum: the cached one
// if that is valid, or else what it reads from the file and writes to the cache.
func (c cache) stream(sum string, cached cachedStream) (Stream, error) {
	key, err := c.key(sum)
	if err != nil {
		return Stream{}, err
	}
	if cached.err == nil && cached.key == key {
		return cached.stream, nil
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
		c.write(key, s)
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
	if err := binary.Write(buf, binary.NativeEndian, head); err != nil {
		return err
	}
	for _, column := range [][]byte{bytesOf(s.Time), bytesOf(s.Feat), bytesOf(s.Src), bytesOf(s.Dst), bytesOf(s.Label)} {
		if _, err := buf.Write(column); err != nil {
			return err
		}
	}
	if err := buf.Flush(); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// decodeHead decodes the head of a cache file of that size.
func decodeHead(data []byte, size int64) (h cacheHead, err error) {
	if _, err := binary.Decode(data, binary.NativeEndian, &h); err != nil ||
		string(h.Magic[:]) != cacheMagic || h.Version != cacheVersion ||
		h.Events > maxEvents || h.Nodes > 2*h.Events || h.Users > h.Nodes || h.Features > maxColumns ||
		uint64(size) != headBytes+h.Events*(8+4*h.Features+4+4+1)+sha256.Size {
		return h, errNoCache
	}
	return h, nil
}

// decodeCache returns the stream in a whole cache file, whose memory it shares.
// data must be aligned to 8 bytes.
func decodeCache(data []byte) (key cacheKey, s Stream, err error) {
	head, err := decodeHead(data, int64(len(data)))
	if err != nil {
		return key, s, err
	}
	end := len(data) - sha256.Size
	if sha256.Sum256(data[:end]) != [sha256.Size]byte(data[end:]) {
		return key, s, errNoCache
	}
	s.NumNodes, s.Users, s.NumFeat = int(head.Nodes), int(head.Users), int(head.Features)
	n, rest := int(head.Events), data[headBytes:end]
	s.Time, rest = column[float64](rest, n)
	s.Feat, rest = column[float32](rest, n*s.NumFeat)
	s.Src, rest = column[int32](rest, n)
	s.Dst, rest = column[int32](rest, n)
	s.Label, _ = column[int8](rest, n)
	return head.Key, s, nil
}

type element interface {
	~int8 | ~int32 | ~float32 | ~float64
}

// bytesOf returns the memory of a column.
func bytesOf[T element](column []T) []byte {
	var x T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(column))), len(column)*int(unsafe.Sizeof(x)))
}

// column returns the start of data as n elements, and the rest of data.
func column[T element](data []byte, n int) (values []T, rest []byte) {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n), data[n*int(unsafe.Sizeof(x)):]
}
