package own

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"dgsbench/datasets"

	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// field is a column of a Parquet file, with its values a row; nil is none.
type field struct {
	name   string
	kind   schema.LogicalType
	values any // a slice of a physical type
	absent []bool
}

var plainType schema.LogicalType = schema.NoLogicalType{}

// parquetOf writes a Parquet file with that number of row groups.
func parquetOf(tb testing.TB, groups int, fields []field, options ...parquet.WriterProperty) []byte {
	tb.Helper()
	var nodes schema.FieldList
	for _, f := range fields {
		physical, length := parquet.Types.ByteArray, -1
		switch v := f.values.(type) {
		case []bool:
			physical = parquet.Types.Boolean
		case []int32:
			physical = parquet.Types.Int32
		case []int64:
			physical = parquet.Types.Int64
		case []float32:
			physical = parquet.Types.Float
		case []float64:
			physical = parquet.Types.Double
		case []parquet.FixedLenByteArray:
			physical, length = parquet.Types.FixedLenByteArray, len(v[0])
		}
		repetition := parquet.Repetitions.Required
		if f.absent != nil {
			repetition = parquet.Repetitions.Optional
		}
		node, err := schema.NewPrimitiveNodeLogical(f.name, repetition, f.kind, physical, length, -1)
		if err != nil {
			tb.Fatal(err)
		}
		nodes = append(nodes, node)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		tb.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(options...)))
	for g := range groups {
		group, err := w.AppendRowGroupChecked()
		if err != nil {
			tb.Fatal(err)
		}
		for _, f := range fields {
			column, err := group.NextColumn()
			if err != nil {
				tb.Fatal(err)
			}
			switch c := column.(type) {
			case *file.BooleanColumnChunkWriter:
				err = writePart(f, f.values.([]bool), g, groups, c.WriteBatch)
			case *file.Int32ColumnChunkWriter:
				err = writePart(f, f.values.([]int32), g, groups, c.WriteBatch)
			case *file.Int64ColumnChunkWriter:
				err = writePart(f, f.values.([]int64), g, groups, c.WriteBatch)
			case *file.Float32ColumnChunkWriter:
				err = writePart(f, f.values.([]float32), g, groups, c.WriteBatch)
			case *file.Float64ColumnChunkWriter:
				err = writePart(f, f.values.([]float64), g, groups, c.WriteBatch)
			case *file.FixedLenByteArrayColumnChunkWriter:
				err = writePart(f, f.values.([]parquet.FixedLenByteArray), g, groups, c.WriteBatch)
			case *file.ByteArrayColumnChunkWriter:
				var texts []parquet.ByteArray
				for _, text := range f.values.([]string) {
					texts = append(texts, parquet.ByteArray(text))
				}
				err = writePart(f, texts, g, groups, c.WriteBatch)
			}
			if err := errors.Join(err, column.Close()); err != nil {
				tb.Fatal(err)
			}
		}
		if err := group.Close(); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// writePart writes the values of row group g.
func writePart[T any](f field, all []T, g, groups int, write func([]T, []int16, []int16) (int64, error)) error {
	lo, hi := g*len(all)/groups, (g+1)*len(all)/groups
	if f.absent == nil {
		_, err := write(all[lo:hi], nil, nil)
		return err
	}
	var values []T
	var levels []int16
	for k := lo; k < hi; k++ {
		level := int16(0)
		if !f.absent[k] {
			level, values = 1, append(values, all[k])
		}
		levels = append(levels, level)
	}
	_, err := write(values, levels, nil)
	return err
}

// logFields are the events of text(n) with more columns.
func logFields(n int) []field {
	var payer, payee, channel []string
	var at, id []int64
	var fraud []int32
	var amount []float64
	absent := make([]bool, n)
	for k := range n {
		payer, payee = append(payer, fmt.Sprintf("p %d", k%7)), append(payee, fmt.Sprintf("q%d", k%5))
		channel = append(channel, []string{"app", "card", `a "b", c`}[k%3])
		at, id = append(at, 1_700_000_000+3600*int64(k)), append(id, int64(k))
		amount, fraud = append(amount, float64(k)+.5), append(fraud, int32(k%3/2))
		absent[k] = k%10 == 3
	}
	return []field{
		{"id", plainType, id, nil},
		{"payer", schema.StringLogicalType{}, payer, nil},
		{"payee", schema.StringLogicalType{}, payee, nil},
		{"at", plainType, at, nil},
		{"amount", plainType, amount, absent},
		{"fraud", schema.NewIntLogicalType(8, true), fraud, nil},
		{"channel", schema.StringLogicalType{}, channel, nil},
	}
}

// csvOf writes the same events as CSV.
func csvOf(n int) string {
	var b strings.Builder
	b.WriteString("id,payer,payee,at,amount,fraud,channel\n")
	for k := range n {
		amount := fmt.Sprintf("%d.5", k)
		if k%10 == 3 {
			amount = ""
		}
		fmt.Fprintf(&b, "%d,p %d,q%d,%d,%s,%d,%s\n", k, k%7, k%5, 1_700_000_000+3600*k, amount, k%3/2, []string{"app", "card", `"a ""b"", c"`}[k%3])
	}
	return b.String()
}

// filesOf returns what is in the files of an import but the title.
func filesOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{eventsFile, nodesFile, levelsFile, descriptionFile} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		var kept []string
		for line := range strings.Lines(string(content)) {
			if !strings.HasPrefix(line, "title:") {
				kept = append(kept, line)
			}
		}
		out[name] = strings.Join(kept, "")
	}
	return out
}

