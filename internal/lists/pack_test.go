package lists

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestUnpackRefuses data that ends within a text or its length, or that claims more than
// there is.
func TestUnpackRefuses(t *testing.T) {
	for _, data := range [][]byte{{1}, {0, 2, 'x'}, {0x80}, bytes.Repeat([]byte{0xff}, 20), append(bytes.Repeat([]byte{0xff}, 9), 1)} {
		if texts, err := Unpack(data); err == nil {
			t.Errorf("%v: %q", data, texts)
		}
	}
}

// FuzzUnpack: what is read is what was written, and any texts are.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte{}, "", "")
	f.Add([]byte{0, 1, 'a'}, "a", strings.Repeat("long ", 100))
	f.Add([]byte{0x80, 0}, "\x00", "\xff")
	f.Fuzz(func(t *testing.T, data []byte, a, b string) {
		if texts, err := Unpack(data); err == nil {
			again, err := Unpack(AppendPacked(nil, texts...))
			if err != nil || !slices.Equal(texts, again) {
				t.Errorf("%q, then %q, %v", texts, again, err)
			}
		}
		texts, err := Unpack(AppendPacked(AppendPacked(nil, a), b, "", a))
		if err != nil || !slices.Equal(texts, []string{a, b, "", a}) {
			t.Errorf("%q of %q and %q, %v", texts, a, b, err)
		}
	})
}
