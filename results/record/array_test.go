package record

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"

	"dgsbench/metrics"
	"dgsbench/protocol"
)

// archive has one entry of that content.
func archive(t *testing.T, name string, content []byte) *npz.Reader {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	entry, err := w.Create(name)
	if err == nil {
		_, err = entry.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := npz.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestDamagedArrays: what an array says of itself is not believed, and no more
// is unpacked than it can hold.
func TestDamagedArrays(t *testing.T) {
	var out bytes.Buffer
	if err := npy.Write(&out, []int32{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	whole := out.String()
	for what, c := range map[string]struct{ text, want string }{
		"whole":            {whole, ""},
		"empty":            {"", "expected an array of NumPy"},
		"no line end":      {strings.TrimSuffix(whole, whole[strings.Index(whole, "\n"):]), "of one dimension"},
		"no order":         {strings.Replace(whole, "'fortran_order': False, ", "", 1), "of one dimension"},
		"too short":        {whole[:len(whole)-1], "11 bytes of values, expected 3 values"},
		"too long":         {whole + "\x00", "13 bytes of values"},
		"another length":   {strings.Replace(whole, "(3,)", "(9,)", 1), "12 bytes of values, expected 9 values"},
		"an endless one":   {strings.Replace(whole, "(3,)", "(99999999999999999999,)", 1), "12 bytes of values"},
		"another type":     {strings.Replace(whole, "<i4", "<f4", 1), "values of type <f4, expected <i4"},
		"two dimensions":   {strings.Replace(whole, "(3,)", "(3,1)", 1), "of one dimension"},
		"of a packed bomb": {whole + strings.Repeat("\x00", 1<<20), "expected 5 values at most"},
	} {
		var got []int32
		err := readArray(archive(t, "x.npy", []byte(c.text)), "x.npy", &got, 5)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", what, err, c.want)
		}
		if c.want == "" && len(got) != 3 {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// TestSidecarOfAnotherStream: there are no more facts than events.
func TestSidecarOfAnotherStream(t *testing.T) {
	facts := metrics.Facts{Score: make([]float32, 1000), Label: make([]int8, 1000)}
	data, err := pack(of(protocol.NodeClassification, 1000), Observed{{Split: protocol.Test}: facts})
	if err != nil {
		t.Fatal(err)
	}
	if err := unpack(of(protocol.NodeClassification, 1000), data, Observed{}); err != nil {
		t.Error(err)
	}
	if err := unpack(of(protocol.NodeClassification, 9), data, Observed{}); err == nil || !strings.Contains(err.Error(), "expected 9 values at most") {
		t.Errorf("of a stream of 9 events: %v", err)
	}
}