// TestParquetIsCSV: a Parquet file and the CSV file of the same data give the same
// files, byte for byte, however the former is written.
func TestParquetIsCSV(t *testing.T) {
	const n = 400
	dir, src := log(t, csvOf(n))
	src.Categories = Categories{Columns: []string{"channel"}, OneHot: 2, Hashed: 5}
	src.Missing = &Fill{Mean: true}
	if _, err := Import(t.Context(), dir, src); err != nil {
		t.Fatal(err)
	}
	want := filesOf(t, filepath.Join(dir, "mine"))
	src.Replace = true
	src.Layout.Dst = "3" // columns go by number, too
	for name, options := range map[string][]parquet.WriterProperty{
		"plain":      {parquet.WithDictionaryDefault(false)},
		"dictionary": {parquet.WithDictionaryDefault(true), parquet.WithDataPageSize(128)},
		"snappy v2":  {parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDataPageVersion(parquet.DataPageV2)},
		"zstd":       {parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDataPageSize(256)},
		"gzip":       {parquet.WithCompression(compress.Codecs.Gzip)},
		"delta": {
			parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("payer", parquet.Encodings.DeltaByteArray),
			parquet.WithEncodingFor("at", parquet.Encodings.DeltaBinaryPacked), parquet.WithEncodingFor("channel", parquet.Encodings.DeltaLengthByteArray),
		},
	} {
		for _, groups := range []int{1, 3} {
			if err := os.WriteFile(src.Files[0], parquetOf(t, groups, logFields(n), options...), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Import(t.Context(), dir, src); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for file, got := range filesOf(t, filepath.Join(dir, "mine")) {
				if got != want[file] {
					t.Errorf("%s, %d row groups: %s is\n%.300s\nexpected\n%.300s", name, groups, file, got, want[file])
				}
			}
		}
	}
}

// TestParquetText: how values of each type are written as text.
func TestParquetText(t *testing.T) {
	decimal, utc := schema.NewDecimalLogicalType(9, 2), schema.NewTimestampLogicalType(true, schema.TimeUnitMicros)
	half := make([]byte, 2)
	binary.LittleEndian.PutUint16(half, float16.New(0.5).Uint16())
	for _, c := range []struct {
		field
		want []string
	}{
		{field{"x", plainType, []bool{true, false}, nil}, []string{"1", "0"}},
		{field{"x", plainType, []int32{-5, 7}, nil}, []string{"-5", "7"}},
		{field{"x", schema.NewIntLogicalType(32, false), []int32{-1, 7}, nil}, []string{"4294967295", "7"}},
		{field{"x", schema.NewIntLogicalType(64, false), []int64{-1, 7}, nil}, []string{"18446744073709551615", "7"}},
		{field{"x", plainType, []int64{math.MinInt64, 7}, []bool{false, true}}, []string{"-9223372036854775808", ""}},
		{field{"x", schema.DateLogicalType{}, []int32{19_783, -1}, nil}, []string{"2024-03-01", "1969-12-31"}},
		{field{"x", utc, []int64{1709281867000000, 1709281867000001}, nil}, []string{"2024-03-01T08:31:07Z", "2024-03-01T08:31:07.000001Z"}},
		{field{"x", schema.NewTimestampLogicalType(false, schema.TimeUnitMillis), []int64{1709281867500, -1}, nil}, []string{"2024-03-01T08:31:07.5Z", "1969-12-31T23:59:59.999Z"}},
		{field{"x", schema.NewTimestampLogicalType(true, schema.TimeUnitNanos), []int64{1709281867000000009, 0}, nil}, []string{"2024-03-01T08:31:07.000000009Z", "1970-01-01T00:00:00Z"}},
		{field{"x", plainType, []float32{.1, float32(math.NaN())}, nil}, []string{"0.1", ""}},
		{field{"x", plainType, []float64{1.7e9, math.Inf(-1)}, nil}, []string{"1700000000", "-Inf"}},
		{field{"x", plainType, []float64{1e300, 5e-324}, nil}, []string{"1e+300", "5e-324"}},
		{field{"x", decimal, []int32{-5, 12345}, nil}, []string{"-0.05", "123.45"}},
		{field{"x", decimal, []int64{5, -12345}, nil}, []string{"0.05", "-123.45"}},
		{field{"x", decimal, []parquet.FixedLenByteArray{{0xff, 0xff, 0xff, 0xfb}, {0, 0, 0x30, 0x39}}, nil}, []string{"-0.05", "123.45"}},
		{field{"x", schema.Float16LogicalType{}, []parquet.FixedLenByteArray{half, half}, nil}, []string{"0.5", "0.5"}},
		{field{"x", schema.UUIDLogicalType{}, []parquet.FixedLenByteArray{[]byte("0123456789abcdef"), make([]byte, 16)}, nil}, []string{"30313233-3435-3637-3839-616263646566", "00000000-0000-0000-0000-000000000000"}},
		{field{"x", schema.StringLogicalType{}, []string{"a,b", ` x "y"`}, nil}, []string{`"a,b"`, `" x ""y"""`}},
	} {
		content := parquetOf(t, 1, []field{c.field})
		p, err := openParquet("f", bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		if what := unreadable(p.leaves[0]); what != "" {
			t.Errorf("%v: %s", c.kind, what)
		}
		var got bytes.Buffer
		if err := p.writeCSV(&got, []int{0}, func(int) error { return nil }); err != nil {
			t.Errorf("%v: %v", c.kind, err)
		}
		if want := "x\n" + strings.Join(c.want, "\n") + "\n"; got.String() != want {
			t.Errorf("%v %v: %q, expected %q", c.kind, c.values, &got, want)
		}
	}
}

// TestParquetRefuses: the message says what and where.
func TestParquetRefuses(t *testing.T) {
	good := parquetOf(t, 2, logFields(60))
	change := func(f func([]field) []field) string { return string(parquetOf(t, 2, f(logFields(60)))) }
	with := func(i int, v any) string {
		return change(func(f []field) []field { f[i].values = v; f[i].kind = plainType; return f })
	}
	texts := make([]string, 60)
	for k := range texts {
		texts[k] = "x"
	}
	broken := append([]string{}, texts...)
	broken[17] = "a\nb"
	times := make([]int64, 60)
	copy(times, logFields(60)[3].values.([]int64))
	times[40] = 5
	encrypted := append([]byte{}, good...)
	copy(encrypted[len(encrypted)-4:], "PARE")
	for _, c := range []struct{ name, content, want string }{
		{"half", string(good[:len(good)/2]), `log.csv is not a Parquet file that can be read: it ends with "`},
		{"its name alone", "PAR1", "log.csv is not a Parquet file that can be read: unexpected EOF"},
		{"long footer", "PAR1\xff\xff\xff\x7fPAR1", "its footer is longer than the file"},
		{"damaged footer", "PAR1\x01\x02\x03\x04\x04\x00\x00\x00PAR1", "log.csv is not a Parquet file that can be read: "},
		{"encrypted", string(encrypted), "it is encrypted"},
		{"missing value", string(good), "log.csv: row 4: column amount: found nothing, expected a finite number"},
		{"text", with(4, texts), `log.csv: row 1: column amount: found "x", expected a finite number`},
		{"line break", with(1, broken), "log.csv: row 18: column payer: found a line break, expected a value of one line"},
		{"no such column", change(func(f []field) []field { f[2].name = "to"; return f }), `log.csv: found the columns id, payer, to, at, amount, fraud, channel, expected a column named "payee"`},
		{"order", change(func(f []field) []field { f[3].values, f[4].absent = times, nil; return f }), "log.csv: row 41: column at: found 5, expected a time not before the last row's 1700140400"},
		{"times of day", change(func(f []field) []field {
			f[0] = field{"id", schema.NewTimeLogicalType(true, schema.TimeUnitMicros), make([]int64, 60), nil}
			return f
		}), "log.csv: column id: found times of day, expected numbers, text, dates or times"},
		{"bytes", change(func(f []field) []field {
			bytes := make([]parquet.FixedLenByteArray, 60)
			for k := range bytes {
				bytes[k] = []byte("abc")
			}
			f[0] = field{"id", plainType, bytes, nil}
			return f
		}), "log.csv: column id: found bytes, expected numbers"},
	} {
		dir, src := log(t, c.content)
		if strings.Contains(c.want, "column id") {
			src.Layout.Features, src.Layout.Rest = nil, true
		}
		_, err := Import(t.Context(), dir, src)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, expected one line with %q", c.name, err, c.want)
		}
		if left := entries(t, dir); len(left) > 0 {
			t.Errorf("%s: %v is left", c.name, left)
		}
	}
	dir, src := log(t, string(good))
	src.Layout.NoHeader = true
	if _, err := Import(t.Context(), dir, src); err == nil || !strings.Contains(err.Error(), "log.csv is a Parquet file, which names its columns") {
		t.Error(err)
	}
}

// TestParquetBombs: a small file that claims, or unpacks to, far more than it holds
// is refused, and takes no more memory than a few pages.
func TestParquetBombs(t *testing.T) {
	const rows = 50_000
	same := make([]string, rows) // some bytes a page, by the dictionary
	long := strings.Repeat("x", 4000)
	for k := range same {
		same[k] = long
	}
	nodes := make([]int32, rows)
	wide := parquetOf(t, 1, []field{
		{"payer", plainType, nodes, nil}, {"payee", plainType, nodes, nil}, {"at", plainType, nodes, nil},
		{"fraud", plainType, nodes, nil}, {"amount", schema.StringLogicalType{}, same, nil},
	}, parquet.WithCompression(compress.Codecs.Zstd))
	same, nodes = nil, nil
	snappy := parquetOf(t, 1, logFields(60), parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(false))
	claim := bytes.Clone(snappy) // of 4 GiB in the first block
	if !claimSize(claim) {
		t.Fatal("no block to change")
	}
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"200 MB of text": {wide, "as text (200 times its size); write it as CSV and import that"},
		"snappy":         {claim, "log.csv is not a Parquet file that can be read: "},
		"footer":         {append(append([]byte("PAR1"), bytes.Repeat([]byte{0x15}, 1<<20)...), "\x00\x00\x10\x00PAR1"...), "log.csv is not a Parquet file that can be read: "},
		"list":           {append([]byte("PAR1\x15\x02\x29\xfc\xff\xff\xff\xff\x07\x00"), "\x0a\x00\x00\x00PAR1"...), "log.csv is not a Parquet file that can be read: "},
	} {
		dir, src := log(t, string(c.content))
		src.Missing = &Fill{}
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Import(t.Context(), dir, src)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
		if took := after.Sys - min(after.Sys, before.Sys); took > 600<<20 {
			t.Errorf("%s, of %d bytes, took %d MB", name, len(c.content), took>>20)
		}
	}
}

