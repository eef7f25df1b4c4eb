package datasets

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// Files of other programs get a message that says what they are, and what
// makes CSV text of them.
func TestNotText(t *testing.T) {
	const text = "a,b,t\nx,y,1\ny,x,2\n"
	wide := func(order binary.AppendByteOrder, text string) (out string) {
		var b []byte
		for _, u := range utf16.Encode([]rune(text)) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	for name, c := range map[string]struct{ text, want string }{
		"UTF-16, little end first": {wide(binary.LittleEndian, mark+text), "found text in UTF-16, expected CSV text in UTF-8 (iconv -f UTF-16 -t UTF-8 FILE > NEW)"},
		"UTF-16, big end first":    {wide(binary.BigEndian, mark+text), "found text in UTF-16, expected CSV text in UTF-8"},
		"UTF-16LE without mark":    {wide(binary.LittleEndian, text), "found text in UTF-16, expected CSV text in UTF-8 (iconv -f UTF-16LE -t UTF-8 FILE > NEW)"},
		"UTF-16BE without mark":    {wide(binary.BigEndian, text), "found text in UTF-16, expected CSV text in UTF-8 (iconv -f UTF-16BE -t UTF-8 FILE > NEW)"},
		"other scripts in UTF-16":  {wide(binary.LittleEndian, "källa,ĸ"+text), "found a byte 0 at offset 1, as in binary files and UTF-16, expected CSV text in UTF-8"},
		"UTF-32":                   {"\xff\xfe\x00\x00a\x00\x00\x00", "found text in UTF-32, expected CSV text in UTF-8"},
		"old Macs":                 {strings.ReplaceAll(text, "\n", "\r"), `found lines that end in CR alone, expected LF or CR LF (tr '\r' '\n' < FILE > NEW)`},
		"a program":                {"\x7fELF\x02\x01\x01\x00\x00", "found a byte 0 at offset 7, as in binary files"},
		"zip":                      {"PK\x03\x04\x14", "found a zip archive, as spreadsheets are too, expected CSV text in UTF-8"},
		"packed twice":             {"\x1f\x8b\x08", "found data of gzip, expected CSV text in UTF-8 (gzip -dc FILE > NEW)"},
		"empty":                    {"", "found an empty file, expected a header line and events"},
		"empty lines":              {"\r\n\n", "found an empty file, expected a header line and events"},
		"an empty line":            {"\n" + text, "found an empty line, expected a header line"},
	} {
		_, err := readText(t, c.text, Layout{Src: "a", Dst: "b", Time: "t"})
		if err == nil || !strings.HasPrefix(err.Error(), "events.csv:1: "+c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
