package external

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"dgsbench/datasets"
)

// column is a column of a payload: its name, and []int32, []int8, []float64,
// []float32 or [][]int32. With a width, rows are that many of the float32.
type column struct {
	name   string
	values any
	width  int
}

// arrowType returns the type of the column's rows.
func (c column) arrowType() arrow.DataType {
	switch c.values.(type) {
	case []int32:
		return arrow.PrimitiveTypes.Int32
	case []int8:
		return arrow.PrimitiveTypes.Int8
	case []float64:
		return arrow.PrimitiveTypes.Float64
	case [][]int32:
		return arrow.ListOfNonNullable(arrow.PrimitiveTypes.Int32)
	case []float32:
		if c.width > 0 {
			return arrow.FixedSizeListOfNonNullable(int32(c.width), arrow.PrimitiveTypes.Float32)
		}
		return arrow.PrimitiveTypes.Float32
	}
	panic(fmt.Sprintf("external: a column of %T", c.values))
}

// data returns the values as Arrow's.
func (c column) data(rows int) arrow.ArrayData {
	fixed := func(t arrow.DataType, n int, values []byte) arrow.ArrayData {
		return array.NewData(t, n, []*memory.Buffer{nil, memory.NewBufferBytes(values)}, nil, 0, 0)
	}
	t := c.arrowType()
	switch v := c.values.(type) {
	case []int32:
		return fixed(t, rows, arrow.Int32Traits.CastToBytes(v))
	case []int8:
		return fixed(t, rows, arrow.Int8Traits.CastToBytes(v))
	case []float64:
		return fixed(t, rows, arrow.Float64Traits.CastToBytes(v))
	case []float32:
		if c.width == 0 {
			return fixed(t, rows, arrow.Float32Traits.CastToBytes(v))
		}
		child := fixed(arrow.PrimitiveTypes.Float32, rows*c.width, arrow.Float32Traits.CastToBytes(v))
		return array.NewData(t, rows, []*memory.Buffer{nil}, []arrow.ArrayData{child}, 0, 0)
	}
	lists := c.values.([][]int32)
	ends, items := make([]int32, 1, rows+1), []int32{}
	for _, list := range lists {
		items = append(items, list...)
		ends = append(ends, int32(len(items)))
	}
	child := fixed(arrow.PrimitiveTypes.Int32, len(items), arrow.Int32Traits.CastToBytes(items))
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(ends))
	return array.NewData(t, rows, []*memory.Buffer{nil, offsets}, []arrow.ArrayData{child}, 0, 0)
}

// encode replaces what is in the buffer by an Arrow stream of one record batch of
// that many rows, or none.
func encode(into *bytes.Buffer, rows int, columns ...column) error {
	into.Reset()
	fields, arrays := make([]arrow.Field, len(columns)), make([]arrow.Array, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.name, Type: c.arrowType()}
		arrays[i] = array.MakeFromData(c.data(rows))
	}
	schema := arrow.NewSchema(fields, nil)
	w := ipc.NewWriter(into, ipc.WithSchema(schema))
	if rows > 0 {
		if err := w.Write(array.NewRecordBatch(schema, arrays, int64(rows))); err != nil {
			return err
		}
	}
	return w.Close()
}

// decode reads an Arrow stream of the columns, whose values say their type, and fills
// in their values. It returns the number of rows.
func decode(payload []byte, columns []column) (rows int, err error) {
	defer func() {
		if failure := recover(); failure != nil { // of arrow-go, or of values shorter than their claim
			err = fmt.Errorf("no Arrow stream: %v", failure)
		}
	}()
	r, limit := bytes.NewReader(payload), int64(len(payload))
	if err := checkStream(payload); err != nil {
		return 0, fmt.Errorf("no Arrow stream: %w", err)
	}
	options := []ipc.Option{ipc.WithBodySizeLimit(limit), ipc.WithMetadataSizeLimit(limit)}
	stream, err := ipc.NewReaderFromMessageReader(ipc.NewMessageReader(r, options...), options...) // NewReader has no limits
	if err != nil {
		return 0, fmt.Errorf("no Arrow stream: %w", err)
	}
	if err := checkSchema(stream.Schema(), columns); err != nil {
		return 0, err
	}
	for i := range columns {
		columns[i].values = columns[i].empty()
	}
	if stream.Next() {
		batch := stream.RecordBatch()
		rows = int(batch.NumRows())
		for i := range columns {
			if err := columns[i].fill(batch.Column(i), rows); err != nil {
				return 0, err
			}
		}
		if stream.Next() {
			return 0, errors.New("more than one record batch")
		}
	}
	if err := stream.Err(); err != nil {
		return 0, fmt.Errorf("no Arrow stream: %w", err)
	}
	if r.Len() > 0 {
		return 0, fmt.Errorf("%d bytes behind the end of the Arrow stream", r.Len())
	}
	return rows, nil
}