// claimSize changes the Snappy blocks of a file that have 60 whole numbers, so that
// they claim to unpack to 4 GiB.
func claimSize(content []byte) (changed bool) {
	size := binary.AppendUvarint(nil, 60*8)
	for {
		i := bytes.Index(content, size)
		if i < 0 {
			return changed
		}
		changed = true
		copy(content[i:], "\xff\xff\xff\xff\x0f")
	}
}

// TestWideParquet: the time for many columns grows with their number.
func TestWideParquet(t *testing.T) {
	took := map[int]time.Duration{}
	for _, n := range []int{2_000, 16_000} {
		fields := logFields(60)
		fields[4].absent = nil
		for k := range n {
			fields = append(fields, field{fmt.Sprint("x", k), plainType, make([]float32, 60), nil})
		}
		dir, src := log(t, string(parquetOf(t, 1, fields)))
		src.Layout.Features = []string{"amount", "x7", fmt.Sprint("x", n-1)}
		started := time.Now()
		if _, err := Import(t.Context(), dir, src); err != nil {
			t.Fatal(err)
		}
		took[n] = time.Since(started)
	}
	if took[16_000] > 40*took[2_000]+5*time.Second {
		t.Errorf("%v: far more than in proportion", took)
	}
	t.Log(took)
}

