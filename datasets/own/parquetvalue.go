package own

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// column reads a column of a row group as the texts of a CSV file.
type column interface {
	// read decodes the next n rows.
	read(n int64) error
	// appendNext appends the text of the next of these rows as field i of a line.
	appendNext(line []byte, i int) ([]byte, error)
	close() error
}

// batches is a column with values of one physical type. A value that is absent is
// an empty field.
type batches[T any] struct {
	readBatch func(n int64, values []T, defined, repeated []int16) (levels int64, read int, err error)
	closer    func() error
	text      func(T) ([]byte, error)
	present   int16 // the definition level of a value
	defined   [batchRows]int16
	values    [batchRows]T
	row, next int // of the batch: rows and values that were appended
}

func (b *batches[T]) read(n int64) error {
	b.row, b.next = 0, 0
	for k := range n {
		b.defined[k] = b.present // levels are not read where every value is
	}
	levels, _, err := b.readBatch(n, b.values[:n], b.defined[:n], nil)
	if err == nil && levels != n {
		err = fmt.Errorf("it ends after %d of %d rows", levels, n)
	}
	return err
}

func (b *batches[T]) appendNext(line []byte, i int) ([]byte, error) {
	var field []byte
	if b.row++; b.defined[b.row-1] == b.present {
		var err error
		if field, err = b.text(b.values[b.next]); err != nil {
			return line, err
		}
		b.next++
	}
	return appendField(line, i, field), nil
}

func (b *batches[T]) close() error { return b.closer() }

// newColumn returns the column of a reader. unreadable(leaf) must be empty.
func newColumn(reader file.ColumnChunkReader, leaf *schema.Column) column {
	present, kind := leaf.MaxDefinitionLevel(), leaf.LogicalType()
	switch r := reader.(type) {
	case *file.BooleanColumnChunkReader:
		return &batches[bool]{readBatch: r.ReadBatch, closer: r.Close, present: present, text: func(x bool) ([]byte, error) {
			if x {
				return []byte("1"), nil
			}
			return []byte("0"), nil
		}}
	case *file.Int32ColumnChunkReader:
		text := textOfWhole(kind)
		return &batches[int32]{readBatch: r.ReadBatch, closer: r.Close, present: present, text: func(x int32) ([]byte, error) {
			if n, ok := kind.(schema.IntLogicalType); ok && !n.IsSigned() {
				return text(int64(uint32(x)))
			}
			return text(int64(x))
		}}
	case *file.Int64ColumnChunkReader:
		return &batches[int64]{readBatch: r.ReadBatch, closer: r.Close, present: present, text: textOfWhole(kind)}
	case *file.Int96ColumnChunkReader:
		return &batches[parquet.Int96]{readBatch: r.ReadBatch, closer: r.Close, present: present, text: func(x parquet.Int96) ([]byte, error) {
			return appendTime(x.ToTime()), nil
		}}
	case *file.Float32ColumnChunkReader:
		return &batches[float32]{readBatch: r.ReadBatch, closer: r.Close, present: present, text: func(x float32) ([]byte, error) {
			return appendFloat(float64(x), 32), nil
		}}
	case *file.Float64ColumnChunkReader:
		return &batches[float64]{readBatch: r.ReadBatch, closer: r.Close, present: present, text: func(x float64) ([]byte, error) {
			return appendFloat(x, 64), nil
		}}
	case *file.FixedLenByteArrayColumnChunkReader:
		text := textOfBytes(kind)
		return &batches[parquet.FixedLenByteArray]{readBatch: r.ReadBatch, closer: r.Close, present: present, text: func(x parquet.FixedLenByteArray) ([]byte, error) {
			return text(x)
		}}
	default:
		text := textOfBytes(kind)
		r = reader.(*file.ByteArrayColumnChunkReader)
		return &batches[parquet.ByteArray]{readBatch: r.(*file.ByteArrayColumnChunkReader).ReadBatch, closer: r.Close, present: present, text: func(x parquet.ByteArray) ([]byte, error) {
			return text(x)
		}}
	}
}

