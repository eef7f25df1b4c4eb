package own

import (
	"errors"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// Blocks of Snappy and zstd claim the size that they unpack to. These codecs
// unpack into the memory of the page that is there, and refuse a larger block
// before they allocate anything for it. The other codecs do so already.
func init() {
	for kind, unpack := range map[compress.Compression]func(page, block []byte) ([]byte, error){
		compress.Codecs.Snappy: unpackSnappy,
		compress.Codecs.Zstd:   newUnpackZstd(),
	} {
		codec, err := compress.GetCodec(kind)
		if err != nil {
			panic(err)
		}
		compress.RegisterCodec(kind, boundCodec{codec, unpack})
	}
}

type boundCodec struct {
	compress.Codec
	unpack func(page, block []byte) ([]byte, error)
}

// DecodeWithError unpacks a block into a page, which it must fill.
func (c boundCodec) DecodeWithError(page, block []byte) ([]byte, error) {
	return c.unpack(page, block)
}

var errSize = errors.New("a block unpacks to another size than its page has")

func unpackSnappy(page, block []byte) ([]byte, error) {
	switch n, err := snappy.DecodedLen(block); {
	case err != nil:
		return nil, err
	case n != len(page):
		return nil, errSize
	}
	return snappy.Decode(page, block)
}

func newUnpackZstd() func(page, block []byte) ([]byte, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxPage))
	if err != nil {
		panic(err)
	}
	return func(page, block []byte) ([]byte, error) {
		out, err := decoder.DecodeAll(block, page[:0:len(page)])
		if err == nil && len(out) != len(page) {
			err = errSize
		}
		return out, err
	}
}