// TestParquetColumns: a file of more columns than may be is refused.
func TestParquetColumns(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 100,001 columns")
	}
	var fields []field
	for k := range maxFields + 1 {
		fields = append(fields, field{fmt.Sprint("x", k), plainType, []bool{true}, nil})
	}
	content := parquetOf(t, 1, fields)
	_, err := openParquet("f", bytes.NewReader(content), int64(len(content)))
	var d *datasets.Damage
	if !errors.As(err, &d) || err.Error() != "f: found 100001 columns, expected at most 100000" {
		t.Error(err)
	}
}

// FuzzParquet: any file is read or refused, without a panic.
func FuzzParquet(f *testing.F) {
	f.Add(parquetOf(f, 2, logFields(20)))
	f.Add(parquetOf(f, 1, logFields(20), parquet.WithDictionaryDefault(false), parquet.WithCompression(compress.Codecs.Snappy)))
	f.Add(parquetOf(f, 1, logFields(20), parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDataPageVersion(parquet.DataPageV2)))
	f.Add(parquetOf(f, 1, logFields(20), parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("payer", parquet.Encodings.DeltaByteArray)))
	f.Add([]byte("PAR1PAR1"))
	layout := payments
	layout.Categories, layout.AnyMissing = []string{"channel"}, true
	f.Fuzz(func(t *testing.T, content []byte) {
		p, err := openParquet("f", bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return
		}
		used, _, err := p.used(layout)
		if err != nil {
			return
		}
		_ = p.writeCSV(&boundedWriter{w: &bytes.Buffer{}, left: 1 << 20, err: errors.New("enough")}, used, func(int) error { return nil })
	})
}