// unreadable says what a column holds that is no number, text, date or time, and
// is empty for others.
func unreadable(leaf *schema.Column) string {
	kind := leaf.LogicalType()
	switch kind.(type) {
	case schema.TimeLogicalType:
		return "times of day"
	case schema.IntervalLogicalType:
		return "intervals"
	case schema.GeometryLogicalType, schema.GeographyLogicalType:
		return "shapes"
	case schema.DecimalLogicalType, schema.UUIDLogicalType, schema.Float16LogicalType:
		return ""
	}
	if leaf.PhysicalType() == parquet.Types.FixedLenByteArray {
		return "bytes"
	}
	return ""
}

// textOfWhole returns the function that writes the whole numbers of a logical
// type.
func textOfWhole(kind schema.LogicalType) func(int64) ([]byte, error) {
	switch kind := kind.(type) {
	case schema.DateLogicalType:
		return func(days int64) ([]byte, error) {
			return time.Unix(days*24*3600, 0).UTC().AppendFormat(nil, time.DateOnly), nil
		}
	case schema.TimestampLogicalType:
		switch kind.TimeUnit() {
		case schema.TimeUnitMillis:
			return func(t int64) ([]byte, error) { return appendTime(time.UnixMilli(t)), nil }
		case schema.TimeUnitMicros:
			return func(t int64) ([]byte, error) { return appendTime(time.UnixMicro(t)), nil }
		}
		return func(t int64) ([]byte, error) { return appendTime(time.Unix(0, t)), nil }
	case schema.DecimalLogicalType:
		return func(x int64) ([]byte, error) { return appendDecimal(big.NewInt(x), int(kind.Scale())), nil }
	case schema.IntLogicalType:
		if !kind.IsSigned() {
			return func(x int64) ([]byte, error) { return strconv.AppendUint(nil, uint64(x), 10), nil }
		}
	}
	return func(x int64) ([]byte, error) { return strconv.AppendInt(nil, x, 10), nil }
}

var errLineBreak = errors.New("a line break")

// textOfBytes returns the function that writes the bytes of a logical type.
func textOfBytes(kind schema.LogicalType) func([]byte) ([]byte, error) {
	switch kind := kind.(type) {
	case schema.DecimalLogicalType:
		return func(x []byte) ([]byte, error) { // two's complement, the highest byte first
			n := new(big.Int).SetBytes(x)
			if len(x) > 0 && x[0] >= 1<<7 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(x))))
			}
			return appendDecimal(n, int(kind.Scale())), nil
		}
	case schema.UUIDLogicalType:
		return func(x []byte) ([]byte, error) {
			return fmt.Appendf(nil, "%x-%x-%x-%x-%x", x[:4], x[4:6], x[6:8], x[8:10], x[10:]), nil
		}
	case schema.Float16LogicalType:
		return func(x []byte) ([]byte, error) {
			return appendFloat(float64(float16.FromBits(binary.LittleEndian.Uint16(x)).Float32()), 32), nil
		}
	}
	return func(x []byte) ([]byte, error) {
		for _, b := range x {
			if b == '\n' {
				return nil, errLineBreak
			}
		}
		return x, nil
	}
}

func appendTime(t time.Time) []byte {
	return t.UTC().AppendFormat(nil, "2006-01-02T15:04:05.999999999Z")
}

// appendFloat writes a number as programs that write CSV do; nothing for NaN, by
// which many mean a missing value.
func appendFloat(x float64, bits int) []byte {
	const largest = 1e21 // beyond every time
	switch {
	case math.IsNaN(x):
		return nil
	case math.Abs(x) >= largest || x != 0 && math.Abs(x) < 1/largest:
		return strconv.AppendFloat(nil, x, 'g', -1, bits)
	}
	return strconv.AppendFloat(nil, x, 'f', -1, bits)
}

// appendDecimal writes n divided by ten to the power of scale.
func appendDecimal(n *big.Int, scale int) []byte {
	digits := new(big.Int).Abs(n).String()
	if zeros := scale + 1 - len(digits); zeros > 0 {
		digits = strings.Repeat("0", zeros) + digits
	}
	if scale > 0 {
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if n.Sign() < 0 {
		digits = "-" + digits
	}
	return []byte(digits)
}
