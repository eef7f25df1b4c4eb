package safetensors

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// example is what testdata/go.safetensors and testdata/python.safetensors
// hold: both types, infinity, an empty tensor, a scalar.
// peers/safetensors_file.py has the same values.
var (
	example = []Tensor{
		{Name: "state/last", Shape: []int{3}, I64: []int64{-1, 0, 1 << 40}},
		{Name: "head.W1", Shape: []int{2, 3}, F32: []float32{-1, -.5, 0, .5, 1, float32(math.Inf(1))}},
		{Name: "state/S", Shape: []int{0, 4}, F32: []float32{}},
		{Name: "state/now", Shape: []int{}, F32: []float32{.1}},
	}
	exampleMetadata = map[string]string{"spec": `{"model":"raw","lr":"<1e-3>"}`}
)

// sameBits compares numbers bit by bit: NaN equals itself.
var sameBits = cmp.Comparer(func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) })

// TestGolden: the bytes are fixed, and the other library reads them (see
// peers/safetensors_file.py).
func TestGolden(t *testing.T) {
	got, err := Encode(example, exampleMetadata)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "go.safetensors")
	want, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		if err := os.WriteFile(filepath.Join("testdata", ".got-go.safetensors"), got, 0o644); err != nil {
			t.Error(err)
		}
		t.Errorf("%s (-want +got), the new one is beside it as .got-go.safetensors:\n%s", file, cmp.Diff(string(want), string(got)))
	}
}

// TestPython: what Python's library wrote is understood, and written again
// byte by byte.
func TestPython(t *testing.T) {
	file := filepath.Join("testdata", "python.safetensors")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tensors, metadata, err := Decode(file, data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(example, tensors, sameBits); diff != "" {
		t.Errorf("tensors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(exampleMetadata, metadata); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	again, err := Encode(tensors, metadata)
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("written again (-want +got): %v\n%s", err, cmp.Diff(string(data), string(again)))
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tensors := rapid.SliceOfDistinct(tensor(), func(x Tensor) string { return x.Name }).Draw(t, "tensors")
		metadata := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "metadata")
		data, err := Encode(tensors, metadata)
		if err != nil {
			t.Fatal(err)
		}
		checkAligned(t, data)
		got, gotMetadata, err := Decode("file", data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tensors, append([]Tensor{}, got...), sameBits); diff != "" {
			t.Errorf("tensors (-want +got):\n%s", diff)
		}
		if len(metadata)+len(gotMetadata) > 0 && !cmp.Equal(metadata, gotMetadata) {
			t.Errorf("metadata (-want +got):\n%s", cmp.Diff(metadata, gotMetadata))
		}
	})
}

func tensor() *rapid.Generator[Tensor] {
	return rapid.Custom(func(t *rapid.T) Tensor {
		x := Tensor{Name: rapid.String().Draw(t, "name"), Shape: rapid.SliceOfN(rapid.IntRange(0, 3), 0, 3).Draw(t, "shape")}
		n, err := elements(x.Shape)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "integers") {
			x.I64 = rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "numbers")
			return x
		}
		x.F32 = make([]float32, n)
		for i := range x.F32 {
			x.F32[i] = math.Float32frombits(rapid.Uint32().Draw(t, "bits"))
		}
		return x
	})
}

// checkAligned: every number lies at a multiple of its size.
func checkAligned(t *rapid.T, data []byte) {
	size := binary.LittleEndian.Uint64(data)
	entries, _, err := parseHeader(data[8:][:size])
	if err != nil {
		t.Fatal(err)
	}
	if size%8 != 0 {
		t.Errorf("the data starts at byte %d", 8+size)
	}
	for _, e := range entries {
		if e.Offsets[0]%width[e.DType] != 0 {
			t.Errorf("tensor %q, %s, starts at byte %d of the data", e.Name, e.DType, e.Offsets[0])
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	two := []float32{1, 2}
	for name, c := range map[string]struct {
		tensors  []Tensor
		metadata map[string]string
		want     string
	}{
		"name twice":    {tensors: []Tensor{{Name: "a", Shape: []int{2}, F32: two}, {Name: "a", Shape: []int{2}, F32: two}}, want: `name "a" is taken`},
		"reserved name": {tensors: []Tensor{{Name: "__metadata__", Shape: []int{2}, F32: two}}, want: "is taken"},
		"name's text":   {tensors: []Tensor{{Name: "\xff", Shape: []int{2}, F32: two}}, want: "not UTF-8"},
		"two types":     {tensors: []Tensor{{Name: "a", Shape: []int{2}, F32: two, I64: []int64{1, 2}}}, want: "two types"},
		"shape":         {tensors: []Tensor{{Name: "a", Shape: []int{3}, F32: two}}, want: "2 numbers and shape [3]"},
		"no numbers":    {tensors: []Tensor{{Name: "a"}}, want: "0 numbers and shape []"},
		"negative":      {tensors: []Tensor{{Name: "a", Shape: []int{-1, -2}, F32: two}}, want: "shape [-1 -2] is impossible"},
		"metadata":      {metadata: map[string]string{"k": "\xff"}, want: `metadata "k"`},
	} {
		_, err := Encode(c.tensors, c.metadata)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, expected %q", name, err, c.want)
		}
	}
}

// file puts a header before n bytes of data.
func file(header string, n int) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), make([]byte, n)...)
}

