package external

import (
	"bufio"
	"bytes"
	"math"
	"reflect"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// columns of every type, of three rows.
func columns() []column {
	return []column{
		{"i", []int32{1, -2, math.MaxInt32}, 0}, {"b", []int8{0, 1, -1}, 0}, {"t", []float64{0, .5, 1e15}, 0},
		{"s", []float32{1, 2, 3}, 0}, {"f", []float32{1, 2, 3, 4, 5, 6}, 2}, {"l", [][]int32{{}, {4}, {1, 2, 3}}, 0},
	}
}

// typesOf are the columns without their values.
func typesOf(full []column) (out []column) {
	for _, c := range full {
		out = append(out, column{c.name, c.empty(), c.width})
	}
	return out
}

// TestColumns: what was encoded is decoded, also without a row.
func TestColumns(t *testing.T) {
	var data bytes.Buffer
	for _, rows := range []int{3, 0} {
		want := columns()
		if rows == 0 {
			want = typesOf(want)
		}
		if err := encode(&data, rows, want...); err != nil {
			t.Fatal(err)
		}
		got := typesOf(want)
		if n, err := decode(data.Bytes(), got); err != nil || n != rows || !reflect.DeepEqual(got, want) {
			t.Errorf("%d rows of %v, %v, expected %v", n, got, err, want)
		}
	}
}

// TestBadPayloads: bytes that are cut off, that go on, or that claim more memory than
// they have are errors.
func TestBadPayloads(t *testing.T) {
	var data bytes.Buffer
	full := columns()
	if err := encode(&data, 3, full...); err != nil {
		t.Fatal(err)
	}
	for n := range data.Len() - 8 { // without the end of the stream it is one, too
		if _, err := decode(data.Bytes()[:n], typesOf(full)); err == nil && n > 0 {
			rows, _ := decode(data.Bytes()[:n], typesOf(full))
			if rows == 3 {
				t.Errorf("%d of %d bytes are enough", n, data.Len())
			}
		}
	}
	if _, err := decode(append(data.Bytes(), 0), typesOf(full)); err == nil {
		t.Error("a byte behind the end is accepted")
	}
	data.Reset()
	schema := arrow.NewSchema([]arrow.Field{{Name: "score", Type: arrow.PrimitiveTypes.Float32}}, nil)
	w := ipc.NewWriter(&data, ipc.WithSchema(schema), ipc.WithZstd())
	zeros := array.MakeFromData(column{"score", make([]float32, 1<<22), 0}.data(1 << 22))
	if err := w.Write(array.NewRecordBatch(schema, []arrow.Array{zeros}, 1<<22)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := decode(data.Bytes(), []column{{"score", []float32(nil), 0}}); err == nil {
		t.Errorf("%d bytes become %d rows", data.Len(), n)
	}
}

// FuzzPayload: no bytes make decode panic or take much memory, and what it returns has
// the rows that it says.
func FuzzPayload(f *testing.F) {
	var data bytes.Buffer
	full := columns()
	if err := encode(&data, 3, full...); err != nil {
		f.Fatal(err)
	}
	f.Add(data.Bytes())
	f.Fuzz(func(t *testing.T, payload []byte) {
		got := typesOf(full)
		rows, err := decode(payload, got)
		if err != nil {
			return
		}
		for _, c := range got {
			if n := reflect.ValueOf(c.values).Len(); n != rows*max(1, c.width) {
				t.Errorf("%d values of %s in %d rows", n, c.name, rows)
			}
		}
	})
}

// FuzzMessages: no bytes make the reader of messages panic or take much memory, and a
// message that was written is read.
func FuzzMessages(f *testing.F) {
	f.Add([]byte("{\"id\": 1, \"ok\": true, \"bytes\": 3}\nabc"), []byte("x"))
	f.Add([]byte("Loading\n"), []byte(""))
	f.Add([]byte(`{"bytes": 1e300}`), bytes.Repeat([]byte("y"), together+1))
	f.Fuzz(func(t *testing.T, garbage, payload []byte) {
		r := bufio.NewReaderSize(bytes.NewReader(garbage), maxLine)
		var a answer
		var buffer bytes.Buffer
		for readLine(r, &a) == nil && readPayload(r, &buffer, a.Bytes, 1<<30) == nil {
			if int64(buffer.Len()) != a.Bytes {
				t.Errorf("%d bytes of %d", buffer.Len(), a.Bytes)
			}
			a = answer{}
		}
		var sent bytes.Buffer
		w := writer{to: &sent}
		if err := w.write(answer{ID: 7, OK: true, Bytes: int64(len(payload))}, payload); err != nil {
			t.Fatal(err)
		}
		r = bufio.NewReaderSize(&sent, maxLine)
		if err := readLine(r, &a); err != nil || a.ID != 7 || !a.OK {
			t.Fatalf("%+v, %v", a, err)
		}
		if err := readPayload(r, &buffer, a.Bytes, int64(len(payload))); err != nil || !bytes.Equal(buffer.Bytes(), payload) {
			t.Errorf("%q, %v, expected %q", buffer.Bytes(), err, payload)
		}
	})
}

// FuzzRestore: a snapshot of anybody's making is an error or the bytes that it holds.
func FuzzRestore(f *testing.F) {
	f.Add([]byte("snapshot"), int64(8))
	f.Add([]byte(""), int64(-1))
	f.Add([]byte("123456789"), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, data []byte, claim int64) {
		got, err := unpack(pack(data))
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%q, %v, expected %q", got, err, data)
		}
		packed := pack(data)
		packed[0].I64[0] = claim
		if got, err := unpack(packed); err == nil && int64(len(got)) != claim {
			t.Errorf("%d bytes, claimed %d", len(got), claim)
		}
	})
}

func BenchmarkEvents(b *testing.B) {
	for _, n := range []int{1, 200} {
		b.Run(map[int]string{1: "one", 200: "batch"}[n], func(b *testing.B) {
			var data bytes.Buffer
			scores := []column{{"score", []float32(nil), 0}}
			x := make([]float32, n)
			b.ReportAllocs()
			for b.Loop() {
				if err := encode(&data, n, column{"score", x, 0}); err != nil {
					b.Fatal(err)
				}
				if _, err := decode(data.Bytes(), scores); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
