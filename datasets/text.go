package datasets

import (
	"bytes"
	"fmt"
)

// foreign are files that are no text in UTF-8, told by their first bytes, and
// what makes CSV text of them.
var foreign = []struct{ magic, what, fix string }{
	{"\xff\xfe\x00\x00", "text in UTF-32", "iconv -f UTF-32 -t UTF-8 FILE > NEW"},
	{"\xff\xfe", "text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE > NEW"},
	{"\xfe\xff", "text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE > NEW"},
	{"\x1f\x8b", "data of gzip", "gzip -dc FILE > NEW"},
	{"\x28\xb5\x2f\xfd", "data of zstd", "zstd -dc FILE > NEW"},
	{"\xfd7zXZ\x00", "data of xz", "xz -dc FILE > NEW"},
	{"BZh", "data of bzip2", "bzip2 -dc FILE > NEW"},
	{"PK\x03\x04", "a zip archive, as spreadsheets are too", "unpack it, or export the sheet as CSV"},
	{"PAR1", "a Parquet file", "export it as CSV"},
}

// checkText refuses what is no text with line ends, as far as its start shows
// it.
func (s *source) checkText() error {
	start := make([]byte, min(s.size, 4096))
	if err := s.fill(start, 0); err != nil {
		return err
	}
	if d := notText(start); d != nil {
		d.Line = 1
		return s.damage(d)
	}
	return nil
}

func notText(start []byte) *Damage {
	for _, f := range foreign {
		if bytes.HasPrefix(start, []byte(f.magic)) {
			return &Damage{Found: f.what, Want: fmt.Sprintf("CSV text in UTF-8 (%s)", f.fix)}
		}
	}
	if name := unmarkedUTF16(start); name != "" {
		return &Damage{Found: "text in UTF-16", Want: fmt.Sprintf("CSV text in UTF-8 (iconv -f %s -t UTF-8 FILE > NEW)", name)}
	}
	if i := bytes.IndexByte(start, 0); i >= 0 {
		return &Damage{Found: fmt.Sprintf("a byte 0 at offset %d, as in binary files and UTF-16", i), Want: "CSV text in UTF-8"}
	}
	if bytes.IndexByte(start, '\r') >= 0 && bytes.IndexByte(start, '\n') < 0 {
		return &Damage{Found: "lines that end in CR alone", Want: `LF or CR LF (tr '\r' '\n' < FILE > NEW)`}
	}
	return nil
}

// unmarkedUTF16 is what iconv calls UTF-16 without a byte order mark, of which
// every other byte is 0 as long as characters are those of ASCII; empty for
// anything else.
func unmarkedUTF16(start []byte) string {
	start = start[:min(len(start), 16)] // of the header line
	half := len(start) / 2
	var zeros [2]int // at even and odd offsets
	for i, b := range start {
		if b == 0 {
			zeros[i%2]++
		}
	}
	switch {
	case half == 0:
		return ""
	case zeros == [2]int{0, half}:
		return "UTF-16LE"
	case zeros == [2]int{half, 0}:
		return "UTF-16BE"
	}
	return ""
}