func TestDecodeRefuses(t *testing.T) {
	good := file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8)
	if _, _, err := Decode("good", good); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":           {nil, "it has 0 bytes"},
		"too short":       {good[:7], "it has 7 bytes"},
		"cut header":      {good[:40], "but 32 follow"},
		"cut data":        {good[:len(good)-1], `"a" lies at bytes 0 to 8 of 7`},
		"another format":  {[]byte("src,dst,t,label\nu1,i1,0,0\n"), "announce a header of"},
		"huge header":     {bytes.Repeat([]byte{255}, 20), "18446744073709551615 bytes, but 12 follow"},
		"no JSON":         {file(`{"a":`, 0), "not JSON"},
		"not UTF-8":       {file("{\"\xff\":1}", 0), "not JSON"},
		"two objects":     {file(`{} {}`, 0), "not JSON"},
		"no object":       {file(`[]`, 0), "expected an object"},
		"no tensor":       {file(`{"a":1}`, 0), `"a": found 1, expected an object`},
		"metadata number": {file(`{"__metadata__":{"k":1}}`, 0), `"k": found 1, expected a string`},
		"metadata text":   {file(`{"__metadata__":"k"}`, 0), `found k, expected an object`},
		"unknown field":   {file(`{"a":{"colour":1}}`, 0), `"colour": not a field`},
		"no shape":        {file(`{"a":{"dtype":"F32","data_offsets":[0,4]}}`, 4), "expected dtype, shape and two"},
		"shape null":      {file(`{"a":{"dtype":"F32","shape":null,"data_offsets":[0,4]}}`, 4), "found null"},
		"size null":       {file(`{"a":{"dtype":"F32","shape":[null],"data_offsets":[0,4]}}`, 4), "null is not a size"},
		"size negative":   {file(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 4), "-1 is not a size"},
		"size fraction":   {file(`{"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}}`, 4), "1.0 is not a size"},
		"three offsets":   {file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}}`, 8), "two data_offsets"},
		"name twice": {
			file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8),
			`"a" occurs twice`,
		},
		"other type":     {file(`{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}`, 4), `type "BF16" is not supported`},
		"shape and size": {file(`{"a":{"dtype":"I64","shape":[2],"data_offsets":[0,8]}}`, 8), "shape [2] of I64 does not fit its 8 bytes"},
		"odd size":       {file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,9]}}`, 9), "does not fit its 9 bytes"},
		"overflow":       {file(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0), "is impossible"},
		"bytes overflow": {file(`{"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}}`, 0), "does not fit its 0 bytes"},
		"backwards":      {file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, 4), "bytes 4 to 0"},
		"beyond":         {file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 4), "bytes 0 to 8 of 4"},
		"overlap": {
			file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8),
			`"a" and "b" overlap`,
		},
		"hole before": {file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8), "bytes 0 to 4 of the data belong to no tensor"},
		"hole after":  {file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 8), "bytes 4 to 8 of the data belong to no tensor"},
	} {
		tensors, metadata, err := Decode("model.safetensors", c.data)
		if err == nil || !strings.HasPrefix(err.Error(), "model.safetensors: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, expected one with the file's name and %q", name, err, c.want)
		}
		if tensors != nil || metadata != nil {
			t.Errorf("%s: a part is returned", name)
		}
	}
}

// FuzzDecode: no input panics, and what is understood is written and read
// again as the same.
func FuzzDecode(f *testing.F) {
	golden, err := Encode(example, exampleMetadata)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	f.Add(file(`{}`, 0))
	f.Add(file(`{"b":{"data_offsets":[4,8],"shape":[1],"dtype":"F32"}, "__metadata__":{},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`, 8))
	f.Add(file(`{"a":{"dtype":"F32","shape":[4294967296,4294967296,0],"data_offsets":[0,0]}}`, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		tensors, metadata, err := Decode("file", data)
		if err != nil {
			return
		}
		again, err := Encode(tensors, metadata)
		if err != nil {
			t.Fatal(err)
		}
		got, gotMetadata, err := Decode("again", again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tensors, got, sameBits) + cmp.Diff(metadata, gotMetadata); diff != "" {
			t.Errorf("first (-) and second time (+):\n%s", diff)
		}
	})
}