// checkSchema returns an error unless the schema has these columns.
func checkSchema(found *arrow.Schema, columns []column) error {
	fits := found.NumFields() == len(columns)
	for i := 0; fits && i < len(columns); i++ {
		f, want := found.Field(i), columns[i].arrowType()
		fits = f.Name == columns[i].name && sameType(f.Type, want)
	}
	if fits {
		return nil
	}
	var want, have []string
	for _, c := range columns {
		want = append(want, fmt.Sprintf("%s %s", c.name, c.arrowType()))
	}
	for _, f := range found.Fields() {
		have = append(have, fmt.Sprintf("%s %s", f.Name, f.Type))
	}
	return fmt.Errorf("a payload of the columns %q, expected %q", have, want)
}

// sameType ignores the names and nullability of the items of lists.
func sameType(a, b arrow.DataType) bool {
	if listA, ok := a.(arrow.ListLikeType); ok {
		listB, ok := b.(arrow.ListLikeType)
		return ok && a.ID() == b.ID() && arrow.TypeEqual(listA.Elem(), listB.Elem()) && widthOf(a) == widthOf(b)
	}
	return arrow.TypeEqual(a, b)
}

func widthOf(t arrow.DataType) int32 {
	if fixed, ok := t.(*arrow.FixedSizeListType); ok {
		return fixed.Len()
	}
	return 0
}

// empty returns no values of the column's type.
func (c column) empty() any {
	switch c.values.(type) {
	case []int32:
		return []int32{}
	case []int8:
		return []int8{}
	case []float64:
		return []float64{}
	case []float32:
		return []float32{}
	}
	return [][]int32{}
}

// fill takes the values of an array of the column's type. It panics where there are
// fewer than the array claims.
func (c *column) fill(from arrow.Array, rows int) error {
	if from.NullN() > 0 {
		return fmt.Errorf("column %s has nulls", c.name)
	}
	switch a := from.(type) {
	case *array.Int32:
		c.values = a.Int32Values()[:rows]
	case *array.Int8:
		c.values = a.Int8Values()[:rows]
	case *array.Float64:
		c.values = a.Float64Values()[:rows]
	case *array.Float32:
		c.values = a.Float32Values()[:rows]
	case *array.FixedSizeList:
		items := a.ListValues().(*array.Float32)
		if items.NullN() > 0 {
			return fmt.Errorf("column %s has nulls", c.name)
		}
		first := a.Offset() * c.width
		c.values = items.Float32Values()[first : first+rows*c.width]
	case *array.List:
		items := a.ListValues().(*array.Int32)
		if items.NullN() > 0 {
			return fmt.Errorf("column %s has nulls", c.name)
		}
		lists, ends, values := make([][]int32, rows), a.Offsets(), items.Int32Values()
		for k := range lists {
			lists[k] = values[ends[k]:ends[k+1]:ends[k+1]]
		}
		c.values = lists
	}
	return nil
}

// eventColumns are those of events, with features unless there are none.
func eventColumns(b datasets.Stream) []column {
	numbers := make([]int32, b.Len())
	for k := range numbers {
		numbers[k] = int32(b.EventID(k))
	}
	columns := []column{{"event", numbers, 0}, {"src", b.Src, 0}, {"dst", b.Dst, 0}, {"t", b.Time, 0}}
	if b.NumFeat > 0 {
		columns = append(columns, column{"features", b.Feat, b.NumFeat})
	}
	return columns
}
