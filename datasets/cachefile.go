package datasets

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"unsafe"
)

// A cache file is, in the byte order of the machine:
//
//	0    magic        8 bytes
//	8    version      uint32, and 4 bytes of zeros
//	16   counts       uint64: events, nodes, users, features
//	48   key          SHA-256 of the source file, SHA-256 of the layout
//	112  zeros        16 bytes
//	128  columns      Time, Feat, Src, Dst, Label
//	     checksum     SHA-256 of everything before it
//
// The columns are used where they lie, so that each starts at a multiple of
// its elements' size. Another byte order shows as another version.
const (
	cacheMagic = "dgsbench"
	// cacheVersion is raised when the format changes, or what the readers make
	// of a file.
	cacheVersion = 3

	atCounts  = 16
	atKey     = 48
	atColumns = 128
)

// cacheKey tells what a stream was made of.
type cacheKey struct {
	source, layout [sha256.Size]byte
}

var errNoCache = errors.New("not a whole cache file of this version")

// encodeCache writes the file.
func encodeCache(key cacheKey, s Stream) func(io.Writer) error {
	head := make([]byte, atColumns)
	copy(head, cacheMagic)
	order := binary.NativeEndian
	order.PutUint32(head[len(cacheMagic):], cacheVersion)
	for i, n := range []int{s.Len(), s.NumNodes, s.Users, s.NumFeat} {
		order.PutUint64(head[atCounts+8*i:], uint64(n))
	}
	copy(head[atKey:], key.source[:])
	copy(head[atKey+sha256.Size:], key.layout[:])
	return func(w io.Writer) error {
		sum := sha256.New()
		buf := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<20)
		for _, part := range [][]byte{head, bytesOf(s.Time), bytesOf(s.Feat), bytesOf(s.Src), bytesOf(s.Dst), bytesOf(s.Label)} {
			if _, err := buf.Write(part); err != nil {
				return err
			}
		}
		if err := buf.Flush(); err != nil {
			return err
		}
		_, err := w.Write(sum.Sum(nil))
		return err
	}
}

// decodeHead is what the start of a file of that size says of it.
func decodeHead(head []byte, size int64) (key cacheKey, s Stream, events int, err error) {
	order := binary.NativeEndian
	if len(head) < atColumns || string(head[:len(cacheMagic)]) != cacheMagic ||
		order.Uint32(head[len(cacheMagic):]) != cacheVersion {
		return key, s, 0, errNoCache
	}
	var counts [4]uint64
	for i := range counts {
		counts[i] = order.Uint64(head[atCounts+8*i:])
	}
	n, nodes, users, features := counts[0], counts[1], counts[2], counts[3]
	if n > maxEvents || nodes > 2*n || users > nodes || features > mostColumns ||
		uint64(size) != atColumns+n*(8+4*features+4+4+1)+sha256.Size {
		return key, s, 0, errNoCache
	}
	copy(key.source[:], head[atKey:])
	copy(key.layout[:], head[atKey+sha256.Size:])
	return key, Stream{NumNodes: int(nodes), Users: int(users), NumFeat: int(features)}, int(n), nil
}

// decodeCache finds the stream in a whole file, whose memory it shares. Data
// starts at a multiple of 8.
func decodeCache(data []byte) (key cacheKey, s Stream, err error) {
	key, s, n, err := decodeHead(data, int64(len(data)))
	if err != nil {
		return key, s, err
	}
	end := len(data) - sha256.Size
	if sha256.Sum256(data[:end]) != [sha256.Size]byte(data[end:]) {
		return key, s, errNoCache
	}
	rest := data[atColumns:end]
	s.Time, rest = column[float64](rest, n)
	s.Feat, rest = column[float32](rest, n*s.NumFeat)
	s.Src, rest = column[int32](rest, n)
	s.Dst, rest = column[int32](rest, n)
	s.Label, _ = column[int8](rest, n)
	return key, s, nil
}

// element is what columns are made of.
type element interface {
	~int8 | ~int32 | ~float32 | ~float64
}

// bytesOf is the memory of a column.
func bytesOf[T element](column []T) []byte {
	var x T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(column))), len(column)*int(unsafe.Sizeof(x)))
}

// column is the memory at the start of data as n elements, and what is
// behind them.
func column[T element](data []byte, n int) (values []T, rest []byte) {
	var x T
	size := n * int(unsafe.Sizeof(x))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n), data[size:]
}
