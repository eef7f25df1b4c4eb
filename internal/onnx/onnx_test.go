package onnx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
)

// small is y = float64(x) + (1, -2).
func small() *Model {
	m := &Model{Name: "small", Doc: "adds", Metadata: map[string]string{"b": "2", "a": "1\n"}}
	x := m.Input("x", "rows", N, 2)
	wide := m.OpWith("to", int64(Float64), "wide", "Cast", x)
	m.Op("y", "Add", wide, m.Doubles("c", []float64{1, -2}, 2))
	m.Output("y", "", N, 2)
	return m
}

// structure writes a message as its fields, a line each; those in nested are messages.
func structure(t *testing.T, data []byte, path string, nested map[string]bool, out *strings.Builder) {
	t.Helper()
	if err := each(data, func(field protowire.Number, value []byte, number uint64) error {
		at := fmt.Sprintf("%s.%d", path, field)
		switch {
		case nested[at]:
			structure(t, value, at, nested, out)
		case value == nil:
			fmt.Fprintf(out, "%s %d\n", at, number)
		default:
			fmt.Fprintf(out, "%s %q\n", at, value)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestEncode: the fields have the numbers that onnx.proto gives them.
func TestEncode(t *testing.T) {
	data, err := small().Encode()
	if err != nil {
		t.Fatal(err)
	}
	nested := map[string]bool{}
	for _, at := range []string{".7", ".8", ".14", ".7.1", ".7.1.5", ".7.5", ".7.11", ".7.12"} {
		nested[at] = true
	}
	for _, value := range []string{".7.11", ".7.12"} {
		for _, at := range []string{".2", ".2.1", ".2.1.2", ".2.1.2.1"} {
			nested[value+at] = true
		}
	}
	var got strings.Builder
	structure(t, data, "", nested, &got)
	want := `.1 8
.2 "dgsbench"
.6 "adds"
.8.2 17
.7.2 "small"
.7.1.1 "x"
.7.1.2 "wide"
.7.1.3 "wide"
.7.1.4 "Cast"
.7.1.5.1 "to"
.7.1.5.3 11
.7.1.5.20 2
.7.1.1 "wide"
.7.1.1 "c"
.7.1.2 "y"
.7.1.3 "y"
.7.1.4 "Add"
.7.5.1 2
.7.5.2 11
.7.5.8 "c"
.7.5.9 "\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x00\xc0"
.7.11.1 "x"
.7.11.2.1.1 1
.7.11.2.1.2.1.2 "n"
.7.11.2.1.2.1.1 2
.7.11.3 "rows"
.7.12.1 "y"
.7.12.2.1.1 1
.7.12.2.1.2.1.2 "n"
.7.12.2.1.2.1.1 2
.7.12.3 ""
.14.1 "a"
.14.2 "1\n"
.14.1 "b"
.14.2 "2"
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("expected (-), is (+):\n%s", diff)
	}
}

// TestDecode: a file says of itself what it was made of, and no part of one stops the program.
func TestDecode(t *testing.T) {
	m := small()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	want := Model{Name: m.Name, Doc: m.Doc, Metadata: m.Metadata, Inputs: m.Inputs, Outputs: m.Outputs}
	if diff := cmp.Diff(want, *got, cmp.AllowUnexported(Model{})); diff != "" {
		t.Errorf("written (-), read (+):\n%s", diff)
	}
	refused := 0
	for n := range data {
		if _, err := Decode(data[:n]); err != nil {
			refused++
		}
	}
	if refused < len(data)*9/10 {
		t.Errorf("%d of %d parts are refused", refused, len(data))
	}
}

// TestMistakes: a graph that no program could run is not made.
func TestMistakes(t *testing.T) {
	for name, mistake := range map[string]func(*Model){
		"an operand from later": func(m *Model) { m.Op("z", "Add", "x", "later") },
		"an output of nothing":  func(m *Model) { m.Output("later", "", N) },
		"a name twice":          func(m *Model) { m.Op("y", "Neg", "x") },
		"an input twice":        func(m *Model) { m.Input("x", "", N) },
		"a constant twice":      func(m *Model) { m.Integers("c", 1) },
		"a wrong shape":         func(m *Model) { m.Floats("d", []float32{1, 2}, 3) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			mistake(small())
		}()
	}
}
